// What operations say when their arguments do not fit.

#include "TestTensors.hpp"

#include <doctest/doctest.h>
#include <functional>
#include <poplar/exceptions.hpp>
#include <sstream>
#include <string>

using namespace poplar;
using test::variable;
using Shape = std::vector<std::size_t>;
using Dims = std::vector<unsigned>;

namespace {

/// The text of the poplar_error that f throws; "" if it throws none.
template <class F> std::string errorOf(F const &f) {
  try {
    f();
  } catch (poplar_error const &error) {
    return error.what();
  }
  return {};
}

bool hasAll(std::string const &text, std::vector<std::string> const &parts) {
  for (std::string const &part : parts)
    if (text.find(part) == std::string::npos)
      return false;
  return true;
}

// Checks for the words expected, and that the operand is as it was.
#define CHECK_ERROR(expression, ...)                                                               \
  do {                                                                                             \
    std::string const text = errorOf([&] { static_cast<void>(expression); });                      \
    CHECK_MESSAGE(hasAll(text, std::vector<std::string>{__VA_ARGS__}), text);                      \
    CHECK(t == variable({4, 6, 5}));                                                               \
  } while (false)

TEST_SUITE("poplar/tensor") {

  TEST_CASE("bad arguments are errors that name the values, and leave the tensor as it was") {
    Tensor const t = variable({4, 6, 5}), scalar = variable({});
    CHECK_ERROR(t[4], "poplar::Tensor::operator[]", "index 4", "[4, 6, 5]", "below 4");
    CHECK_ERROR(scalar[0], "operator[]", "rank 0");
    CHECK_ERROR(t.dim(3), "Tensor::dim", "dimension 3", "[4, 6, 5]");
    CHECK_ERROR(t.slice(3, 2, 1), "Tensor::slice", "[3, 2)", "dimension 1", "[4, 6, 5]");
    CHECK_ERROR(t.slice(3, 7, 1), "[3, 7)", "<= 6");
    CHECK_ERROR(t.slice(0, 1, 3), "dimension 3", "below 3");
    CHECK_ERROR(t.slice(0, 5), "[0, 5)", "dimension 0");
    CHECK_ERROR(t.slice(Interval(0, 5)), "[0, 5)");
    CHECK_ERROR(scalar.slice(0, 0), "dimension 0", "[]");
    CHECK_ERROR(t.slice(Shape{0, 1}, Shape{1}), "[0, 1]", "[1]", "same number");
    CHECK_ERROR(t.slice(Shape{0, 0, 0, 0}, Shape{1, 1, 1, 1}), "at most 3");
    CHECK_ERROR(t.slice({0, 5}, {1, 7}), "[5, 7)", "dimension 1");
    CHECK_ERROR(t.slices(std::vector<Interval>{{0, 1}, {3, 5}}), "[3, 5)");
    CHECK_ERROR(t.slices(std::vector<std::vector<Interval>>{{{0, 1}}, {{0, 9}}}, 2), "[0, 9)");
    CHECK_ERROR(t.slices(Dims{4}), "[4, 5)");
    CHECK_ERROR(t.index({1, 6}), "Tensor::index", "[1, 6]", "[4, 6, 5]");
    CHECK_ERROR(t.index({0, 0, 0, 0}), "[0, 0, 0, 0]");
    CHECK_ERROR(t.flatten(2, 1), "Tensor::flatten", "[2, 1)");
    CHECK_ERROR(t.flatten(0, 4), "[0, 4)", "<= 3");
    CHECK_ERROR(t.reshape({11, 11}), "Tensor::reshape", "[11, 11]", "121", "[4, 6, 5]", "120");
    CHECK_ERROR(t.reshape({}), "[]", "120");
    CHECK_ERROR(t.reshape({std::size_t{1} << 40, std::size_t{1} << 40}), "too many elements");
    CHECK_ERROR(t.reshapePartial(0, 2, {5, 5}), "Tensor::reshapePartial", "[4, 6]", "[5, 5]");
    CHECK_ERROR(t.reshapePartial(1, 1, {2}), "[2]");
    CHECK_ERROR(t.reshapePartial(1, 2, {}), "[6]");
    CHECK_ERROR(t.reshapePartial(2, 1, {}), "[2, 1)");
    CHECK_ERROR(t.reshapePartial(0, 4, {120}), "[0, 4)");
    CHECK_ERROR(t.dimShuffle({0, 1}), "Tensor::dimShuffle", "[0, 1]", "[4, 6, 5]");
    CHECK_ERROR(t.dimShuffle({0, 1, 1}), "[0, 1, 1]");
    CHECK_ERROR(t.dimShuffle({0, 1, 3}), "[0, 1, 3]");
    CHECK_ERROR(t.dimShufflePartial({0}, {1, 2}), "Tensor::dimShufflePartial", "[0]", "[1, 2]");
    CHECK_ERROR(t.dimShufflePartial({0, 0}, {1, 2}), "[0, 0]");
    CHECK_ERROR(t.dimShufflePartial({0, 1}, {2, 2}), "[2, 2]");
    CHECK_ERROR(t.dimShufflePartial({3}, {0}), "[3]");
    CHECK_ERROR(t.dimRoll(3), "Tensor::dimRoll", "[3]");
    CHECK_ERROR(t.dimRoll(0, 3), "[3]");
    CHECK_ERROR(scalar.dimRoll(0), "Tensor::dimRoll");
    CHECK_ERROR(t.transpose(), "Tensor::transpose", "[4, 6, 5]", "rank must be 2");
    CHECK_ERROR(t.expand({4}), "Tensor::expand", "index 4", "below 4");
    CHECK_ERROR(t.squeeze({3}), "Tensor::squeeze", "index 3");
    CHECK_ERROR(t.squeeze({1}), "dimension 1", "size 1");
    CHECK_ERROR(t.expand({0}).squeeze({0, 0}), "listed twice");
    CHECK_ERROR(t.subSample(0, 1), "Tensor::subSample", "stride 0");
    CHECK_ERROR(t.subSample(2, 3), "dimension 3");
    CHECK_ERROR(t.upsample(2, 3, UpsampleMethod::REPEAT), "Tensor::upsample", "dimension 3");
    CHECK_ERROR(t.upsample(2, 0, static_cast<UpsampleMethod>(5)), "method 5");
    CHECK_ERROR(t.broadcast(2, 3), "Tensor::broadcast", "dimension 3");
    CHECK_ERROR(scalar.broadcast(2, 0), "dimension 0");
    CHECK_ERROR(t.reverse(3), "Tensor::reverse", "dimension 3");
    CHECK_ERROR(t.reinterpret(HALF), "Tensor::reinterpret", "float (4 bytes)", "half (2 bytes)");
    CHECK_ERROR(t.reinterpret(Type()), "Tensor::reinterpret");
  }

  TEST_CASE("concatenation needs tensors of one graph, type and shape") {
    Tensor const t = variable({4, 6, 5}), scalar = variable({});
    CHECK_ERROR(concat(std::vector<Tensor>{}), "poplar::concat", "no tensors");
    CHECK_ERROR(concat(t, variable({4, 6})), "tensor 1", "[4, 6]", "[4, 6, 5]");
    CHECK_ERROR(concat({t, t, variable({4, 7, 5})}), "tensor 2", "[4, 7, 5]", "dimension 0");
    CHECK_ERROR(concat(t, variable({0, 7, 5})), "[0, 7, 5]");
    CHECK_ERROR(concat(t, variable({4, 6, 5}, 0, HALF)), "half", "float");
    CHECK_ERROR(concat(t, t, 3), "dimension 3");
    CHECK_ERROR(concat(scalar, scalar), "dimension 0", "[]");
    CHECK_ERROR(concat(t, Tensor()), "tensor 1", "invalid");
    CHECK_ERROR(concat(Tensor(), t), "invalid");
    CHECK_ERROR(concat(t, variable({4, 6, 5}, 0, FLOAT, 17)), "another graph");
    CHECK_ERROR(append(t, t), "poplar::append", "[4, 6, 5]");
    CHECK_ERROR(append(t, t[0], 3), "dimension 3");
    CHECK_ERROR(append(t, t[0], 1), "poplar::concat", "[6, 1, 5]");
    CHECK_ERROR(append(t, variable({3, 5})), "[1, 3, 5]");
  }

  TEST_CASE("shapes of 2^63 elements or more are refused") {
    std::size_t const huge = std::size_t{1} << 32;
    CHECK_THROWS_AS(variable({huge, huge}), tensor_creation_error);
    CHECK_THROWS_AS(variable({huge, huge / 2}), tensor_creation_error);
    CHECK(variable({huge, huge / 4, 0}).numElements() == 0);
    CHECK(variable({huge, huge, 0, 4}).numElements() == 0);
    CHECK(hasAll(errorOf([&] {
                   concat(variable({0, huge * (huge / 2)}), variable({0, huge * (huge / 2)}), 1);
                 }),
                 {"poplar::concat", "overflows"}));
    Tensor const big = variable({huge, huge / 4});
    CHECK_FALSE(big.transpose().isContiguous());
    CHECK_THROWS_AS(big.broadcast(2, 0), tensor_creation_error);
    CHECK_THROWS_AS(concat(big, big), tensor_creation_error);
    CHECK_THROWS_AS(big.flatten().upsample(8, 0, UpsampleMethod::REPEAT), tensor_creation_error);
  }

  TEST_CASE("classes of errors") {
    Tensor const t = variable({4, 6});
    CHECK_THROWS_AS(t[4], index_error);
    CHECK_THROWS_AS(t.slice(0, 7, 1), index_error);
    CHECK_THROWS_AS(t.reverse(2), index_error);
    CHECK_THROWS_AS(t.reshape({5}), tensor_creation_error);
    CHECK_THROWS_AS(t.dimShuffle({0, 0}), tensor_creation_error);
    CHECK_THROWS_AS(t.reinterpret(HALF), type_error);
    CHECK_THROWS_AS(concat(t, t.reinterpret(INT)), type_error);
  }

  TEST_CASE("everything else on an invalid tensor is an error that says so") {
    Tensor const t;
    std::ostringstream out;
    float f = 0;
    std::vector<std::function<void()>> const uses{
        [&] { t.elementType(); },
        [&] { t.numElements(); },
        [&] { t.dim(0); },
        [&] { t.shape(); },
        [&] { t.rank(); },
        [&] { t[0]; },
        [&] { t.slice(0, 0); },
        [&] { t.slice(0, 0, 0); },
        [&] { t.slice(Shape{}, Shape{}); },
        [&] { t.index({}); },
        [&] { t.flatten(); },
        [&] { t.flatten(0, 0); },
        [&] { t.reshape({}); },
        [&] { t.reshapePartial(0, 0, {}); },
        [&] { t.dimShuffle({}); },
        [&] { t.dimShufflePartial({}, {}); },
        [&] { t.dimRoll(0); },
        [&] { t.transpose(); },
        [&] { t.expand({}); },
        [&] { t.squeeze({}); },
        [&] { t.subSample(1, 0); },
        [&] { t.upsample(1, 0, UpsampleMethod::REPEAT); },
        [&] { t.broadcast(1, 0); },
        [&] { t.reverse(0); },
        [&] { t.reinterpret(FLOAT); },
        [&] { t.isContiguous(); },
        [&] { t.containsAliases(); },
        [&] { t.containsConstant(); },
        [&] { t.isParallelWriteable(); },
        [&] { t.getContiguousRegions(); },
        [&] { t.getVarRegions(); },
        [&] { t.intersectsWith(variable({1})); },
        [&] { variable({1}).intersectsWith(t); },
        [&] { t.getConstantValue(&f); },
        [&] { t.shapeToString(); },
        [&] { t.getVarStr(); },
        [&] { t.getDebugStr(); },
        [&] { t.output(out); },
        [&] { t.outputRegions(out); },
        [&] { concat(t, t); },
        [&] { append(t, t); },
    };
    for (std::size_t i = 0; i != uses.size(); ++i) {
      CAPTURE(i);
      CHECK(hasAll(errorOf(uses[i]), {"poplar::", "invalid"}));
    }
    CHECK(out.str().empty());
  }

  TEST_CASE("views lie on top of one another up to a depth, and more are an error") {
    auto const turned = [](Tensor const &t) { return t.transpose().reshape({4, 6}); };
    Tensor t = variable({4, 6});
    std::string error;
    unsigned turns = 0;
    while (error.empty() && turns != 100000) {
      error = errorOf([&] { t = turned(t); });
      ++turns;
    }
    CHECK(hasAll(error, {"a view of 5000 views on top of one another", "of 24 elements",
                         "allowed: up to 5000"}));
    CHECK(turns > 5000);
    CHECK(t.getContiguousRegions().size() <= 24);
    CHECK_FALSE(t.containsAliases());
    CHECK(t == Tensor(t));
  }

} // TEST_SUITE

} // namespace
