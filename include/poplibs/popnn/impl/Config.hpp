// Included first by every published header of popnn: build modes as <poplar/impl/base/Config.hpp>
// describes them.
#ifndef POPNN_IMPL_CONFIG_HPP
#define POPNN_IMPL_CONFIG_HPP

#include <popops/impl/Config.hpp>

#endif

#if defined(POPLAR_HEADER_ONLY)
#include <popnn/impl/HeaderOnly.hpp>
#endif
