#define POP_IDIOMS_STANDARD "c++17"
#define POP_IDIOMS_FILE "IdiomsCxx17.hpp"
#include "Idioms.hpp"
static_assert(__cplusplus / 100 == 2017, "compiled as C++17");
