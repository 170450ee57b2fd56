// Instructions of the device, which a host does not have. Codelets use them under #ifdef __IPU__; here the header
// only has to be found.
#ifndef POPLAR_DEVICE_IPU_BUILTINS_H
#define POPLAR_DEVICE_IPU_BUILTINS_H
#endif
