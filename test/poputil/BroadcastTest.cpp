#include <poputil/Broadcast.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/Graph.hpp>

#include <doctest/doctest.h>

TEST_SUITE_BEGIN("poputil/broadcast");

using poplar::Tensor;
using Shape = std::vector<std::size_t>;

namespace {

struct Fixture {
  poplar::Graph graph{poplar::Target::createCPUTarget()};
  Tensor variable(Shape const &shape) { return graph.addVariable(poplar::FLOAT, shape); }
};

} // namespace

TEST_CASE_FIXTURE(Fixture, "broadcasting gives views of the common shape") {
  Tensor a = variable({4, 1, 3}), b = variable({5, 1});
  Tensor const a0 = a, b0 = b;
  CHECK(poputil::canBroadcastToMatch(a, b));
  poputil::broadcastToMatch(a, b);
  CHECK(a.shape() == Shape{4, 5, 3});
  CHECK(b.shape() == Shape{4, 5, 3});
  CHECK(a.index({2, 4, 1}) == a0.index({2, 0, 1}));
  CHECK(b.index({2, 4, 1}) == b0.index({4, 0}));
}

TEST_CASE_FIXTURE(Fixture, "three tensors, scalars and dimensions of size 0") {
  Tensor a = variable({}), b = variable({0, 1}), c = variable({1, 7});
  poputil::broadcastToMatch(a, b, c);
  for (Tensor const &t : {a, b, c})
    CHECK(t.shape() == Shape{0, 7});
}

TEST_CASE_FIXTURE(Fixture, "expandToMatchRanks adds leading dimensions only") {
  Tensor a = variable({3}), b = variable({2, 4, 5});
  poputil::expandToMatchRanks(a, b);
  CHECK(a.shape() == Shape{1, 1, 3});
  CHECK(b.shape() == Shape{2, 4, 5});
}

TEST_CASE_FIXTURE(Fixture, "shapes that do not fit are named") {
  Tensor a = variable({2, 3}), b = variable({4});
  CHECK_FALSE(poputil::canBroadcastToMatch(a, b));
  CHECK_THROWS_WITH_AS(poputil::broadcastToMatch(a, b),
                       "poputil::broadcastToMatch: shapes [2, 3] and [4] do not fit; dimensions, "
                       "counted from the last, "
                       "must be equal or one of them 1",
                       poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(poputil::broadcastToMatch(a, Shape{3}),
                       "poputil::broadcastToMatch: shape [2, 3] cannot be broadcast to [3]; "
                       "dimensions, counted from the "
                       "last, must be equal or 1",
                       poputil::poplibs_error);
}

TEST_SUITE_END();
