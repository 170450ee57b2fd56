// Convolutions from maps to maps on every instruction set of this machine: the chains of the
// definition, bit for bit, and nothing beyond the result.
#include <codelets/poplin/ConvMaps.hpp>
#include <test/codelets/poplin/Planes.hpp>

#include <cmath>

TEST_SUITE_BEGIN("codelets/poplin/conv-maps");

using namespace cottonwood;
using test::size;
using Half = cottonwood::half; // codelets also see the global name

namespace {

struct Maps {
  /// Inputs, outputs; taps; strides; first inputs; steps of taps.
  kernels::ConvPlanesShape shape;
  std::size_t images, channels, columns, block, groups = 1;
};
const Maps CASES[] = {{{9, 16, 9, 16, 3, 3, 1, 1, -1, -1, 1, 1}, 1, 3, 8, 8},
                      {{23, 66, 12, 33, 7, 7, 2, 2, -3, -3, 1, 1}, 2, 3, 13, 13},
                      {{1, 40, 1, 38, 1, 3, 1, 1, 0, 0, 1, 1}, 3, 1, 5, 5},
                      {{7, 100, 3, 34, 2, 5, 3, 3, -1, -2, 1, 1}, 1, 2, 12, 4},
                      {{13, 30, 9, 24, 3, 4, 1, 1, 0, 2, 2, -1}, 1, 4, 16, 8},
                      {{4, 3, 6, 21, 3, 3, 1, 1, -2, -10, 1, 1}, 1, 2, 9, 9},
                      {{8, 35, 8, 17, 3, 3, 1, 2, 1, 36, -1, -2}, 1, 2, 3, 1},
                      {{2, 20, 30, 5, 3, 3, 1, 1, -20, 2, 1, 1}, 2, 3, 9, 3},
                      {{150, 60, 150, 60, 3, 3, 1, 1, -1, -1, 1, 1}, 1, 16, 8, 8},
                      {{151, 61, 74, 30, 5, 5, 2, 2, -1, -1, 1, 1}, 2, 9, 8, 4},
                      {{9, 40, 9, 40, 3, 3, 1, 1, -1, -1, 1, 1}, 2, 20, 1, 1}, // few outputs
                      {{7, 67, 7, 67, 3, 3, 1, 1, -1, -1, 1, 1}, 1, 5, 2, 2},
                      {{40, 90, 40, 90, 2, 2, 1, 1, 0, -1, 1, 1}, 1, 33, 3, 3},
                      {{9, 38, 5, 19, 3, 3, 2, 2, -1, -1, 1, 1}, 2, 18, 3, 3},
                      {{5, 9, 5, 17, 1, 5, 1, 1, 0, -4, 1, 1}, 1, 17, 2, 2},
                      {{9, 20, 9, 20, 3, 3, 1, 1, -1, -1, 1, 1}, 2, 4, 4, 4, 3},
                      {{6, 33, 3, 17, 3, 3, 2, 2, -1, -1, 1, 1}, 3, 2, 9, 3, 2},
                      {{1, 50, 1, 48, 1, 3, 1, 1, 0, 0, 1, 1}, 1, 1, 2, 2, 5}};

/// Inputs [images, groups, channels, y, x] and weights [groups, blocks, y, x, channels, columns of
/// a block].
template <class In> struct Operands { std::vector<In> in, weights; };
template <class In> Operands<In> operandsOf(const Maps &m, unsigned seed) {
  std::mt19937 random(seed);
  return {test::planeNumbers<In>(m.images * m.groups * m.channels * size(m.shape.inputsY) *
                                     size(m.shape.inputsX),
                                 random),
          test::planeNumbers<In>(m.groups * m.columns * m.channels * m.shape.taps(), random)};
}

template <class In, class Out>
std::vector<Out> convolve(isa::Isa isa, const Maps &m, const Operands<In> &operands) {
  using Public = std::conditional_t<sizeof(In) == 2, poplar::half, float>;
  using PublicOut = std::conditional_t<sizeof(Out) == 2, poplar::half, float>;
  const auto &s = m.shape;
  const std::size_t outputs = size(s.outputsY) * size(s.outputsX),
                    maps = m.groups * m.images * m.columns;
  const Out edge = test::fromFloat<Out>(99.f);
  // Something else lies between any two maps.
  std::vector<Out> out(maps * (outputs + 1) + 1, edge);
  std::vector<Out *> to;
  for (std::size_t i = 0; i < maps; ++i)
    to.push_back(out.data() + 1 + i * (outputs + 1));
  std::vector<float> workspace(kernels::convMapsWorkspace(s, m.channels, m.columns) + 1, 77.f);
  const auto n = [](std::size_t x) { return static_cast<long long>(x); };
  const std::size_t plane = size(s.inputsY) * size(s.inputsX), pixel = m.channels * m.block;
  std::vector<long long> strides{n(m.channels * plane),
                                 n(m.groups * m.channels * plane),
                                 n(plane),
                                 n(size(s.inputsX)),
                                 n(m.columns * s.taps() * m.channels),
                                 n(s.taps() * pixel),
                                 1,
                                 n(m.block),
                                 n(size(s.tapsX) * pixel),
                                 n(pixel)};
  std::vector<int> shape(kernels::CONV_PLANES_INTS);
  std::memcpy(shape.data(), &s, sizeof s);
  auto vertex = test::zeroed<vertices::ConvMaps<isa::scalar, Public, PublicOut>>();
  test::connect(vertex.in, operands.in.data());
  test::connect(vertex.weights, operands.weights.data());
  test::connect(vertex.out, to.data(), maps);
  test::connect(vertex.workspace, workspace.data());
  test::connect(vertex.shape, shape.data(), shape.size());
  test::connect(vertex.strides, strides.data(), strides.size());
  const auto u = [](std::size_t x) { return static_cast<unsigned>(x); };
  vertex.groups = u(m.groups);
  vertex.images = u(m.images), vertex.columns = u(m.columns), vertex.weightsBlock = u(m.block);
  vertex.inChannels = u(m.channels);
  vertex.lines = static_cast<unsigned>(kernels::convMapsBand(s, m.channels));
  test::runOn<vertices::ConvMapsFamily>(isa, vertex);
  std::vector<Out> result;
  for (std::size_t i = 0; i < maps; ++i) {
    CHECK(test::toFloat(to[i][-1]) == 99.f);
    result.insert(result.end(), to[i], to[i] + outputs);
  }
  CHECK(test::toFloat(out.back()) == 99.f);
  CHECK(workspace.back() == 77.f);
  return result;
}

/// Each output is a chain of multiply-adds over its taps and their channels in ascending order,
/// without padding.
template <class In, class Out>
std::vector<Out> defined(const Maps &m, const Operands<In> &operands) {
  const auto &s = m.shape;
  std::vector<Out> out;
  const auto sumOf = [&](std::size_t group, std::size_t image, std::size_t n, int y, int x) {
    float sum = 0;
    for (int i = 0; i < s.tapsY; ++i)
      for (int j = 0; j < s.tapsX; ++j) {
        const int atY = y * s.strideY + s.firstY + i * s.tapStepY;
        const int atX = x * s.strideX + s.firstX + j * s.tapStepX;
        if (atY < 0 || atY >= s.inputsY || atX < 0 || atX >= s.inputsX)
          continue;
        const std::size_t tap = size(i) * size(s.tapsX) + size(j);
        for (std::size_t c = 0; c < m.channels; ++c) {
          const std::size_t in =
              (((image * m.groups + group) * m.channels + c) * size(s.inputsY) + size(atY)) *
                  size(s.inputsX) +
              size(atX);
          const std::size_t weight = group * m.columns * s.taps() * m.channels +
                                     ((n / m.block * s.taps() + tap) * m.channels + c) * m.block +
                                     n % m.block;
          sum = std::fma(test::toFloat(operands.in[in]), test::toFloat(operands.weights[weight]),
                         sum);
        }
      }
    return test::fromFloat<Out>(sum);
  };
  for (std::size_t group = 0; group < m.groups; ++group)
    for (std::size_t image = 0; image < m.images; ++image)
      for (std::size_t n = 0; n < m.columns; ++n)
        for (int y = 0; y < s.outputsY; ++y)
          for (int x = 0; x < s.outputsX; ++x)
            out.push_back(sumOf(group, image, n, y, x));
  return out;
}

constexpr auto CHECK_ALL = []<class In, class Out>(unsigned seed, float special) {
  for (const Maps &m : CASES) {
    CAPTURE(m.shape.inputsX);
    CAPTURE(m.shape.outputsX);
    auto operands = operandsOf<In>(m, seed);
    if (special != 0) // of the last channel of the first block, and the first tap
      operands.weights[m.block - 1] = test::fromFloat<In>(special);
    const auto expected = defined<In, Out>(m, operands);
    test::checkEverywhere(expected,
                          [&](isa::Isa isa) { return convolve<In, Out>(isa, m, operands); });
  }
};

} // namespace

TEST_CASE("maps of all strides, steps and paddings, in every type") { test::inAllTypes(CHECK_ALL); }

TEST_CASE("bands of maps: as many lines as L2 keeps") {
  int cut = 0;
  for (const Maps &m : CASES) {
    const int lines = kernels::convMapsBand(m.shape, m.channels);
    CHECK(lines > 0);
    CHECK(lines <= m.shape.outputsY);
    CHECK((kernels::convMapsInputs(m.shape, m.channels, lines) * sizeof(float) <=
               kernels::CONV_MAPS_BYTES ||
           lines == 1));
    cut += lines < m.shape.outputsY;
  }
  CHECK(cut >= 2); // the tests above see bands
}

TEST_CASE("infinite weights from maps do not meet padding") { test::withNonFinite(CHECK_ALL); }

TEST_SUITE_END();
