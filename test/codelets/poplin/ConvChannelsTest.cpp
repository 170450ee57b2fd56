// Convolutions of images by groups of one channel, on every instruction set of this machine: the
// chains of the definition, bit for bit, and nothing beyond the result.
#include "../Isas.hpp"

#include <codelets/arch/CpuFeatures.hpp>
#include <codelets/poplin/ConvVertex.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

TEST_SUITE_BEGIN("codelets/poplin/conv-channels");

using namespace cottonwood;

namespace {

using Function = kernels::ConvFunction<float, float, float>;

Function kernelOf(isa::Isa isa) {
  using vertices::ConvFamily;
  switch (isa) {
#if defined(__x86_64__)
  case isa::Isa::Avx2:
    return ConvFamily::kernels<isa::avx2>().channelsFloatToFloat;
  case isa::Isa::Avx512:
  case isa::Isa::Avx512Fp16:
  case isa::Isa::Avx512Fp16Soft:
    return ConvFamily::kernels<isa::avx512>().channelsFloatToFloat;
#endif
  default:
    return ConvFamily::kernels<isa::scalar>().channelsFloatToFloat;
  }
}

/// Output y and tap k of a dimension meet input y * stride + first + k * tapStep, if there is one.
struct Dim {
  int inputs, outputs, taps, stride, first, tapStep;

  int input(int y, int k) const {
    int const x = y * stride + first + k * tapStep;
    return x < 0 || x >= inputs ? -1 : x;
  }
};

/// Dimensions of the field, outermost first; elements between places of the input, 0: side by side.
struct Problem {
  std::size_t batch, channels;
  std::vector<Dim> dims;
  std::size_t apart = 0;

  std::size_t place() const { return apart != 0 ? apart : channels; }
  std::size_t count(int Dim::*member) const {
    std::size_t n = 1;
    for (Dim const &d : dims)
      n *= static_cast<std::size_t>(d.*member);
    return n;
  }
};

/// 3 taps with 1 of padding at both sides, as most networks have it.
Dim same(int inputs, int stride = 1) {
  return {inputs, (inputs - 1) / stride + 1, 3, stride, -1, 1};
}

void append(std::vector<int> &table, int outputs, int taps,
            std::vector<kernels::ConvClass> const &classes) {
  table.insert(table.end(), {outputs, taps, static_cast<int>(classes.size())});
  for (auto const &c : classes)
    table.insert(table.end(), {c.out, c.outStep, c.outCount, c.tap, c.tapStep, c.tapCount, c.in,
                               c.inOut, c.inTap});
}

void append(std::vector<int> &table, Dim const &d) {
  std::vector<kernels::ConvClass> classes;
  for (int y = 0; y != d.outputs; ++y) {
    kernels::ConvClass c{y, 1, 1, 0, 1, 0, 0, 0, d.tapStep};
    for (int k = 0; k != d.taps; ++k)
      if (int const x = d.input(y, k); x >= 0 && c.tapCount++ == 0)
        c.tap = k, c.in = x;
    if (c.tapCount == 0)
      continue;
    if (c.tapCount == 1)
      c.inTap = 0;
    if (classes.empty() || !kernels::detail::joinClass(classes.back(), c))
      classes.push_back(c);
  }
  append(table, d.outputs, d.taps, classes);
}

struct Operands {
  std::vector<float> in, weights;
  Operands(Problem const &p, unsigned seed)
      : in(p.batch * p.count(&Dim::inputs) * p.place()), weights(p.count(&Dim::taps) * p.channels) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> real(-2, 2);
    for (auto *values : {&in, &weights})
      for (float &value : *values)
        value = real(random);
  }
};

