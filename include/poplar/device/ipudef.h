// The bare name of <poplar/VectorTypes.hpp>.
#ifndef POPLAR_DEVICE_IPUDEF_H
#define POPLAR_DEVICE_IPUDEF_H

#include <poplar/VectorTypes.hpp>

#endif
