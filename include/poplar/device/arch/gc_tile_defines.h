/* The bare name of <poplar/TileConstants.hpp>. */
#ifndef POPLAR_DEVICE_ARCH_GC_TILE_DEFINES_H
#define POPLAR_DEVICE_ARCH_GC_TILE_DEFINES_H

#include <poplar/TileConstants.hpp>

#endif
