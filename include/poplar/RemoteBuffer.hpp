// Class RemoteBuffer.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_REMOTEBUFFER_HPP
#define POPLAR_REMOTEBUFFER_HPP

#include <poplar/DataStream.hpp>

#endif
