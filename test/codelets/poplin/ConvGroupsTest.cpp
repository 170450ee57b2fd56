// Convolutions of groups of few channels on every instruction set of this machine: the chains of
// the definition, bit for bit, and nothing beyond the result.
#include <codelets/poplin/ConvGroups.hpp>
#include <test/codelets/poplin/Planes.hpp>

#include <cmath>

TEST_SUITE_BEGIN("codelets/poplin/conv-groups");

using namespace cottonwood;
using test::size;
using Half = cottonwood::half; // codelets also see the global name

namespace {

struct Groups {
  /// Inputs, outputs; taps; strides; first inputs; steps of taps.
  kernels::ConvPlanesShape shape;
  std::size_t images, groups, in, out; ///< channels of a group
  /// Of a dilated input; none: one of all taps. The output has so many lines and columns.
  std::vector<kernels::ConvPhase> phasesY = {}, phasesX = {};
  int lines = 0, width = 0;
};
const Groups CASES[] = {
    {{9, 16, 9, 16, 3, 3, 1, 1, -1, -1, 1, 1}, 1, 8, 4, 4},
    {{7, 7, 7, 7, 3, 3, 1, 1, -1, -1, 1, 1}, 3, 17, 2, 2},
    {{12, 33, 6, 17, 3, 3, 2, 2, -1, -1, 1, 1}, 2, 5, 8, 8},
    {{1, 40, 1, 38, 1, 3, 1, 1, 0, 0, 1, 1}, 2, 9, 1, 2},
    {{7, 100, 3, 34, 2, 5, 3, 3, -1, -2, 1, 1}, 1, 3, 5, 3},
    {{13, 30, 9, 24, 3, 4, 1, 1, 0, 2, 2, -1}, 1, 6, 3, 5},
    {{4, 3, 6, 21, 3, 3, 1, 1, -2, -10, 1, 1}, 2, 4, 16, 4},
    {{8, 35, 8, 17, 3, 3, 1, 2, 1, 36, -1, -2}, 1, 2, 1, 7},
    {{2, 20, 30, 5, 3, 3, 1, 1, -20, 2, 1, 1}, 2, 3, 20, 1},
    {{9, 9, 3, 3, 1, 1, 4, 3, 1, 0, 1, 1}, 2, 12, 4, 6},
    {{6, 5, 2, 1, 1, 2, 3, 4, 0, 0, 1, 2}, 1, 40, 6, 8},
    // 3 x 3 with a stride of 2, backwards: 11 x 33 outputs of 6 x 17 inputs
    {{6, 17, 6, 17, 2, 2, 1, 1, 0, 0, 1, 1},
     2,
     9,
     4,
     4,
     {{0, 1, 1}, {0, 2, 0}},
     {{0, 1, 1}, {0, 2, 0}},
     11,
     33},
    // vectors of one group, of 8 or 16 lanes
    {{14, 14, 14, 14, 3, 3, 1, 1, -1, -1, 1, 1}, 2, 3, 16, 16},
    {{6, 31, 6, 29, 2, 5, 1, 1, 0, -1, 1, 1}, 1, 2, 21, 12},
    {{9, 35, 5, 18, 3, 3, 2, 2, -1, -1, 1, 1}, 2, 2, 18, 9},
    {{7, 17, 7, 17, 2, 2, 1, 1, 0, 0, 1, 1},
     2,
     3,
     16,
     14,
     {{0, 1, 1}, {0, 2, 0}},
     {{0, 1, 1}, {0, 2, 0}},
     14,
     33},
    // lines of such vectors: single strips and several, lines and strips that end early, padding
    // of all sizes, and outputs that meet none of the input's lines
    {{9, 14, 9, 14, 3, 3, 1, 1, -1, -1, 1, 1}, 3, 2, 16, 16},
    {{17, 70, 17, 70, 3, 3, 1, 1, -1, -1, 1, 1}, 1, 2, 9, 13},
    {{6, 11, 12, 8, 4, 5, 1, 1, -4, -1, 1, 1}, 1, 3, 16, 16},
    {{9, 5, 5, 6, 3, 2, 1, 1, 2, -1, -2, 1}, 2, 2, 15, 9},
    {{5, 4, 5, 4, 5, 4, 1, 1, -2, -2, 3, 1}, 1, 2, 3, 16},
    {{1, 4, 4, 4, 1, 4, 1, 1, -2, -3, 1, 1}, 1, 2, 16, 16},
    // lines of vectors that groups share
    {{9, 20, 9, 20, 3, 3, 1, 1, -1, -1, 1, 1}, 2, 7, 3, 5},
    {{12, 13, 12, 13, 5, 5, 1, 1, -2, -2, 1, 1}, 1, 5, 4, 4},
    {{9, 9, 8, 8, 2, 2, 1, 1, 0, 0, 1, 1}, 2, 9, 2, 3},
    {{8, 9, 9, 8, 4, 4, 1, 1, -2, -2, 2, 1}, 1, 11, 2, 2},
    {{15, 70, 15, 70, 3, 3, 1, 1, -1, -1, 1, 1}, 1, 2, 8, 8},
    // lines of outputs that are two inputs apart
    {{14, 15, 7, 8, 3, 3, 2, 2, -1, -1, 1, 1}, 2, 2, 16, 16},
    {{15, 130, 7, 64, 3, 3, 2, 2, 0, 0, 1, 1}, 1, 2, 12, 11},
    {{9, 140, 6, 70, 3, 3, 2, 2, -2, -2, 2, 1}, 1, 3, 4, 4},
    {{19, 8, 18, 4, 2, 3, 2, 2, -16, -1, 1, 1}, 1, 2, 8, 8},
    // lines of two phases of 3 taps, either first: strips, padding, inputs behind those that are
    // met, lines of one phase, phases without taps, and outputs that meet no line
    {{9, 40, 9, 40, 2, 2, 1, 1, 0, 0, 1, 1},
     1,
     3,
     8,
     8,
     {{0, 2, 0}, {1, 1, 1}},
     {{0, 2, 0}, {1, 1, 1}},
     18,
     79},
    {{9, 9, 10, 10, 2, 2, 1, 1, -1, -1, 1, 1},
     2,
     5,
     3,
     5,
     {{0, 2, 0}, {1, 1, 1}},
     {{0, 2, 0}, {1, 1, 1}},
     19,
     19},
    {{9, 70, 8, 40, 2, 2, 1, 1, 1, 3, 1, 1},
     1,
     2,
     16,
     16,
     {{0, 1, 1}, {0, 2, 0}},
     {{0, 1, 1}, {0, 2, 0}},
     15,
     80},
    {{8, 9, 8, 9, 3, 2, 1, 1, -1, 0, 1, 1}, 1, 3, 11, 13, {}, {{0, 1, 1}, {0, 2, 0}}, 8, 18},
    {{5, 20, 5, 20, 2, 2, 1, 1, -1, 0, 1, 1},
     1,
     9,
     2,
     2,
     {{1, 1, 0}, {0, 0, 2}, {0, 1, 1}},
     {{0, 1, 1}, {0, 2, 0}},
     14,
     39},
    {{5, 8, 12, 8, 2, 2, 1, 1, -4, 0, 1, 1},
     2,
     2,
     8,
     8,
     {{0, 1, 1}, {0, 2, 0}},
     {{0, 1, 1}, {0, 2, 0}},
     24,
     16},
    {{5, 9, 5, 9, 3, 3, 1, 1, -1, -1, 1, 1}, 1, 5, 4, 4, {{0, 3, 0}, {1, 2, 1}}, {}, 10, 9},
    // phases without taps, and strides in the other dimension
    {{9, 7, 3, 15, 2, 2, 2, 1, -1, -1, 2, 1},
     1,
     5,
     3,
     5,
     {},
     {{1, 1, 0}, {0, 0, 4}, {0, 1, 1}},
     3,
     44},
    {{5, 14, 5, 1, 3, 5, 1, 1, -1, 4, 1, -2}, 2, 20, 2, 2, {{0, 3, 0}, {1, 2, 1}}, {}, 10, 1}};

/// The phases of a dimension: those of y, or of x.
std::vector<kernels::ConvPhase> phasesOf(const std::vector<kernels::ConvPhase> &phases, int taps) {
  return phases.empty() ? std::vector<kernels::ConvPhase>{{0, taps, 0}} : phases;
}
struct Field {
  std::vector<kernels::ConvPhase> y, x;
  int lines, width;
  explicit Field(const Groups &g)
      : y(phasesOf(g.phasesY, g.shape.tapsY)), x(phasesOf(g.phasesX, g.shape.tapsX)),
        lines(g.lines == 0 ? g.shape.outputsY : g.lines),
        width(g.width == 0 ? g.shape.outputsX : g.width) {}

