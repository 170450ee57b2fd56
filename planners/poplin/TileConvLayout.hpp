// Where the tiles of plans have operands and results of convolutions.
#pragma once

#include "TileLayout.hpp"

#include <span>
#include <utility>

namespace cottonwood::planner {

/// Operands and result of a convolution. Their layouts have six dimensions: groups, batch, three of
/// the field, channels; of weights groups, output channels, three of the kernel, input channels.
enum class TileOperand { INPUT, WEIGHTS, OUTPUT };

namespace detail {

using TileRange = std::pair<std::uint64_t, std::uint64_t>;

/// f(box): boxes of consecutive row-major elements of an array. \param box  of as many dimensions
template <class F>
void forEachBox(TileRange range, std::span<std::uint64_t const> sizes, std::span<TileRange> box,
                F const &f) {
  if (range.first >= range.second)
    return;
  if (sizes.size() == 1) {
    box[0] = range;
    return f();
  }
  std::uint64_t inner = 1;
  for (std::uint64_t const size : sizes.subspan(1))
    inner *= size;
  auto const within = [&](std::uint64_t row, std::uint64_t first, std::uint64_t second) {
    box[0] = {row, row + 1};
    forEachBox({first - row * inner, second - row * inner}, sizes.subspan(1), box.subspan(1), f);
  };
  if (range.first % inner != 0) {
    std::uint64_t const row = range.first / inner, end = std::min((row + 1) * inner, range.second);
    within(row, range.first, end);
    range.first = end;
  }
  std::uint64_t const first = range.first / inner, second = range.second / inner;
  if (first < second) {
    box[0] = {first, second};
    for (std::size_t d = 1; d != sizes.size(); ++d)
      box[d] = {0, sizes[d]};
    f();
  }
  if (range.first < range.second && range.second % inner != 0)
    within(second, std::max(range.first, second * inner), range.second);
}

/// The layouts of a plan of a convolution. Padding is taken to be the same on both sides.
class ConvLayouts {
public:
  ConvLayouts(TileProblem const &problem, TilePlan const &plan)
      : problem_(problem), plan_(plan), seen_(seenBy(problem, plan)) {
    auto const cut = [](std::uint64_t size, std::uint64_t grain, std::uint64_t splits) {
      std::uint64_t const units = ceilDiv(size, grain), each = ceilDiv(units, splits);
      return Part{size, each * grain, ceilDiv(units, each)};
    };
    bool const whole = plan.convGroup > 1 || plan.method == TileMethod::SLIC;
    auto const &f = seen_.field;
    parts_[G] = cut(seen_.g, plan.convGroup, plan.splitG);
    parts_[B] = cut(plan.flat ? 1 : seen_.b, 1, plan.splitB);
    parts_[Y0] = plan.flat ? cut(seen_.positions(), plan.grain, plan.splitY0)
                           : cut(f[0].outputs, 1, plan.splitY0);
    parts_[Y1] = cut(plan.flat ? 1 : f[1].outputs, 1, plan.splitY1);
    parts_[Y2] = cut(plan.flat ? 1 : f[2].outputs, 1, plan.splitY2);
    parts_[N] = cut(seen_.n, whole ? seen_.n : plan.outGroup, plan.splitN);
    parts_[I] = cut(seen_.i, whole ? seen_.i : plan.inGroup, plan.splitI);
    parts_[K0] = cut(f[0].taps, 1, plan.splitK0);
    parts_[K1] = cut(f[1].taps, 1, plan.splitK1);
    parts_[K2] = cut(f[2].taps, 1, plan.splitK2);
  }

  /// What tiles need of an operand, or with `held` what they hold of it. Of results what they hold.
  TileLayout of(TileOperand operand, bool held) {
    layout_.clear();
    held_ = held;
    nest(0, 0, operand);
    return std::move(layout_);
  }

private:
  enum Dim { G, B, Y0, Y1, Y2, N, I, K0, K1, K2, DIMS };
  struct Part {
    std::uint64_t size = 1, each = 1, parts = 1;
    TileRange range(std::uint64_t part) const {
      return {std::min(part * each, size), std::min((part + 1) * each, size)};
    }
  };

