// Copies between differently ordered views, by every path that moves them.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <numeric>
#include <vector>

using poplar::Tensor;
using Shape = std::vector<std::size_t>;

TEST_SUITE_BEGIN("poplar/engine/copies");

namespace {

// Distinct bits in every element of the type, as far as its size allows.
std::vector<unsigned char> pattern(std::size_t elements, std::size_t size) {
  std::vector<unsigned char> bytes(elements * size);
  std::uint64_t x = 88172645463325252ULL;
  for (unsigned char &byte : bytes) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    byte = static_cast<unsigned char>(x >> 33);
  }
  return bytes;
}

// Copies a dimShuffled variable into a fresh one and compares with index arithmetic.
void checkShuffle(poplar::Type const &type, Shape const &shape,
                  std::vector<unsigned> const &permutation, bool toShuffled) {
  poplar::Device const device = poplar::Device::createCPUDevice();
  poplar::Graph graph(device.getTarget());
  std::size_t const size = graph.getTarget().getTypeSize(type);
  Tensor const in = graph.addVariable(type, shape, poplar::VariableMappingMethod::LINEAR);
  Tensor const view = in.dimShuffle(permutation);
  Tensor const out = graph.addVariable(type, view.shape(), poplar::VariableMappingMethod::LINEAR);
  graph.createHostWrite("in", toShuffled ? out : in);
  graph.createHostRead("out", toShuffled ? in : out);
  poplar::Engine engine(graph, toShuffled ? poplar::program::Copy(out, view)
                                          : poplar::program::Copy(view, out));
  engine.load(device);
  std::size_t const n = in.numElements();
  auto const bytes = pattern(n, size);
  engine.writeTensor("in", bytes.data(), bytes.data() + bytes.size());
  engine.run(0);
  std::vector<unsigned char> result(bytes.size());
  engine.readTensor("out", result.data(), result.data() + result.size());
  // The strides of the view's dimensions in the variable.
  Shape strides(shape.size(), 1), index(shape.size(), 0);
  for (std::size_t d = shape.size() - 1; d-- > 0;)
    strides[d] = strides[d + 1] * shape[d + 1];
  auto const order = view.shape();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i != n; ++i) {
    std::size_t at = 0;
    for (std::size_t d = 0; d != shape.size(); ++d)
      at += index[d] * strides[permutation[d]];
    std::size_t const from = toShuffled ? i : at, to = toShuffled ? at : i;
    wrong += std::memcmp(result.data() + to * size, bytes.data() + from * size, size) != 0;
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++index[d] != order[d])
        break;
      index[d] = 0;
    }
  }
  CAPTURE(type.toString().cloneAsString());
  CHECK(wrong == 0);
}

} // namespace

TEST_CASE("transposed matrices of all element sizes, whole blocks and parts of vectors") {
  for (poplar::Type const &type :
       {poplar::UNSIGNED_CHAR, poplar::HALF, poplar::FLOAT, poplar::UNSIGNED_LONGLONG})
    for (Shape const &shape : {Shape{1, 5},
                               {16, 16},
                               {17, 15},
                               {64, 64},
                               {67, 130},
                               {3, 500},
                               {500, 3},
                               {200, 1030},
                               {1030, 200}})
      for (bool toShuffled : {false, true})
        checkShuffle(type, shape, {1, 0}, toShuffled);
}

TEST_CASE("planes anywhere among more dimensions") {
  std::vector<std::vector<unsigned>> const permutations{
      {0, 2, 1}, {2, 1, 0}, {2, 0, 1}, {1, 2, 0}, {1, 0, 2}};
  for (auto const &permutation : permutations)
    for (Shape const &shape : {Shape{3, 20, 37}, {33, 4, 50}, {40, 36, 24}})
      for (bool toShuffled : {false, true}) {
        checkShuffle(poplar::FLOAT, shape, permutation, toShuffled);
        checkShuffle(poplar::HALF, shape, permutation, toShuffled);
      }
}

TEST_CASE("few channels joined and split") {
  for (poplar::Type const &type : {poplar::UNSIGNED_CHAR, poplar::HALF, poplar::FLOAT})
    for (std::size_t channels : {2U, 3U, 4U, 7U, 12U, 15U})
      for (std::size_t field : {20U, 64U, 333U})
        for (bool toShuffled : {false, true}) {
          checkShuffle(type, {5, channels, field}, {0, 2, 1}, toShuffled);
          checkShuffle(type, {channels, field, 5}, {1, 0, 2}, toShuffled);
        }
}

