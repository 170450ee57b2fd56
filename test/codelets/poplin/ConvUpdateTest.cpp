// Gradients of the weights of groups on every instruction set of this machine: the chains of the
// definition, bit for bit, and nothing beyond the result.
#include <codelets/poplin/ConvUpdate.hpp>
#include <test/codelets/poplin/Planes.hpp>

#include <cmath>

TEST_SUITE_BEGIN("codelets/poplin/conv-update");

using namespace cottonwood;
using test::size;
using Half = cottonwood::half; // codelets also see the global name

namespace {

struct Groups {
  /// Inputs, weights, deltas; dilation of weights; first inputs; stride of the layer.
  kernels::ConvPlanesShape shape;
  std::size_t images, groups, in, out;
};
const Groups CASES[] = {
    {{9, 12, 3, 3, 9, 12, 1, 1, -1, -1, 1, 1}, 2, 9, 4, 4}, // the last vector is not whole
    {{9, 12, 3, 3, 9, 12, 1, 1, -1, -1, 1, 1}, 1, 5, 8, 8},
    {{7, 9, 5, 5, 7, 9, 1, 1, -2, -2, 1, 1}, 2, 20, 1, 1},
    {{7, 9, 3, 3, 7, 9, 1, 1, -1, -1, 1, 1}, 3, 17, 1, 2},
    {{6, 8, 3, 3, 6, 8, 1, 1, -1, -1, 1, 1}, 2, 7, 2, 2},
    {{8, 9, 4, 7, 5, 3, 1, 1, 0, 0, 1, 1}, 1, 6, 3, 5},
    {{1, 40, 1, 3, 1, 38, 1, 1, 0, 0, 1, 1}, 2, 3, 5, 3},   // one dimension
    {{11, 13, 3, 3, 6, 7, 1, 1, -1, -1, 2, 2}, 2, 6, 4, 4}, // strides
    {{14, 20, 5, 7, 5, 6, 1, 1, -2, -3, 3, 3}, 1, 4, 6, 4},
    {{12, 10, 3, 3, 12, 10, 2, 3, -2, -3, 1, 1}, 1, 3, 7, 6}, // dilation
    {{9, 9, 4, 4, 9, 9, 2, 1, -3, -1, 2, 2}, 2, 2, 3, 2},
    {{5, 6, 2, 16, 9, 30, 1, 1, -3, -14, 1, 1}, 1, 3, 2, 6}, // taps that meet few deltas, or none
    {{6, 7, 9, 12, 5, 4, 1, 1, -8, -9, 1, 1}, 2, 4, 4, 2},
    {{40, 90, 3, 3, 40, 90, 1, 1, -1, -1, 1, 1}, 1, 34, 4, 4}, // several parts of each
    {{6, 8, 3, 3, 6, 8, 1, 1, -1, -1, 1, 1}, 2, 2, 16, 16},
    {{6, 8, 3, 3, 6, 8, 1, 1, -1, -1, 1, 1}, 1, 3, 20, 18},
    {{6, 8, 3, 3, 6, 8, 1, 1, -1, -1, 1, 1}, 1, 1, 2, 3},    // less than a vector of all
    {{9, 11, 3, 3, 9, 11, 1, 1, -1, -1, 1, 1}, 2, 53, 1, 1}, // depthwise
    {{9, 11, 7, 7, 9, 11, 1, 1, -3, -3, 1, 1}, 1, 32, 1, 1},
    {{11, 13, 3, 3, 6, 7, 1, 1, -1, -1, 2, 2}, 2, 35, 1, 1},
    {{14, 20, 5, 7, 5, 6, 1, 1, -2, -3, 3, 3}, 1, 18, 1, 1},
    {{12, 10, 3, 3, 12, 10, 2, 3, -2, -3, 1, 1}, 1, 48, 1, 1},
    {{9, 9, 4, 4, 9, 9, 2, 1, -3, -1, 2, 2}, 2, 40, 1, 1},
    {{5, 6, 2, 16, 9, 30, 1, 1, -3, -14, 1, 1}, 1, 33, 1, 1},
    {{6, 7, 9, 12, 5, 4, 1, 1, -8, -9, 1, 1}, 2, 16, 1, 1},
    {{40, 90, 3, 3, 40, 90, 1, 1, -1, -1, 1, 1}, 1, 34, 1, 1}};

/// Inputs and deltas [images, y, x, groups, channels].
template <class In> struct Operands { std::vector<In> in, deltas; };
template <class In> Operands<In> operandsOf(const Groups &g, unsigned seed) {
  std::mt19937 random(seed);
  return {test::planeNumbers<In>(
              g.images * size(g.shape.inputsY) * size(g.shape.inputsX) * g.groups * g.in, random),
          test::planeNumbers<In>(g.images * g.shape.taps() * g.groups * g.out, random)};
}

/// How inputs and deltas lie in memory: as above, or as planes [images, groups, channels, y, x].
struct Layout {
  bool inMaps, deltasMaps;
};

/// [images, pixels, channels] as [images, channels, pixels].
template <class T>
std::vector<T> asMaps(const std::vector<T> &values, std::size_t pixels, std::size_t channels) {
  std::vector<T> maps(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t image = i / (pixels * channels), pixel = i / channels % pixels;
    maps[(image * channels + i % channels) * pixels + pixel] = values[i];
  }
  return maps;
}

template <class In, class Out>
std::vector<Out> update(isa::Isa isa, const Groups &g, const Operands<In> &operands,
                        Layout layout) {
  using Public = std::conditional_t<sizeof(In) == 2, poplar::half, float>;
  using PublicOut = std::conditional_t<sizeof(Out) == 2, poplar::half, float>;
  const auto &s = g.shape;
  const std::size_t lines = g.in * s.outputs(), channels = g.groups * g.out;
  const Out edge = test::fromFloat<Out>(99.f);
  // Something else lies between any two places of the weights.
  std::vector<Out> out(lines * (channels + 1) + 1, edge);
  std::vector<Out *> to;
  for (std::size_t i = 0; i < lines; ++i)
    to.push_back(out.data() + 1 + i * (channels + 1));
  std::vector<float> workspace(kernels::convUpdateWorkspace(s, g.groups, g.in, g.out) + 1, 77.f);
  const auto n = [](std::size_t x) { return static_cast<long long>(x); };
  const std::size_t pixels = size(s.inputsY) * size(s.inputsX);
  std::vector<In> in = operands.in, deltas = operands.deltas;
  std::vector<long long> strides;
  const auto lay = [&](std::vector<In> &values, bool maps, std::size_t all, int width,
                       std::size_t each) {
    if (maps)
      values = asMaps(values, all, each);
    const std::size_t column = maps ? 1 : each;
    strides.insert(strides.end(),
                   {n(all * each), n(size(width) * column), n(column), maps ? n(all) : 1});
  };
  lay(in, layout.inMaps, pixels, s.inputsX, g.groups * g.in);
  lay(deltas, layout.deltasMaps, s.taps(), s.tapsX, channels);
  std::vector<int> shape(kernels::CONV_PLANES_INTS);
  std::memcpy(shape.data(), &s, sizeof s);
  auto vertex = test::zeroed<vertices::ConvUpdate<isa::scalar, Public, PublicOut>>();
  test::connect(vertex.in, in.data());
  test::connect(vertex.weights, deltas.data());
  test::connect(vertex.out, to.data(), lines);
  test::connect(vertex.workspace, workspace.data());
  test::connect(vertex.shape, shape.data(), shape.size());
  test::connect(vertex.strides, strides.data(), strides.size());
  const auto u = [](std::size_t x) { return static_cast<unsigned>(x); };
  vertex.groups = u(g.groups), vertex.channels = u(g.in), vertex.columns = u(g.out);
  vertex.inChannels = u(g.images);
  test::runOn<vertices::ConvUpdateFamily>(isa, vertex);
  std::vector<Out> result;
  for (std::size_t i = 0; i < lines; ++i) {
    CHECK(test::toFloat(to[i][-1]) == 99.f);
    result.insert(result.end(), to[i], to[i] + channels);
  }
  CHECK(test::toFloat(out.back()) == 99.f);
  CHECK(workspace.back() == 77.f);
  return result;
}

/// Each sum is a chain of multiply-adds over images, lines and columns of deltas in ascending
/// order, without padding.
template <class In, class Out>
std::vector<Out> defined(const Groups &g, const Operands<In> &operands) {
  const auto &s = g.shape;
  std::vector<Out> out;
  const auto sumOf = [&](std::size_t group, std::size_t c, std::size_t o, int i, int j) {
    float sum = 0;
    for (std::size_t image = 0; image < g.images; ++image)
      for (int y = 0; y < s.tapsY; ++y)
        for (int x = 0; x < s.tapsX; ++x) {
          const int atY = i * s.strideY + s.firstY + y * s.tapStepY;
          const int atX = j * s.strideX + s.firstX + x * s.tapStepX;
          if (atY < 0 || atY >= s.inputsY || atX < 0 || atX >= s.inputsX)
            continue;
          const std::size_t in =
              (((image * size(s.inputsY) + size(atY)) * size(s.inputsX) + size(atX)) * g.groups +
               group) *
                  g.in +
              c;
          const std::size_t delta =
              (((image * size(s.tapsY) + size(y)) * size(s.tapsX) + size(x)) * g.groups + group) *
                  g.out +
              o;
          sum =
              std::fma(test::toFloat(operands.in[in]), test::toFloat(operands.deltas[delta]), sum);
        }
    return test::fromFloat<Out>(sum);
  };
  for (std::size_t c = 0; c < g.in; ++c)
    for (int i = 0; i < s.outputsY; ++i)
      for (int j = 0; j < s.outputsX; ++j)
        for (std::size_t group = 0; group < g.groups; ++group)
          for (std::size_t o = 0; o < g.out; ++o)
            out.push_back(sumOf(group, c, o, i, j));
  return out;
}

constexpr auto CHECK_ALL = []<class In, class Out>(unsigned seed, float special) {
  for (const Groups &g : CASES) {
    CAPTURE(g.shape.inputsX);
    CAPTURE(g.shape.outputsX);
    CAPTURE(g.in);
    CAPTURE(g.out);
    auto operands = operandsOf<In>(g, seed);
    if (special != 0) // the delta of the last channel in a corner
      operands.deltas[g.groups * g.out - 1] = test::fromFloat<In>(special);
    const auto expected = defined<In, Out>(g, operands);
    for (const Layout layout : {Layout{false, false}, {true, true}, {true, false}, {false, true}}) {
      if (special != 0 && layout.inMaps != layout.deltasMaps)
        continue;
      CAPTURE(layout.inMaps);
      CAPTURE(layout.deltasMaps);
      test::checkEverywhere(
          expected, [&](isa::Isa isa) { return update<In, Out>(isa, g, operands, layout); });
    }
  }
};

} // namespace

TEST_CASE("weights of groups of all channels, strides, dilations and paddings, in every type") {
  test::inAllTypes(CHECK_ALL);
}

TEST_CASE("lines of deltas that are copied at a time are equal, and fit") {
  int cut = 0;
  for (const Groups &g : CASES)
    for (std::size_t width : {1, 8, 16}) {
      const std::size_t lines = kernels::convUpdateLines(g.shape, width);
      CHECK(lines > 0);
      CHECK(lines <= size(g.shape.tapsY));
      CHECK((kernels::convUpdateCopy(g.shape, lines, width) * sizeof(float) <=
                 kernels::CONV_UPDATE_BYTES ||
             lines == 1));
      cut += lines < size(g.shape.tapsY);
    }
  CHECK(cut >= 2); // the tests above see parts
}

TEST_CASE("infinite deltas do not meet padding") { test::withNonFinite(CHECK_ALL); }

TEST_SUITE_END();
