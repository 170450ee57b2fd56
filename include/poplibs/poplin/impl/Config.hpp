// Included first by every published header of poplin: build modes as <poplar/impl/base/Config.hpp>
// describes them.
#ifndef POPLIN_IMPL_CONFIG_HPP
#define POPLIN_IMPL_CONFIG_HPP

#include <popops/impl/Config.hpp>

#endif

#if defined(POPLAR_HEADER_ONLY)
#include <poplin/impl/HeaderOnly.hpp>
#endif
