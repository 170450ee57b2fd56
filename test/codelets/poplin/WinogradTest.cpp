// Winograd's minimal filtering on every instruction set of this machine: exact on small integers,
// and the same bits everywhere.
#include <codelets/poplin/Winograd.hpp>
#include <test/codelets/Isas.hpp>

#include <string>

TEST_SUITE_BEGIN("codelets/poplin/winograd");

using namespace cottonwood;
using isa::scalar;
using Half = cottonwood::half; // codelets also see the global name

namespace {

struct Problem {
  std::size_t batch, inputsY, inputsX, channels, columns;
  int padding;
  std::size_t outputsY() const { return inputsY + 2 * static_cast<std::size_t>(padding) - 2; }
  std::size_t outputsX() const { return inputsX + 2 * static_cast<std::size_t>(padding) - 2; }
};

const Problem PROBLEMS[] = {{1, 3, 3, 1, 1, 0},   {1, 4, 4, 1, 1, 1},    {2, 5, 9, 15, 17, 1},
                            {1, 9, 6, 16, 32, 1}, {1, 8, 11, 17, 33, 0}, {3, 7, 7, 50, 65, 1},
                            {1, 1, 2, 3, 5, 2},   {1, 6, 13, 33, 98, 2}};

template <class T> std::vector<T> integers(std::size_t n, int unit, std::mt19937 &random) {
  std::vector<T> values(n);
  for (T &value : values)
    value = test::fromFloat<T>(static_cast<float>(unit * (static_cast<int>(random() % 7) - 3)));
  return values;
}

/// The convolution through both vertices, with room to the left and right of the result.
/// \param blocks  of outputs at a time
template <class Plain>
std::vector<float> convolve(isa::Isa isa, unsigned m, const Problem &p,
                            const std::vector<float> &in, const std::vector<Plain> &weights,
                            std::size_t blocks) {
  std::vector<float> transformed(kernels::winogradStrips(p.columns) *
                                 kernels::winogradWeights(m, p.channels));
  auto weightsVertex = test::zeroed<vertices::WinogradWeights<
      scalar, std::conditional_t<sizeof(Plain) == 2, poplar::half, float>>>();
  const auto n = [](std::size_t x) { return static_cast<long long>(x); };
  const auto u = [](std::size_t x) { return static_cast<unsigned>(x); };
  // [y][x][channel][column]
  std::vector<long long> tapStrides{
      3 * n(p.channels * p.columns), n(p.channels * p.columns), n(p.columns), 0, 1, 0};
  test::connect(weightsVertex.in, weights.data());
  test::connect(weightsVertex.out, transformed.data());
  test::connect(weightsVertex.strides, tapStrides.data(), tapStrides.size());
  weightsVertex.m = m, weightsVertex.channels = weightsVertex.channelBlock = u(p.channels);
  weightsVertex.columns = weightsVertex.columnBlock = u(p.columns);
  test::runOn<vertices::WinogradFamily>(isa, weightsVertex);

  std::vector<float> out(p.batch * p.outputsY() * p.outputsX() * p.columns + 2, 99.f);
  std::vector<float> workspace(kernels::winogradWorkspace(m, p.channels, blocks));
  std::vector<float *> regions{out.data() + 1};
  std::vector<long long> strides{0, n(p.inputsY * p.inputsX * p.channels),
                                 n(p.inputsX * p.channels), n(p.channels)};
  auto vertex = test::zeroed<vertices::Winograd<scalar, float>>();
  test::connect(vertex.in, in.data());
  test::connect(vertex.weights, transformed.data());
  test::connect(vertex.out, regions.data(), regions.size());
  test::connect(vertex.workspace, workspace.data());
  test::connect(vertex.strides, strides.data(), strides.size());
  vertex.m = m, vertex.batch = u(p.batch), vertex.groups = 1;
  vertex.firstY = vertex.firstX = -p.padding;
  vertex.inputsY = u(p.inputsY), vertex.inputsX = u(p.inputsX);
  vertex.outputsY = u(p.outputsY()), vertex.outputsX = u(p.outputsX());
  vertex.channels = u(p.channels), vertex.columns = u(p.columns), vertex.blocks = u(blocks);
  test::runOn<vertices::WinogradFamily>(isa, vertex);
  CHECK(out.front() == 99.f);
  CHECK(out.back() == 99.f);
  return {out.begin() + 1, out.end() - 1};
}

/// The definition, in integers.
template <class T>
std::vector<float> defined(const Problem &p, const std::vector<float> &in,
                           const std::vector<T> &weights) {
  std::vector<float> out;
  const long height = static_cast<long>(p.inputsY), width = static_cast<long>(p.inputsX);
  for (std::size_t b = 0; b < p.batch; ++b)
    for (std::size_t y = 0; y < p.outputsY(); ++y)
      for (std::size_t x = 0; x < p.outputsX(); ++x)
        for (std::size_t j = 0; j < p.columns; ++j) {
          double sum = 0;
          for (long tap = 0; tap < 9; ++tap) {
            const long iy = static_cast<long>(y) + tap / 3 - p.padding;
            const long ix = static_cast<long>(x) + tap % 3 - p.padding;
            if (iy < 0 || iy >= height || ix < 0 || ix >= width)
              continue;
            for (std::size_t i = 0; i < p.channels; ++i) {
              const auto at =
                  (static_cast<std::size_t>(iy * width + ix) + b * p.inputsY * p.inputsX) *
                      p.channels +
                  i;
              sum +=
                  static_cast<double>(in[at]) *
                  static_cast<double>(test::toFloat(
                      weights[(static_cast<std::size_t>(tap) * p.channels + i) * p.columns + j]));
            }
          }
          out.push_back(static_cast<float>(sum));
        }
  return out;
}

} // namespace

