#include "Vertices.hpp"

POPLAR_VERTEX(fuzzTest::Mix, a, b, out, factor)
POPLAR_VERTEX(fuzzTest::Ramp, x)
POPLAR_VERTEX(fuzzTest::Odd, x, flag)
