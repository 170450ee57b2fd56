// Convolutions plane by plane on every instruction set of this machine: the chains of the
// definition, bit for bit, and nothing beyond the result.
#include <codelets/poplin/ConvPlanes.hpp>
#include <test/codelets/poplin/Planes.hpp>

#include <cmath>

TEST_SUITE_BEGIN("codelets/poplin/conv-planes");

using namespace cottonwood;
using test::size;
using Half = cottonwood::half; // codelets also see the global name

namespace {

/// Inputs, outputs; taps; strides; first inputs; steps of taps.
const kernels::ConvPlanesShape SHAPES[] = {{9, 16, 9, 16, 3, 3, 1, 1, -1, -1, 1, 1},
                                           {5, 29, 5, 29, 3, 3, 1, 1, -1, -1, 1, 1},
                                           {1, 40, 1, 38, 1, 3, 1, 1, 0, 0, 1, 1},
                                           {11, 66, 6, 33, 3, 3, 2, 2, -1, -1, 1, 1},
                                           {12, 67, 6, 33, 3, 3, 2, 2, 0, 1, 1, 1},
                                           {7, 100, 3, 34, 2, 5, 3, 3, -1, -2, 1, 1},
                                           {13, 30, 9, 24, 3, 4, 1, 1, 0, 2, 2, -1},
                                           {4, 3, 6, 21, 3, 3, 1, 1, -2, -10, 1, 1},
                                           {8, 35, 8, 17, 3, 3, 1, 2, 1, 36, -1, -2},
                                           {2, 20, 30, 16, 3, 3, 1, 1, -20, 2, 1, 1},
                                           {17, 130, 17, 130, 3, 3, 1, 1, -1, -1, 1, 1},
                                           {6, 48, 5, 16, 5, 5, 1, 3, -2, -2, 1, 1},
                                           {14, 14, 14, 14, 3, 3, 1, 1, -1, -1, 1, 1},
                                           {3, 8, 7, 8, 3, 3, 1, 1, -3, -1, 1, 1},
                                           {9, 5, 4, 9, 5, 5, 2, 1, -2, -4, 1, 1},
                                           {6, 15, 6, 11, 3, 3, 1, 1, -1, 3, 1, -1},
                                           // Single vectors, of one plane or two.
                                           {7, 7, 7, 7, 3, 3, 1, 1, -1, -1, 1, 1},
                                           {14, 14, 7, 7, 3, 3, 2, 2, -1, -1, 1, 1},
                                           {15, 16, 7, 7, 3, 3, 2, 2, 0, 1, 1, 1},
                                           {9, 16, 8, 6, 3, 3, 1, 2, -1, 1, 1, 2},
                                           {5, 3, 15, 8, 3, 3, 1, 1, -6, 1, 1, -1},
                                           {13, 11, 6, 4, 3, 3, 2, 3, -1, -1, 1, 1},
                                           {1, 1, 1, 1, 3, 3, 1, 1, 0, 0, 1, 1},
                                           {20, 8, 16, 8, 3, 3, 1, 1, 3, -1, 1, 1},
                                           {12, 14, 12, 7, 3, 3, 1, 2, -1, -1, 2, 1},
                                           {4, 34, 2, 17, 3, 3, 2, 2, -1, -1, 1, 1},
                                           {6, 20, 3, 9, 3, 3, 2, 2, 0, 1, 1, 1},
                                           // Two inputs apart, whole vectors of outputs.
                                           {20, 36, 10, 18, 3, 3, 2, 2, -1, -1, 1, 1},
                                           {21, 40, 10, 19, 3, 3, 2, 2, 0, 0, 1, 1},
                                           {8, 64, 4, 32, 3, 3, 2, 2, 0, 0, 1, 1},
                                           {7, 33, 3, 16, 3, 3, 2, 2, -1, -1, 1, 1},
                                           {9, 30, 20, 33, 3, 3, 2, 2, -5, 0, 1, 1},
                                           {9, 30, 4, 40, 3, 3, 2, 2, 1, -1, 1, 1},
                                           {5, 3, 7, 16, 3, 3, 2, 2, -3, 0, 1, 1}};

/// Groups follow each other again from the second plane on.
constexpr std::size_t PLANES = 5, GROUPS = 3, FIRST = 2;

template <class In> struct Operands { std::vector<In> in, weights; };
template <class In> Operands<In> operandsOf(const kernels::ConvPlanesShape &s, unsigned seed) {
  std::mt19937 random(seed);
  return {test::planeNumbers<In>(PLANES * size(s.inputsY) * size(s.inputsX), random),
          test::planeNumbers<In>(GROUPS * s.taps(), random)};
}

template <class In, class Out>
std::vector<Out> convolve(isa::Isa isa, const kernels::ConvPlanesShape &s,
                          const Operands<In> &operands) {
  using Public = std::conditional_t<sizeof(In) == 2, poplar::half, float>;
  using PublicOut = std::conditional_t<sizeof(Out) == 2, poplar::half, float>;
  const std::size_t outputs = size(s.outputsY) * size(s.outputsX);
  const Out edge = test::fromFloat<Out>(99.f);
  std::vector<Out> out(PLANES * outputs + 2, edge);
  std::vector<float> workspace(kernels::convPlanesWorkspace(s) + 1, 77.f);
  const auto n = [](std::size_t x) { return static_cast<long long>(x); };
  std::vector<long long> strides{n(size(s.inputsY) * size(s.inputsX)), n(size(s.inputsX)), 1,
                                 n(GROUPS * size(s.tapsX)), n(GROUPS)};
  std::vector<int> shape(kernels::CONV_PLANES_INTS);
  std::memcpy(shape.data(), &s, sizeof s);
  auto vertex = test::zeroed<vertices::ConvPlanes<isa::scalar, Public, PublicOut>>();
  test::connect(vertex.in, operands.in.data());
  test::connect(vertex.weights, operands.weights.data());
  test::connect(vertex.out, out.data() + 1);
  test::connect(vertex.workspace, workspace.data());
  test::connect(vertex.shape, shape.data(), shape.size());
  test::connect(vertex.strides, strides.data(), strides.size());
  vertex.planes = PLANES, vertex.first = FIRST, vertex.groups = GROUPS;
  test::runOn<vertices::ConvPlanesFamily>(isa, vertex);
  CHECK(test::toFloat(out.front()) == 99.f);
  CHECK(test::toFloat(out.back()) == 99.f);
  CHECK(workspace.back() == 77.f);
  return {out.begin() + 1, out.end() - 1};
}

/// Each output is a chain of multiply-adds over its taps in ascending order, without padding.
template <class In, class Out>
std::vector<Out> defined(const kernels::ConvPlanesShape &s, const Operands<In> &operands) {
  std::vector<Out> out;
  for (std::size_t p = 0; p < PLANES; ++p)
    for (int y = 0; y < s.outputsY; ++y)
      for (int x = 0; x < s.outputsX; ++x) {
        float sum = 0;
        for (int i = 0; i < s.tapsY; ++i)
          for (int j = 0; j < s.tapsX; ++j) {
            const int atY = y * s.strideY + s.firstY + i * s.tapStepY;
            const int atX = x * s.strideX + s.firstX + j * s.tapStepX;
            if (atY < 0 || atY >= s.inputsY || atX < 0 || atX >= s.inputsX)
              continue;
            const std::size_t in = (p * size(s.inputsY) + size(atY)) * size(s.inputsX) + size(atX);
            const std::size_t weight =
                (size(i) * size(s.tapsX) + size(j)) * GROUPS + (FIRST + p) % GROUPS;
            sum = std::fma(test::toFloat(operands.in[in]), test::toFloat(operands.weights[weight]),
                           sum);
          }
        out.push_back(test::fromFloat<Out>(sum));
      }
  return out;
}

constexpr auto CHECK_ALL = []<class In, class Out>(unsigned seed, float special) {
  for (const kernels::ConvPlanesShape &s : SHAPES) {
    CAPTURE(s.inputsX);
    CAPTURE(s.outputsX);
    auto operands = operandsOf<In>(s, seed);
    if (special != 0) // in group 1, the first tap
      operands.weights[1] = test::fromFloat<In>(special);
    const auto expected = defined<In, Out>(s, operands);
    test::checkEverywhere(expected,
                          [&](isa::Isa isa) { return convolve<In, Out>(isa, s, operands); });
  }
};

} // namespace

TEST_CASE("planes of all strides, steps and paddings, in every type") {
  test::inAllTypes(CHECK_ALL);
}

TEST_CASE("infinite weights do not meet padding") { test::withNonFinite(CHECK_ALL); }

TEST_SUITE_END();
