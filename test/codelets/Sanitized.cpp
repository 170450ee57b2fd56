#include <codelets/arch/Simd.hpp>
#include <test/codelets/Isas.hpp>

bool const cottonwood::test::SANITIZED = cottonwood::arch::INSTRUMENTED;