TEST_CASE("few channels whose groups lie apart") {
  for (poplar::Type const &type : {poplar::UNSIGNED_CHAR, poplar::HALF, poplar::FLOAT})
    for (std::size_t channels : {2U, 3U, 4U, 5U, 7U, 15U, 16U})
      for (std::size_t field : {15U, 33U, 64U, 65U, 130U, 300U})
        for (bool toShuffled : {false, true}) {
          checkShuffle(type, {channels, 7, field}, {2, 1, 0}, toShuffled);
          checkShuffle(type, {channels, 70, field}, {2, 1, 0}, toShuffled);
        }
  for (poplar::Type const &type : {poplar::UNSIGNED_CHAR, poplar::HALF, poplar::FLOAT})
    for (bool toShuffled : {false, true})
      for (std::vector<unsigned> const &permutation : {std::vector<unsigned>{3, 2, 1, 0},
                                                       {3, 1, 2, 0},
                                                       {1, 3, 2, 0},
                                                       {2, 3, 1, 0},
                                                       {3, 1, 0, 2}})
        checkShuffle(type, {3, 5, 9, 80}, permutation, toShuffled);
  for (bool toShuffled : {false, true}) {
    checkShuffle(poplar::FLOAT, {4, 64, 70}, {2, 1, 0}, toShuffled); // rows meet in few sets of L1
    checkShuffle(poplar::HALF, {2, 3, 30, 128}, {2, 3, 0, 1}, toShuffled); // pieces of 256 bytes
    checkShuffle(poplar::HALF, {4, 13001, 66}, {2, 1, 0}, toShuffled);     // past the caches
  }
}

TEST_CASE("planes that do not fit into caches") {
  for (bool toShuffled : {false, true}) {
    checkShuffle(poplar::HALF, {3, 1200000}, {1, 0}, toShuffled);
    checkShuffle(poplar::UNSIGNED_CHAR, {2, 3, 1100032}, {0, 2, 1}, toShuffled);
  }
  checkShuffle(poplar::FLOAT, {2000, 1604}, {1, 0}, false);
  checkShuffle(poplar::HALF, {2002, 3510}, {1, 0}, true);
}

TEST_CASE("reversed and strided views") {
  for (unsigned step : {1U, 2U}) {
    CAPTURE(step);
    std::size_t const rows = 80, columns = 100, taken = columns / step;
    poplar::Device const device = poplar::Device::createCPUDevice();
    poplar::Graph graph(device.getTarget());
    Tensor const in = graph.addVariable(poplar::INT, {rows, columns},
                                        poplar::VariableMappingMethod::LINEAR),
                 out = graph.addVariable(poplar::INT, {taken, rows},
                                         poplar::VariableMappingMethod::LINEAR);
    graph.createHostWrite("in", in);
    graph.createHostRead("out", out);
    poplar::Engine engine(graph,
                          poplar::program::Copy(in.reverse(0).subSample(step, 1).transpose(), out));
    engine.load(device);
    std::vector<int> values(rows * columns), result(taken * rows);
    std::iota(values.begin(), values.end(), 0);
    engine.writeTensor("in", gccs::ArrayRef<int>(values));
    engine.run(0);
    engine.readTensor("out", gccs::ArrayRef<int>(result));
    std::size_t wrong = 0;
    for (std::size_t c = 0; c != taken; ++c)
      for (std::size_t r = 0; r != rows; ++r)
        wrong += result[c * rows + r] != values[(rows - 1 - r) * columns + c * step];
    CHECK(wrong == 0);
  }
}

TEST_CASE("columns side by side, in pieces of every small size") {
  // Pieces of one or two widths come in turn; a width of 0 leaves the other alone.
  for (auto const &type : {poplar::UNSIGNED_CHAR, poplar::HALF, poplar::INT})
    for (std::size_t left = 1; left <= 18; ++left)
      for (std::size_t right : {std::size_t{0}, std::size_t{1}, std::size_t{3}, left}) {
        CAPTURE(type.toString());
        CAPTURE(left);
        CAPTURE(right);
        std::size_t const rows = 37, columns = left + right;
        poplar::Device const device = poplar::Device::createCPUDevice();
        poplar::Graph graph(device.getTarget());
        std::size_t const size = graph.getTarget().getTypeSize(type);
        Tensor const a = graph.addVariable(type, {rows, 20}),
                     b = graph.addVariable(type, {rows, 20}),
                     out = graph.addVariable(type, {rows, columns});
        for (Tensor const &t : {a, b, out})
          graph.setTileMapping(t, 0);
        graph.createHostWrite("a", a);
        graph.createHostWrite("b", b);
        graph.createHostRead("out", out);
        Tensor const parts = concat(a.slice(2, 2 + left, 1), b.slice(0, right, 1), 1);
        poplar::Engine engine(graph, poplar::program::Copy(parts, out));
        engine.load(device);
        auto const all = pattern(2 * rows * 20, size);
        auto const *const ofA = all.data(), *const ofB = all.data() + rows * 20 * size;
        engine.writeTensor("a", ofA, ofB);
        engine.writeTensor("b", ofB, all.data() + all.size());
        engine.run(0);
        std::vector<unsigned char> result(rows * columns * size);
        engine.readTensor("out", result.data(), result.data() + result.size());
        std::size_t wrong = 0;
        for (std::size_t r = 0; r != rows; ++r) {
          auto const *const row = result.data() + r * columns * size;
          wrong += std::memcmp(row, ofA + (r * 20 + 2) * size, left * size) != 0;
          wrong += std::memcmp(row + left * size, ofB + r * 20 * size, right * size) != 0;
        }
        CHECK(wrong == 0);
      }
}

TEST_SUITE_END();
