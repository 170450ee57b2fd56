#define POP_IDIOMS_STANDARD "c++11"
#define POP_IDIOMS_FILE "IdiomsCxx11.hpp"
#include "Idioms.hpp"
static_assert(__cplusplus / 100 == 2011, "compiled as C++11");