  static int tapsOf(const std::vector<kernels::ConvPhase> &phases) {
    int taps = 0;
    for (const kernels::ConvPhase &phase : phases)
      taps += phase.taps;
    return taps;
  }
  /// Of the weights.
  int tapsX() const { return tapsOf(x); }
  std::size_t taps() const { return size(tapsOf(y)) * size(tapsX()); }
};

/// Channels and their field in either order: [images, y, x, channels] or [images, channels, y, x].
struct Layout {
  std::size_t channels, field, channel, place; ///< sizes, and distances of neighbours
  Layout(bool maps, std::size_t c, std::size_t f)
      : channels(c), field(f), channel(maps ? f : 1), place(maps ? 1 : c) {}
  std::size_t at(std::size_t image, std::size_t c, std::size_t i) const {
    return image * channels * field + c * channel + i * place;
  }
};
Layout inputLayout(const Groups &g, bool maps) {
  return {maps, g.groups * g.in, size(g.shape.inputsY) * size(g.shape.inputsX)};
}
Layout outputLayout(const Groups &g, bool maps) {
  const Field field(g);
  return {maps, g.groups * g.out, size(field.lines) * size(field.width)};
}

/// Weights are [groups, y, x, in, out].
template <class In> struct Operands { std::vector<In> in, weights; };
template <class In> Operands<In> operandsOf(const Groups &g, unsigned seed) {
  std::mt19937 random(seed);
  const Layout in = inputLayout(g, false);
  return {test::planeNumbers<In>(g.images * in.channels * in.field, random),
          test::planeNumbers<In>(g.groups * Field(g).taps() * g.in * g.out, random)};
}

/// \param inMaps, outMaps  which layouts the operands and the result have
template <class In, class Out>
std::vector<Out> convolve(isa::Isa isa, const Groups &g, const Operands<In> &operands, bool inMaps,
                          bool outMaps) {
  using Public = std::conditional_t<sizeof(In) == 2, poplar::half, float>;
  using PublicOut = std::conditional_t<sizeof(Out) == 2, poplar::half, float>;
  const auto &s = g.shape;
  const Field field(g);
  std::vector<kernels::ConvPhase> both = field.y;
  both.insert(both.end(), field.x.begin(), field.x.end());
  const kernels::ConvGroupsPhases known =
      kernels::convGroupsPhases(s, both.data(), field.y.size(), field.x.size(), size(field.width));
  const kernels::ConvGroupsWay way = kernels::convGroupsWay(
      s, known, g.in, g.out, static_cast<std::size_t>(isa::vectorBytes(isa)) / 4);
  const Layout in = inputLayout(g, inMaps), result = outputLayout(g, outMaps);
  const std::size_t arrays = g.images * (outMaps ? result.channels : 1),
                    each = g.images * result.channels * result.field / arrays;
  const Out edge = test::fromFloat<Out>(99.f);
  // Something else lies between any two arrays.
  std::vector<Out> out(arrays * (each + 1) + 1, edge);
  std::vector<Out *> to;
  for (std::size_t i = 0; i < arrays; ++i)
    to.push_back(out.data() + 1 + i * (each + 1));
  std::vector<float> workspace(kernels::convGroupsWorkspace(s, known, g.in, way, field.taps()) + 1,
                               77.f);
  const auto n = [](std::size_t x) { return static_cast<long long>(x); };
  const std::size_t pixel = g.in * g.out, row = size(s.inputsX) * in.place;
  std::vector<long long> strides{n(in.channels * in.field),
                                 n(row),
                                 n(in.place),
                                 n(in.channel),
                                 n(field.taps() * pixel),
                                 1,
                                 n(g.out),
                                 n(size(field.tapsX()) * pixel),
                                 n(pixel)};
  std::vector<int> shape(kernels::CONV_PLANES_INTS);
  std::memcpy(shape.data(), &s, sizeof s);
  auto vertex = test::zeroed<vertices::ConvGroups<isa::scalar, Public, PublicOut>>();
  test::connect(vertex.in, operands.in.data());
  test::connect(vertex.weights, operands.weights.data());
  test::connect(vertex.out, to.data(), arrays);
  test::connect(vertex.workspace, workspace.data());
  test::connect(vertex.shape, shape.data(), shape.size());
  test::connect(vertex.strides, strides.data(), strides.size());
  const auto u = [](std::size_t x) { return static_cast<unsigned>(x); };
  vertex.images = u(g.images), vertex.groups = u(g.groups), vertex.columns = u(g.out);
  vertex.inChannels = u(g.in), vertex.outMaps = outMaps;
  std::vector<int> phases;
  for (const kernels::ConvPhase &phase : both)
    phases.insert(phases.end(), {phase.first, phase.taps, phase.weight});
  test::connect(vertex.phases, phases.data(), phases.size());
  vertex.phasesY = u(field.y.size()), vertex.phasesX = u(field.x.size());
  const kernels::ConvGroupsCut cut = kernels::convGroupsCut(s, known, g.in, way);
  vertex.strip = u(size(cut.strip));
  vertex.pieceOutputs = u(size(cut.outputs)), vertex.pieceLines = u(size(cut.lines));
  vertex.lines = u(size(field.lines)), vertex.width = u(size(field.width));
  test::runOn<vertices::ConvGroupsFamily>(isa, vertex);
  std::vector<Out> all;
  for (std::size_t i = 0; i < arrays; ++i) {
    CHECK(test::toFloat(to[i][-1]) == 99.f);
    all.insert(all.end(), to[i], to[i] + each);
  }
  CHECK(test::toFloat(out.back()) == 99.f);
  CHECK(workspace.back() == 77.f);
  return all;
}

/// Numbers of one layout in another.
template <class T>
std::vector<T> laidOut(const std::vector<T> &from, std::size_t images, const Layout &layout,
                       const Layout &other) {
  std::vector<T> to(from.size());
  for (std::size_t image = 0; image < images; ++image)
    for (std::size_t c = 0; c < layout.channels; ++c)
      for (std::size_t i = 0; i < layout.field; ++i)
        to[other.at(image, c, i)] = from[layout.at(image, c, i)];
  return to;
}

/// Each output is a chain of multiply-adds over its taps and their channels in ascending order,
/// without padding. Channels are last.
template <class In, class Out>
std::vector<Out> defined(const Groups &g, const Operands<In> &operands) {
  const auto &s = g.shape;
  const Field field(g);
  const Layout in = inputLayout(g, false), result = outputLayout(g, false);
  const auto sumOf = [&](std::size_t image, std::size_t column, int y, int x) {
    const std::size_t group = column / g.out, n = column % g.out;
    const auto stepY = static_cast<int>(field.y.size()), stepX = static_cast<int>(field.x.size());
    const kernels::ConvPhase ofY = field.y[size(y % stepY)], ofX = field.x[size(x % stepX)];
    float sum = 0;
    for (int of = 0; of < ofY.taps * ofX.taps; ++of) {
      const int i = of / ofX.taps, j = of % ofX.taps;
      const int atY = y / stepY * s.strideY + s.firstY + (ofY.first + i) * s.tapStepY,
                atX = x / stepX * s.strideX + s.firstX + (ofX.first + j) * s.tapStepX;
      const std::size_t tap =
          size((ofY.weight + i * stepY) * field.tapsX() + ofX.weight + j * stepX);
      if (atY < 0 || atY >= s.inputsY || atX < 0 || atX >= s.inputsX)
        continue;
      for (std::size_t c = 0; c < g.in; ++c)
        sum = std::fma(
            test::toFloat(operands.in[in.at(image, group * g.in + c,
                                            size(atY) * size(s.inputsX) + size(atX))]),
            test::toFloat(operands.weights[((group * field.taps() + tap) * g.in + c) * g.out + n]),
            sum);
    }
    return test::fromFloat<Out>(sum);
  };
  std::vector<Out> out(g.images * result.channels * result.field);
  for (std::size_t image = 0; image < g.images; ++image)
    for (std::size_t column = 0; column < result.channels; ++column)
      for (int y = 0; y < field.lines; ++y)
        for (int x = 0; x < field.width; ++x)
          out[result.at(image, column, size(y) * size(field.width) + size(x))] =
              sumOf(image, column, y, x);
  return out;
}

constexpr auto CHECK_ALL = []<class In, class Out>(unsigned seed, float special) {
  for (const Groups &g : CASES) {
    CAPTURE(g.shape.outputsX);
    CAPTURE(g.in);
    CAPTURE(g.out);
    auto operands = operandsOf<In>(g, seed);
    if (special != 0) // of the first group, at its first tap
      operands.weights[g.out - 1] = test::fromFloat<In>(special);
    const auto expected = defined<In, Out>(g, operands);
    for (bool inMaps : {false, true})
      for (bool outMaps : {false, true}) {
        if (outMaps && g.phasesX.size() > 1)
          continue;
        CAPTURE(inMaps);
        CAPTURE(outMaps);
        Operands<In> own = operands;
        own.in = laidOut(operands.in, g.images, inputLayout(g, false), inputLayout(g, inMaps));
        test::checkEverywhere(
            laidOut(expected, g.images, outputLayout(g, false), outputLayout(g, outMaps)),
            [&](isa::Isa isa) { return convolve<In, Out>(isa, g, own, inMaps, outMaps); });
      }
  }
};

} // namespace

TEST_CASE("groups of all sizes, strides, dilations, steps and paddings, in every type and layout") {
  test::inAllTypes(CHECK_ALL);
}

TEST_CASE("infinite weights of groups do not meet padding") { test::withNonFinite(CHECK_ALL); }

TEST_CASE("the span of a vector is the most input channels that any one reads") {
  for (std::size_t lanes : {1, 8, 16})
    for (std::size_t in = 1; in < 10; ++in)
      for (std::size_t out = 1; out < 20; ++out) {
        std::size_t most = 0;
        for (std::size_t first = 0; first < lanes * out; first += lanes)
          most = std::max(most, ((first + lanes - 1) / out - first / out + 1) * in);
        CHECK(kernels::convGroupsSpan(in, out, lanes) >= most);
        CHECK(kernels::convGroupsSpan(in, out, lanes) <= most + in);
      }
}

TEST_SUITE_END();
