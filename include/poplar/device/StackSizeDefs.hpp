/* The bare name of <poplar/StackSizeDefs.hpp>. */
#ifndef POPLAR_DEVICE_STACKSIZEDEFS_HPP
#define POPLAR_DEVICE_STACKSIZEDEFS_HPP

#include <poplar/StackSizeDefs.hpp>

#endif