  void nest(std::size_t level, std::uint64_t tile, TileOperand operand) {
    static constexpr Dim SUMS[] = {I, K0, K1, K2}, PLACES[] = {B, Y0, Y1, Y2};
    if (level == 0)
      return along({{G}}, 0, tile, 1, operand);
    if (level == 4) {
      tile_ = plan_.firstTile + tile;
      return operand == TileOperand::OUTPUT  ? output()
             : operand == TileOperand::INPUT ? input()
                                             : weights();
    }
    char const kind = EnumNames<TileOrder>::names[static_cast<int>(plan_.order)][level - 1];
    if (kind == 'n')
      along({{N}}, 0, tile, level + 1, operand);
    else
      along(kind == 'i' ? std::span(SUMS) : std::span(PLACES), 0, tile, level + 1, operand);
  }
  void along(std::span<Dim const> dims, std::size_t at, std::uint64_t tile, std::size_t next,
             TileOperand operand) {
    if (at == dims.size())
      return nest(next, tile, operand);
    Dim const d = dims[at];
    for (at_[d] = 0; at_[d] != parts_[d].parts; ++at_[d])
      along(dims, at + 1, tile * parts_[d].parts + at_[d], next, operand);
  }

  TileRange range(std::size_t d) const { return parts_[d].range(at_[d]); }
  std::uint64_t kernelParts() const {
    return parts_[K0].parts * parts_[K1].parts * parts_[K2].parts;
  }
  bool isGathered(std::size_t d) const { return (plan_.expand >> d & 1U) != 0; }
  bool isFlattened(std::size_t d) const { return (plan_.flatten >> d & 1U) != 0; }

  /// Channels of a block with what of dimensions is in front of them: taps or inputs of input
  /// channels, outputs of output channels.
  struct Channels {
    std::array<TileRange, 3> of;
    TileRange channels;
  };
  template <class Size, class F>
  void forEachChannels(TileRange range, std::uint32_t dims, std::uint64_t channels,
                       Size const &size, F const &f) const {
    std::array<std::uint64_t, 4> sizes;
    std::array<TileRange, 4> box;
    std::array<std::size_t, 3> dim;
    std::size_t count = 0;
    for (std::size_t d = 0; d != 3; ++d)
      if (dims >> d & 1U)
        dim[count] = d, sizes[count++] = size(problem_.field[d]);
    sizes[count] = channels;
    forEachBox(range, std::span(sizes.data(), count + 1), std::span(box.data(), count + 1), [&] {
      Channels c{{}, box[count]};
      for (std::size_t at = 0; at != count; ++at)
        c.of[dim[at]] = box[at];
      f(c);
    });
  }
  template <class F> void forEachInputs(F const &f) const {
    bool const flattens = plan_.flatten != 0;
    forEachChannels(
        range(I), flattens ? plan_.flatten : plan_.expand, problem_.i,
        [&](TileField const &d) { return flattens ? d.inputs : d.taps; }, f);
  }
  template <class F> void forEachOutputs(F const &f) const {
    forEachChannels(
        range(N), plan_.flatten, problem_.n, [](TileField const &d) { return d.outputs; }, f);
  }
  /// f(batch, outputs of each dimension)
  template <class F> void forEachPlaces(F const &f) const {
    std::array<TileRange, 4> box{range(B), range(Y0), range(Y1), range(Y2)};
    if (!plan_.flat)
      return f(box);
    std::array<std::uint64_t, 4> const sizes{problem_.b, problem_.field[0].outputs,
                                             problem_.field[1].outputs, problem_.field[2].outputs};
    forEachBox(range(Y0), sizes, box, [&] { f(box); });
  }

  void add(std::array<TileRange, 6> const &box, double share) {
    for (auto const &[first, second] : box)
      if (first >= second)
        return;
    layout_.push_back({tile_, box, share});
  }

  void output() {
    double const share = 1 / static_cast<double>(parts_[I].parts * kernelParts());
    forEachOutputs([&](Channels const &n) {
      forEachPlaces([&](std::array<TileRange, 4> const &y) {
        auto const at = [&](std::size_t d) { return isFlattened(d) ? n.of[d] : y[1 + d]; };
        add({range(G), y[0], at(0), at(1), at(2), n.channels}, share);
      });
    });
  }

