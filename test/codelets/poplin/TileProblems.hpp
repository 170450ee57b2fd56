// Small convolutions for tests of matrix tiles: their places and tables, from the definition.
#pragma once

#include <codelets/poplin/ConvGeometry.hpp>

#include <cstddef>
#include <vector>

namespace cottonwood::test {

/// How weights lie: [kernel, I, O], [kernel, O, I] or [O, I, kernel].
enum class TileWeights { COLUMNS_LAST, CHANNELS_LAST, KERNEL_LAST };

/// [B, Y, X, groups, I] * [groups, KY, KX, I, O] -> [B, OY, OX, groups, O].
struct TileProblem {
  std::size_t batch, groups, in, out;
  int size[2], kernel[2], stride[2], padding, dilation;
  TileWeights layout = TileWeights::COLUMNS_LAST;

  int outputs(int d) const {
    return (size[d] + 2 * padding - dilation * (kernel[d] - 1) - 1) / stride[d] + 1;
  }
  std::size_t pixels() const {
    return batch * static_cast<std::size_t>(outputs(0)) * static_cast<std::size_t>(outputs(1));
  }
  std::size_t taps() const { return static_cast<std::size_t>(kernel[0] * kernel[1]); }
  std::size_t inputs() const {
    return batch * static_cast<std::size_t>(size[0] * size[1]) * groups * in;
  }
  /// The input that an output and a tap meet, or -1.
  int input(int d, int output, int tap) const {
    int const at = output * stride[d] + tap * dilation - padding;
    return at < 0 || at >= size[d] ? -1 : at;
  }
  long long tapStride() const {
    return static_cast<long long>(layout == TileWeights::KERNEL_LAST ? 1 : in * out);
  }
  long long channelStride() const {
    return static_cast<long long>(layout == TileWeights::COLUMNS_LAST    ? out
                                  : layout == TileWeights::CHANNELS_LAST ? 1
                                                                         : taps());
  }
  long long columnStride() const {
    return static_cast<long long>(layout == TileWeights::COLUMNS_LAST    ? 1
                                  : layout == TileWeights::CHANNELS_LAST ? in
                                                                         : in * taps());
  }
  std::size_t weight(std::size_t g, std::size_t tap, std::size_t i, std::size_t o) const {
    auto const at = [](std::size_t n) { return static_cast<long long>(n); };
    return g * taps() * in * out +
           static_cast<std::size_t>(at(tap) * tapStride() + at(i) * channelStride() +
                                    at(o) * columnStride());
  }
};

inline void append(std::vector<int> &table, int outputs, int taps,
                   std::vector<kernels::ConvClass> const &classes) {
  table.insert(table.end(), {outputs, taps, static_cast<int>(classes.size())});
  for (auto const &c : classes)
    table.insert(table.end(), {c.out, c.outStep, c.outCount, c.tap, c.tapStep, c.tapCount, c.in,
                               c.inOut, c.inTap});
}

inline std::vector<int> tableOf(TileProblem const &p) {
  std::vector<int> table;
  int const batch = static_cast<int>(p.batch), in = static_cast<int>(p.in);
  append(table, batch, 1, {{0, 1, batch, 0, 1, 1, 0, 1, 0}});
  for (int d : {0, 1}) {
    std::vector<kernels::ConvClass> classes;
    for (int y = 0; y < p.outputs(d); ++y)
      for (int t = 0; t < p.kernel[d]; ++t) // a class a product
        if (p.input(d, y, t) >= 0)
          classes.push_back({y, 1, 1, t, 1, 1, p.input(d, y, t), 0, 0});
    append(table, p.outputs(d), p.kernel[d], classes);
  }
  append(table, 1, in, {{0, 1, 1, 0, 1, in, 0, 0, 1}});
  return table;
}

inline std::vector<long long> stridesOf(TileProblem const &p) {
  auto const s = [](auto n) { return static_cast<long long>(n); };
  std::size_t const pixel = p.groups * p.in, line = static_cast<std::size_t>(p.size[1]) * pixel;
  return {s(static_cast<std::size_t>(p.size[0]) * line),
          0,
          s(line),
          s(p.kernel[1]) * p.tapStride(),
          s(pixel),
          p.tapStride(),
          1,
          p.channelStride()};
}

} // namespace cottonwood::test
