// The search for plans on tiles. It is complete within its space: every kind of vertex, both orders
// of operands, sets of dimensions whose taps are channels, and all splits of each (TileSplits.hpp).
#pragma once

#include "TileSplits.hpp"

namespace cottonwood::planner {

namespace detail {

/// Walks through all plans of a problem.
template <class Sink> class TileWalk {
public:
  /// \param inTurn  parts of channels may be computed one after another
  TileWalk(TileProblem const &problem, TileMachine const &machine, Constraints const &constraints,
           Sink &sink, bool inTurn = true)
      : problem_(problem), machine_(machine),
        constraints_(constraints, problem.partials == MatMulType::HALF),
        splits_(machine, constraints_, sink,
                inTurn || constraints_.cuts("serialN") || constraints_.cuts("serialI")) {}

  /// A quick walk along powers of two finds plans that are good enough to cut most of the space
  /// off; then comes all of it. Of several IPUs one comes first: its plans are priced quickly.
  void run() {
    std::uint64_t const all = std::max<std::uint64_t>(machine_.tiles, 1);
    if (machine_.tilesPerIPU != 0 && machine_.tilesPerIPU < all)
      run(machine_.tilesPerIPU);
    run(all);
  }

  std::uint64_t considered() const { return splits_.considered(); }
  double cheapestTooLarge() const { return splits_.cheapestTooLarge(); }

private:
  void run(std::uint64_t tiles) {
    splits_.setTiles(tiles);
    for (bool const quick : {true, false}) {
      splits_.setQuick(quick);
      for (bool const swap : {true, false})
        if ((problem_.isMatMul || !swap) && constraints_.allows("swap", swap)) {
          for (std::uint32_t const dims : expansions())
            if (constraints_.allows("flatten", std::uint32_t{0}))
              forms(swap, dims, 0);
          if (constraints_.allows("expand", std::uint32_t{0}))
            for (std::uint32_t const dims : flattenings())
              forms(swap, 0, dims);
        }
    }
  }

  /// Sets of dimensions whose taps may become channels; published planners know those alone whose
  /// windows lie side by side. Places without an input would be zeros, which infinite weights make
  /// NaN: such dimensions have to be forced.
  std::vector<std::uint32_t> expansions() const {
    std::vector<std::uint32_t> sets;
    std::uint32_t const all = problem_.windows();
    std::uint32_t const windows =
        constraints_.constrains("expand") ? all : all & ~problem_.padded();
    for (std::uint32_t dims = 0; dims <= all; ++dims)
      if ((dims & ~windows) == 0 && constraints_.allows("expand", dims) &&
          (dims == 0 || (problem_.expands && dims == windows) ||
           (!published() && !(dims >> 2 & 1U && problem_.lastIsMany))))
        sets.push_back(dims);
    return sets;
  }

  /// Sets of dimensions whose outputs become output channels. Products that no tap has would be
  /// with zeros, which infinite inputs make NaN: such dimensions have to be forced.
  std::vector<std::uint32_t> flattenings() const {
    std::vector<std::uint32_t> sets;
    if (published() || problem_.isMatMul)
      return sets;
    std::uint32_t const all = problem_.flattenable(constraints_.constrains("flatten"));
    for (std::uint32_t dims = 1; dims <= all; ++dims)
      if ((dims & ~all) == 0 && constraints_.allows("flatten", dims))
        sets.push_back(dims);
    return sets;
  }

  void forms(bool swap, std::uint32_t dims, std::uint32_t flattened) {
    TilePlan plan;
    plan.swap = swap;
    plan.expand = dims;
    plan.flatten = flattened;
    TileProblem const seen = seenBy(problem_, plan);
    bool const rows = (problem_.flattens && flattened == 0) || (dims != 0 && seen.gatheredI == 0);
    for (bool const flat : {true, false})
      if (flat ? rows : !rows || wantsFields())
        if (constraints_.allows("flat", flat)) {
          plan.flat = flat;
          methods(seen, plan);
        }
  }
  /// What lies in rows is cut along dimensions of the field only if that is asked for.
  bool wantsFields() const {
    if (constraints_.empty() || problem_.isMatMul)
      return false;
    bool wants =
        constraints_.constrains("flat") || !constraints_.allows("method", TileMethod::AMP_1X1);
    for (char const *key : {"splitB", "splitY1", "splitY2"})
      wants = wants || constraints_.cuts(key);
    return wants;
  }

  void methods(TileProblem const &seen, TilePlan plan) {
    for (TileMethod const method : {TileMethod::AMP_1X1, TileMethod::AMP_NX1, TileMethod::SLIC,
                                    TileMethod::HMAC, TileMethod::VMAC, TileMethod::OUTER}) {
      plan.method = method;
      if (!constraints_.allows("method", method) ||
          !constraints_.allows("unit", traitsOf(plan, false).unit))
        continue;
      if (plan.onAmp())
        amp(seen, plan);
      else if (published() || problem_.input == MatMulType::QUARTER)
        return; // other vertices multiply halves and floats
      else if (method == TileMethod::SLIC)
        slic(seen, plan);
      else if (method == TileMethod::HMAC)
        hmac(seen, plan);
      else if (method == TileMethod::VMAC)
        vmac(seen, plan);
      else
        outer(seen, plan);
    }
  }

  void amp(TileProblem const &seen, TilePlan plan) {
    if (plan.method == TileMethod::AMP_1X1 ? !plan.flat && seen.taps() != 1 : plan.flat)
      return;
    if (plan.method == TileMethod::AMP_NX1 && (plan.expand | plan.flatten) != 0 && !plan.flat &&
        seen.taps() == 1)
      return; // rows of a product are quicker
    auto const all = static_cast<std::uint32_t>(machine_.amp.units);
    for (std::uint32_t const units : {all, 8U}) {
      // Fewer units are loaded more quickly; that pays where there are no more output channels.
      bool const few =
          units < all && !published() && (seen.n <= 8 || constraints_.constrains("convUnits"));
      if ((units != all && !few) || !constraints_.allows("convUnits", std::uint64_t{units}))
        continue;
      plan.units = units;
      for (std::uint32_t const outGroup :
           groups("partialChansPerGroup", "splitN", seen.n, few ? 8 : 16)) {
        plan.outGroup = outGroup;
        for (std::uint32_t const height : {1U, 2U, 4U}) {
          // Fewer channels at a time pay where they are few, or taps in that dimension many.
          if (height > 1 && (plan.method == TileMethod::AMP_1X1 || seen.field[0].taps == 1))
            break;
          plan.filterHeight = height;
          auto const held = static_cast<std::uint32_t>(machine_.amp.inputsPerGroup);
          for (std::uint32_t const inGroup :
               groups("inChansPerGroup", "splitI", seen.i, held, height)) {
            plan.inGroup = inGroup;
            combinations(seen, plan);
          }
        }
      }
    }
  }

  /// Groups of few channels are computed several at a time; what is not theirs is multiplied with
  /// zeros.
  void combinations(TileProblem const &seen, TilePlan plan) {
    if (constraints_.allows("combine", std::uint64_t{1}))
      splits_.walk(seen, plan);
    for (plan.convGroup = 2; !published() && plan.convGroup <= seen.g; plan.convGroup *= 2) {
      if (seen.i * plan.convGroup > plan.inGroup)
        break;
      if (constraints_.allows("combine", std::uint64_t{plan.convGroup}))
        splits_.walk(seen, plan);
    }
  }

  /// Windows that slide: half, groups of at most 4 channels in and out, short strides.
  void slic(TileProblem const &seen, TilePlan plan) {
    TileField const &along = seen.field[TileVertices::rowsAlong(seen)];
    if (plan.flat || (plan.expand | plan.flatten) != 0 || !machine_.amp.halfInput ||
        along.stride > 2 || along.inputStep != 1 || along.tapStep != 1)
      return;
    for (auto const &[groups, channels] : {std::pair(1U, 4U), std::pair(2U, 2U), std::pair(4U, 1U),
                                           std::pair(8U, 1U), std::pair(16U, 1U)}) {
      if (seen.i > channels || seen.n > channels || (groups > 1 && groups > seen.g))
        continue;
      plan.convGroup = groups;
      plan.inGroup = plan.outGroup = groups * channels;
      splits_.walk(seen, plan);
    }
  }

  void hmac(TileProblem const &seen, TilePlan plan) {
    bool const half = machine_.amp.halfInput;
    plan.outGroup = static_cast<std::uint32_t>(
        kernels::hmacOutputs(half, problem_.partials == MatMulType::HALF));
    std::uint32_t const whole = half ? 4 : 2; // vectors of a word
    std::vector<std::uint32_t> inGroups{
        static_cast<std::uint32_t>(std::min<std::uint64_t>(ceilDiv(seen.i, whole) * whole, 16)),
        static_cast<std::uint32_t>(std::min<std::uint64_t>(seen.i, 16))};
    if (inGroups[0] == inGroups[1])
      inGroups.pop_back();
    if (auto const forced = constraints_.numbers("inChansPerGroup"))
      inGroups.assign(forced->begin(), forced->end());
    for (std::uint32_t const inGroup : inGroups) {
      plan.inGroup = groupFor("splitI", seen.i, inGroup);
      splits_.walk(seen, plan);
    }
  }

  void vmac(TileProblem const &seen, TilePlan plan) {
    if (!machine_.amp.halfInput || seen.i != 1 || seen.n != 1 || seen.gatheredI != 0 ||
        plan.flatten != 0)
      return;
    for (plan.convGroup = 4; plan.convGroup <= 16 && plan.convGroup / 2 < seen.g;
         plan.convGroup *= 2) {
      plan.inGroup = plan.outGroup = plan.convGroup;
      splits_.walk(seen, plan);
    }
  }

  void outer(TileProblem const &seen, TilePlan plan) {
    if (seen.i != 1 || !plan.flat)
      return;
    plan.inGroup = 1;
    for (std::uint32_t const outGroup : groups("partialChansPerGroup", "splitN", seen.n, 16)) {
      plan.outGroup = outGroup;
      splits_.walk(seen, plan);
    }
  }

  /// The numbers of channels of a group to try: what constraints force, or `most`, and fewer where
  /// they force more parts than there are groups. \param height  of the filters that are held
  std::vector<std::uint32_t> groups(std::string_view key, std::string_view splitKey,
                                    std::uint64_t channels, std::uint32_t most,
                                    std::uint32_t height = 1) const {
    if (auto const forced = constraints_.numbers(key)) {
      std::vector<std::uint32_t> result;
      for (std::uint64_t const group : *forced)
        if (group != 0 && group * height <= most)
          result.push_back(static_cast<std::uint32_t>(group));
      return result;
    }
    return {std::max(groupFor(splitKey, channels, most) / height, 1U)};
  }
  /// The channels of a group: fewer where constraints force more parts than there are groups.
  std::uint32_t groupFor(std::string_view key, std::uint64_t channels, std::uint64_t group) const {
    std::uint64_t parts = 1;
    if (auto const forced = constraints_.numbers(key); forced && !forced->empty())
      parts = forced->front();
    if (auto const turns = constraints_.numbers(key == "splitN" ? "serialN" : "serialI");
        turns && !turns->empty())
      parts *= turns->front();
    while (group > 1 && ceilDiv(channels, group) < parts)
      group /= 2;
    return static_cast<std::uint32_t>(group);
  }

  /// Published planners know less.
  bool published() const { return machine_.charges.published; }

  TileProblem const &problem_;
  TileMachine const &machine_;
  TileConstraints constraints_;
  TileSplits<Sink> splits_;
};

} // namespace detail

} // namespace cottonwood::planner
