// Alignment in codelets is part of the field types: Vector<T, layout, alignment>.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_ALIGNMENT_HPP
#define POPLAR_ALIGNMENT_HPP

#include <cstddef>
#include <poplar/FieldTypes.hpp>

#endif
