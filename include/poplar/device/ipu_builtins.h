// The instructions of the device as functions __builtin_ipu_*. They come with every codelet already
// (see docs/codelets.md); here for sources that name the header, and in a host's own compilation,
// which has none of them.
#ifndef POPLAR_DEVICE_IPU_BUILTINS_H
#define POPLAR_DEVICE_IPU_BUILTINS_H

#ifdef __POPC__
#include <poplar/impl/popc/Prelude.hpp>
#endif

#endif
