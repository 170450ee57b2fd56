// Included first by every published header of poprand: build modes as <poplar/impl/base/Config.hpp>
// describes them.
#ifndef POPRAND_IMPL_CONFIG_HPP
#define POPRAND_IMPL_CONFIG_HPP

#include <popops/impl/Config.hpp>

#endif

#if defined(POPLAR_HEADER_ONLY)
#include <poprand/impl/HeaderOnly.hpp>
#endif
