#include "Vertices.hpp"

#include <cstdlib>
#include <stdexcept>

// Assertions of codelets are live in every build of these tests.
#undef NDEBUG
#include <cassert>

void engineTest::Throws::compute() {
  throw std::runtime_error("vertex " + std::to_string(*x) + " threw");
}

bool engineTest::Asserts::compute() {
  assert(*x < limit);
  return true;
}
bool engineTest::AssertsMulti::compute(unsigned worker) {
  assert(worker + 1 < numWorkers() || *x < limit);
  return true;
}
void engineTest::Aborts::compute() {
  if (*x != 0)
    std::abort();
}
void engineTest::Divide::compute() {
  for (unsigned i = 0; i < out.size(); ++i)
    out[i] = a[i] / b[i];
}

POPLAR_VERTEX(engineTest::Scale, in, out, factor)
POPLAR_VERTEX(engineTest::Count, x, step)
POPLAR_VERTEX(engineTest::AddTo, x, sum)
POPLAR_VERTEX(engineTest::Below, x, flag, limit)
POPLAR_VERTEX(engineTest::IsPositive, x)
POPLAR_VERTEX(engineTest::AddOneMulti, in, out)
POPLAR_VERTEX(engineTest::SumRows, rows, out, weights)
POPLAR_VERTEX(engineTest::DoubleEven, x)
POPLAR_VERTEX(engineTest::Throws, x)
POPLAR_VERTEX(engineTest::Asserts, x, limit)
POPLAR_VERTEX(engineTest::AssertsMulti, x, limit)
POPLAR_VERTEX(engineTest::Aborts, x)
POPLAR_VERTEX(engineTest::Divide, a, b, out)
POPLAR_VERTEX(engineTest::MultiplyHalves, a, b, out)
