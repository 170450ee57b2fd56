#define POP_IDIOMS_STANDARD "c++14"
#define POP_IDIOMS_FILE "IdiomsCxx14.hpp"
#include "Idioms.hpp"
static_assert(__cplusplus / 100 == 2014, "compiled as C++14");