/// Each output is a chain of multiply-adds over its taps in ascending order, without padding.
std::vector<float> defined(Problem const &p, Operands const &operands) {
  std::size_t const outputs = p.count(&Dim::outputs), taps = p.count(&Dim::taps);
  std::size_t const inputs = p.count(&Dim::inputs);
  std::vector<float> out(p.batch * outputs * p.channels);
  for (std::size_t at = 0; at != p.batch * outputs; ++at)
    for (std::size_t k = 0; k != taps; ++k) {
      std::size_t y = at % outputs, tap = k, place = 0, scale = 1;
      bool meets = true;
      for (std::size_t d = p.dims.size(); d-- > 0;) {
        auto const size = [](int n) { return static_cast<std::size_t>(n); };
        Dim const &dim = p.dims[d];
        int const x = dim.input(static_cast<int>(y % size(dim.outputs)),
                                static_cast<int>(tap % size(dim.taps)));
        y /= size(dim.outputs), tap /= size(dim.taps);
        meets = meets && x >= 0;
        place += scale * static_cast<std::size_t>(std::max(x, 0)), scale *= size(dim.inputs);
      }
      if (!meets)
        continue;
      std::size_t const in = (at / outputs * inputs + place) * p.place();
      for (std::size_t c = 0; c != p.channels; ++c) {
        float &sum = out[at * p.channels + c];
        sum = std::fma(operands.in[in + c], operands.weights[k * p.channels + c], sum);
      }
    }
  return out;
}

/// \param gaps  outputs have places of their own, at unequal distances
std::vector<float> convolve(Function function, Problem const &p, Operands const &operands,
                            kernels::ConvBlocking const &blocking, bool gaps) {
  std::vector<int> table;
  int const batch = static_cast<int>(p.batch);
  append(table, batch, 1, {{0, 1, batch, 0, 1, 1, 0, 1, 0}});
  std::vector<long long> strides;
  auto in = static_cast<long long>(p.place()), tap = static_cast<long long>(p.channels);
  for (std::size_t d = p.dims.size(); d-- > 0;) {
    strides.insert(strides.begin(), {in, tap});
    in *= p.dims[d].inputs, tap *= p.dims[d].taps;
  }
  strides.insert(strides.begin(), {in, 0});
  for (Dim const &d : p.dims)
    append(table, d);
  append(table, 1, 1, {{0, 1, 1, 0, 1, 1, 0, 0, 1}});
  strides.insert(strides.end(), {1, 1});

  auto const dims = static_cast<unsigned>(p.dims.size() + 2);
  kernels::ConvGeometry const geometry(dims, table.data(), strides.data());
  std::size_t const outputs = p.batch * p.count(&Dim::outputs);
  std::vector<float> out(outputs * (p.channels + 3) + 1, 77.0F);
  std::vector<float *> rows;
  for (std::size_t i = 0; i != outputs; ++i)
    rows.push_back(out.data() + i * p.channels + i / 5 * 2);
  std::size_t const floats =
      kernels::convWorkspace(blocking, geometry.numClasses(), p.count(&Dim::taps), outputs,
                             kernels::convCopyFloats(geometry, blocking));
  std::vector<float> workspace(floats + 1, 55.0F);
  kernels::ConvArgs<float, float, float> const args{geometry,
                                                    1,
                                                    p.channels,
                                                    operands.in.data(),
                                                    1,
                                                    operands.weights.data(),
                                                    0,
                                                    1,
                                                    0,
                                                    std::size_t{1} << 31U,
                                                    gaps ? nullptr : out.data(),
                                                    p.channels,
                                                    gaps ? rows.data() : nullptr,
                                                    blocking,
                                                    workspace.data()};
  function(args);
  CHECK(workspace.back() == 55.0F);
  std::vector<float> result;
  if (!gaps) {
    CHECK(out[outputs * p.channels] == 77.0F);
    result.assign(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(outputs * p.channels));
    return result;
  }
  for (float *row : rows)
    result.insert(result.end(), row, row + p.channels);
  return result;
}

bool sameBits(std::vector<float> const &a, std::vector<float> const &b) {
  bool same = a.size() == b.size();
  for (std::size_t i = 0; same && i != a.size(); ++i)
    same = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]));
  return same;
}

void checkAll(Problem const &p, Operands const &operands) {
  CAPTURE(p.channels);
  CAPTURE(p.dims.back().inputs);
  CAPTURE(p.dims.back().taps);
  CAPTURE(p.dims.back().stride);
  CAPTURE(p.dims.back().first);
  auto const expected = defined(p, operands);
  auto isas = test::vectorIsas();
  isas.push_back(isa::Isa::Scalar);
  for (isa::Isa const isa : isas)
    for (kernels::ConvBlocking const &blocking :
         {kernels::ConvBlocking{512, 128, 1024}, kernels::ConvBlocking{512, 512, 5},
          kernels::ConvBlocking{.depth = 512, .enough = 128, .pixels = 1024, .copyBytes = 0},
          kernels::ConvBlocking{.depth = 512, .enough = 128, .pixels = 1024, .copyBytes = 4}}) {
      CAPTURE(blocking.copyBytes);
      CAPTURE(std::string(isa::name(isa)));
      CHECK(sameBits(convolve(kernelOf(isa), p, operands, blocking, false), expected));
      CHECK(sameBits(convolve(kernelOf(isa), p, operands, blocking, true), expected));
    }
}

} // namespace