  void input() {
    bool const shares = held_ && !plan_.flat, gathered = seen_.gatheredI != 0;
    double const sharers = static_cast<double>(
        parts_[N].parts *
        (plan_.flat ? 1 : kernelParts() * (gathered ? parts_[I].parts : std::uint64_t{1})));
    bool const all = shares && gathered; // then of all channels alike
    bool first = true;
    forEachInputs([&](Channels const &i) {
      if (all && !std::exchange(first, false))
        return;
      forEachPlaces([&](std::array<TileRange, 4> const &y) {
        std::array<TileRange, 3> x;
        for (std::size_t d = 0; d != 3; ++d) {
          TileField const &f = problem_.field[d];
          Part const &part = parts_[Y0 + d];
          std::uint64_t const each = ceilDiv(f.inputs, part.parts), begin = at_[Y0 + d] * each;
          x[d] = isFlattened(d) ? i.of[d]
                 : shares ? TileRange(std::min(begin, f.inputs), std::min(begin + each, f.inputs))
                          : inputsOf(f, y[1 + d], isGathered(d) ? i.of[d] : range(K0 + d));
        }
        add({range(G), y[0], x[0], x[1], x[2], all ? TileRange(0, problem_.i) : i.channels},
            held_ ? 1 / sharers : 1);
      });
    });
  }

  void weights() {
    double sharers = static_cast<double>(parts_[B].parts * parts_[Y0].parts * parts_[Y1].parts *
                                         parts_[Y2].parts);
    for (std::size_t d = 0; d != 3; ++d) // several pairs of an output and an input have a tap
      if (isFlattened(d))
        sharers *= std::max(
            1.0, static_cast<double>(problem_.field[d].outputs * problem_.field[d].inputs) /
                     static_cast<double>(problem_.field[d].taps));
    forEachOutputs([&](Channels const &n) {
      forEachInputs([&](Channels const &i) {
        std::array<TileRange, 3> k;
        for (std::size_t d = 0; d != 3; ++d)
          k[d] = isFlattened(d)  ? tapsOf(problem_.field[d], n.of[d], i.of[d])
                 : isGathered(d) ? i.of[d]
                                 : range(K0 + d);
        add({range(G), n.channels, k[0], k[1], k[2], i.channels}, held_ ? 1 / sharers : 1);
      });
    });
  }

  static std::int64_t signedOf(std::uint64_t value) { return static_cast<std::int64_t>(value); }
  static std::int64_t padding(TileField const &f) {
    std::int64_t const reach = signedOf((f.outputs - 1) * f.stride + (f.taps - 1) * f.tapStep);
    return f.padded ? (reach - signedOf((f.inputs - 1) * f.inputStep)) / 2 : 0;
  }
  /// [least, most] divided by `step`, of `size`.
  static TileRange places(std::int64_t least, std::int64_t most, std::uint64_t step,
                          std::uint64_t size) {
    if (most < 0)
      return {0, 0};
    std::uint64_t const first = least <= 0 ? 0 : ceilDiv(static_cast<std::uint64_t>(least), step);
    return {std::min(first, size), std::min(static_cast<std::uint64_t>(most) / step + 1, size)};
  }
  static TileRange inputsOf(TileField const &f, TileRange const &y, TileRange const &k) {
    return places(signedOf(y.first * f.stride + k.first * f.tapStep) - padding(f),
                  signedOf((y.second - 1) * f.stride + (k.second - 1) * f.tapStep) - padding(f),
                  f.inputStep, f.inputs);
  }
  static TileRange tapsOf(TileField const &f, TileRange const &y, TileRange const &x) {
    return places(
        signedOf(x.first * f.inputStep) + padding(f) - signedOf((y.second - 1) * f.stride),
        signedOf((x.second - 1) * f.inputStep) + padding(f) - signedOf(y.first * f.stride),
        f.tapStep, f.taps);
  }

  TileProblem const &problem_;
  TilePlan const &plan_;
  TileProblem seen_;
  std::array<Part, DIMS> parts_;
  std::array<std::uint64_t, DIMS> at_{};
  TileLayout layout_;
  std::uint64_t tile_ = 0;
  bool held_ = false;
};

inline TileLayout convLayoutOf(TileProblem const &problem, TilePlan const &plan,
                               TileOperand operand, bool held) {
  return ConvLayouts(problem, plan).of(operand, held);
}

} // namespace detail

/// Cycles that a plan's exchanges take more if an operand lies as it is held, not as the plan would
/// have it.
inline double givenCycles(TileProblem const &problem, TileMachine const &machine,
                          TilePlan const &plan, TileOperand operand, TileLayout const &held) {
  detail::ConvLayouts layouts(problem, plan);
  return detail::moreCycles(machine, problem.input, layouts.of(operand, false),
                            layouts.of(operand, true), held);
}

} // namespace cottonwood::planner
