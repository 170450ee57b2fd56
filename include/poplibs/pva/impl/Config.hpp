// Included first by every published header of pva: build modes as <poplar/impl/base/Config.hpp>
// describes them.
#ifndef PVA_IMPL_CONFIG_HPP
#define PVA_IMPL_CONFIG_HPP

#include <poplar/impl/base/Config.hpp>

#endif

#if defined(POPLAR_HEADER_ONLY)
#include <pva/impl/HeaderOnly.hpp>
#endif