TEST_CASE("images of all sizes around a piece of a line") {
  for (int width = 1; width != 19; ++width)
    for (int stride : {1, 2})
      checkAll({2, 20, {same(width % 5 + 1), same(width, stride)}},
               Operands({2, 20, {same(width % 5 + 1), same(width, stride)}}, 1));
  for (int height = 1; height != 8; ++height)
    for (int stride : {1, 2}) {
      Problem const p{1, 70, {same(height, stride), same(8, stride)}};
      checkAll(p, Operands(p, 2));
    }
}

TEST_CASE("places of the input that share sets of the first cache") {
  for (Problem const &p :
       {Problem{1, 512, {same(7), same(7)}}, Problem{3, 100, {same(7), same(7)}, 1024},
        Problem{2, 130, {same(14), same(14)}, 512}, Problem{1, 512, {same(14, 2), same(14, 2)}},
        Problem{1, 70, {same(40), same(33)}, 512}, Problem{1, 65, {same(5), same(2000)}, 512},
        Problem{1, 40, {{9, 9, 5, 1, -2, 1}, {9, 9, 5, 1, -2, 1}}, 512},
        Problem{1, 40, {same(4), same(6), same(7)}, 512}})
    checkAll(p, Operands(p, 3));
}

TEST_CASE("paddings, strides, dilations and flips at random") {
  std::mt19937 random(4);
  auto const pick = [&](int from, int to) {
    return std::uniform_int_distribution<int>(from, to)(random);
  };
  for (int i = 0; i != 150; ++i) {
    Problem p{static_cast<std::size_t>(pick(1, 2)), static_cast<std::size_t>(pick(1, 40)), {}};
    for (int d = 0, dims = pick(1, 3); d != dims; ++d)
      p.dims.push_back({pick(1, 12), pick(1, 12), pick(0, 3) == 0 ? pick(1, 5) : 3, pick(1, 2),
                        pick(-3, 1),
                        std::array{1, 1, 1, 2, -1, -2}[static_cast<std::size_t>(pick(0, 5))]});
    if (pick(0, 3) == 0)
      p.apart = 512;
    CAPTURE(i);
    checkAll(p, Operands(p, static_cast<unsigned>(i)));
  }
}

TEST_CASE("inputs whose places share too few sets of the first cache are copied") {
  kernels::MatMulCaches caches;
  caches.l1 = 32 << 10, caches.l2 = 1 << 20;
  CHECK(kernels::chooseConvBlocking(caches).copyBytes == 2048);
  caches.l1 = 48 << 10;
  CHECK(kernels::chooseConvBlocking(caches).copyBytes == 4096);
  caches.l2 = 2 << 20;
  CHECK(kernels::chooseConvBlocking(caches).copyBytes == 0);

  // 3 x 3 taps over 7 x 7 places of so many channels.
  auto const copied = [](int channels, std::uint32_t copyBytes) {
    std::vector<int> table;
    append(table, same(7)), append(table, same(7));
    long long const strides[] = {7LL * channels, 3LL * channels, channels, channels};
    kernels::ConvGeometry const geometry(2, table.data(), strides);
    kernels::ConvBlocking blocking;
    blocking.copyBytes = copyBytes;
    return kernels::convCopyFloats(geometry, blocking) != 0;
  };
  CHECK(copied(512, 2048));
  CHECK(!copied(512, 4096));
  CHECK(copied(1024, 4096));
  CHECK(!copied(1024, 0));
  CHECK(!copied(1000, 2048));
}

TEST_CASE("infinite weights do not meet padding") {
  for (float value :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
    for (std::size_t channels : {33, 512})
      for (std::size_t tap : {0, 2, 6, 8}) {
        Problem const p{1, channels, {same(7), same(14)}};
        Operands operands(p, 5);
        for (std::size_t c = 0; c < channels; c += 3)
          operands.weights[tap * channels + c] = value;
        checkAll(p, operands);
      }
}

TEST_SUITE_END();