TEST_CASE("sums of small integers are exact: blocks of all sizes, padding, tails of channels") {
  std::mt19937 random(7);
  for (const Problem &p : PROBLEMS)
    for (unsigned m : {2U, 4U}) {
      CAPTURE(m);
      CAPTURE(p.channels);
      CAPTURE(p.columns);
      const auto in = integers<float>(p.batch * p.inputsY * p.inputsX * p.channels, 1, random);
      // Multiples of 4 make the transformed weights of m = 2 integers. Those of m = 4 have sixths,
      // which floats do not hold: errors are those of the sums of a block, times what its
      // transforms add.
      const auto weights = integers<float>(9 * p.channels * p.columns, 4, random);
      const float bound =
          m == 2 ? 0.f : 0x1p-24f * static_cast<float>(9 * p.channels) * (3 * 12) * 16;
      const auto expected = defined(p, in, weights);
      for (isa::Isa isa : test::vectorIsas())
        for (std::size_t blocks : {1U, 12U, 25U}) {
          CAPTURE(std::string(isa::name(isa)));
          const auto got = convolve(isa, m, p, in, weights, blocks);
          REQUIRE(got.size() == expected.size());
          for (std::size_t i = 0; i < got.size(); ++i)
            REQUIRE(std::fabs(got[i] - expected[i]) <= bound);
        }
    }
}

TEST_CASE(
    "all instruction sets and numbers of blocks at a time give the same bits, for half, too") {
  std::mt19937 random(11);
  std::uniform_real_distribution<float> numbers(-3, 3);
  for (const Problem &p : PROBLEMS)
    for (unsigned m : {2U, 4U}) {
      CAPTURE(m);
      CAPTURE(p.channels);
      std::vector<float> in(p.batch * p.inputsY * p.inputsX * p.channels),
          weights(9 * p.channels * p.columns);
      std::vector<Half> halves;
      for (float &x : in)
        x = numbers(random);
      for (float &x : weights) {
        x = test::toFloat(test::fromFloat<Half>(numbers(random)));
        halves.push_back(test::fromFloat<Half>(x));
      }
      const auto reference = convolve(isa::Isa::Scalar, m, p, in, weights, 12);
      for (isa::Isa isa : test::vectorIsas())
        for (std::size_t blocks : {1U, 5U, 36U}) {
          CAPTURE(std::string(isa::name(isa)));
          CHECK(convolve(isa, m, p, in, weights, blocks) == reference);
          CHECK(convolve(isa, m, p, in, halves, blocks) == reference);
        }
    }
}

TEST_SUITE_END();
