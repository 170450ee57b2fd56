// printf from a codelet.
#ifndef POPLAR_DEVICE_PRINT_H
#define POPLAR_DEVICE_PRINT_H

#include <cstdio>

#endif
