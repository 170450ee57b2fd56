// Included first by every published header of poputil: build modes as <poplar/impl/base/Config.hpp>
// describes them.
#ifndef POPUTIL_IMPL_CONFIG_HPP
#define POPUTIL_IMPL_CONFIG_HPP

#include <poplar/impl/base/Config.hpp>

#endif

#if defined(POPLAR_HEADER_ONLY)
#include <poputil/impl/HeaderOnly.hpp>
#endif
