// Included first by every published header of popops: build modes as <poplar/impl/base/Config.hpp>
// describes them.
#ifndef POPOPS_IMPL_CONFIG_HPP
#define POPOPS_IMPL_CONFIG_HPP

#include <poputil/impl/Config.hpp>

#endif

#if defined(POPLAR_HEADER_ONLY)
#include <popops/impl/HeaderOnly.hpp>
#endif
