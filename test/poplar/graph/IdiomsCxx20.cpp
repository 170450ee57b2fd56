#define POP_IDIOMS_STANDARD "c++20"
#define POP_IDIOMS_FILE "IdiomsCxx20.hpp"
#include "Idioms.hpp"
static_assert(__cplusplus / 100 == 2020, "compiled as C++20");
