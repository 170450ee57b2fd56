#include "Vertices.hpp"

#include <stdexcept>

void engineTest::Throws::compute() {
  throw std::runtime_error("vertex " + std::to_string(*x) + " threw");
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
