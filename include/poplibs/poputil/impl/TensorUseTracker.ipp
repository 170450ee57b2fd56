#pragma once

#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Enumerators.hpp>
#include <poplar/impl/base/Error.hpp>

#include <algorithm>
#include <map>

namespace cottonwood::poputil::detail {

using ::poplar::Interval;

/// Tiles in ascending order.
using TileSet = std::vector<unsigned>;

struct Use {
  Interval interval; ///< of a variable's elements
  unsigned tile;
};

/// Neighbouring elements with the same users.
struct Stretch {
  Interval interval;
  TileSet tiles;
};

/// The maximal stretches of elements that some tile uses, ascending.
POP_INLINE std::vector<Stretch> stretchesOf(std::vector<Use> const &uses) {
  struct Edge {
    std::size_t position;
    unsigned tile;
    bool begins;
  };
  std::vector<Edge> edges;
  for (Use const &use : uses) {
    edges.push_back({use.interval.begin(), use.tile, true});
    edges.push_back({use.interval.end(), use.tile, false});
  }
  std::sort(edges.begin(), edges.end(),
            [](Edge const &a, Edge const &b) { return a.position < b.position; });
  std::map<unsigned, std::size_t> active; // how often each tile uses the elements
  std::vector<Stretch> stretches;
  std::size_t begin = 0;
  for (std::size_t i = 0; i != edges.size();) {
    std::size_t const end = edges[i].position;
    if (!active.empty() && begin != end) {
      TileSet tiles;
      for (auto const &entry : active)
        tiles.push_back(entry.first);
      bool const continues = !stretches.empty() && stretches.back().interval.end() == begin &&
                             stretches.back().tiles == tiles;
      if (continues)
        stretches.back().interval = Interval(stretches.back().interval.begin(), end);
      else
        stretches.push_back({Interval(begin, end), std::move(tiles)});
    }
    for (; i != edges.size() && edges[i].position == end; ++i) {
      if (edges[i].begins)
        ++active[edges[i].tile];
      else if (auto const at = active.find(edges[i].tile); --at->second == 0)
        active.erase(at);
    }
    begin = end;
  }
  return stretches;
}

/// Gives elements without users those of the stretch before them, at the start those behind.
POP_INLINE void extend(std::vector<Stretch> &stretches, std::size_t numElements) {
  for (std::size_t i = 0; i != stretches.size(); ++i) {
    std::size_t const begin = i == 0 ? 0 : stretches[i].interval.begin();
    std::size_t const end =
        i + 1 == stretches.size() ? numElements : stretches[i + 1].interval.begin();
    stretches[i].interval = Interval(begin, end);
  }
}

POP_INLINE bool isProperSubset(TileSet const &part, TileSet const &whole) {
  return part.size() < whole.size() &&
         std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

/// Stretches that several tiles use join the longer of the touching ones that only some of these
/// use.
POP_INLINE void joinHalos(std::vector<Stretch> &stretches) {
  std::vector<Stretch> const before = stretches;
  for (std::size_t i = 0; i != before.size(); ++i) {
    Stretch const *chosen = nullptr;
    auto const consider = [&](Stretch const &neighbour) {
      if (isProperSubset(neighbour.tiles, before[i].tiles) &&
          (!chosen || neighbour.interval.size() > chosen->interval.size()))
        chosen = &neighbour;
    };
    if (i != 0 && before[i - 1].interval.end() == before[i].interval.begin())
      consider(before[i - 1]);
    if (i + 1 != before.size() && before[i + 1].interval.begin() == before[i].interval.end())
      consider(before[i + 1]);
    if (chosen)
      stretches[i].tiles = chosen->tiles;
  }
}

} // namespace cottonwood::poputil::detail

namespace poputil {

struct TensorUseTracker::Uses {
  unsigned numTiles, startTile;
  bool ascending;
  std::map<poplar::VariableRef, std::vector<cottonwood::poputil::detail::Use>> byVariable;

  /// Places what the same tiles use: the less loaded of them first.
  void place(std::vector<poplar::Interval> const &intervals,
             cottonwood::poputil::detail::TileSet tiles, unsigned grainSize,
             unsigned minElementsPerTile, std::vector<std::size_t> &load,
             std::vector<cottonwood::poputil::detail::Use> &placed) const {
    std::sort(tiles.begin(), tiles.end(), [&](unsigned a, unsigned b) {
      unsigned const placeA = transformTileIndex(a, numTiles, startTile, ascending);
      unsigned const placeB = transformTileIndex(b, numTiles, startTile, ascending);
      return load[a] != load[b] ? load[a] < load[b] : placeA < placeB;
    });
    auto const parts =
        splitRegions(intervals, grainSize, static_cast<unsigned>(tiles.size()), minElementsPerTile);
    for (std::size_t i = 0; i != parts.size(); ++i)
      for (poplar::Interval const &interval : parts[i]) {
        placed.push_back({interval, tiles[i]});
        load[tiles[i]] += interval.size();
      }
  }

  /// One user for every element of a variable.
  void resolve(std::vector<cottonwood::poputil::detail::Use> &uses,
               std::vector<cottonwood::poputil::detail::Stretch> const &stretches,
               unsigned grainSize, unsigned minElementsPerTile,
               std::vector<std::size_t> &load) const {
    std::map<cottonwood::poputil::detail::TileSet, std::vector<poplar::Interval>> shared;
    uses.clear();
    for (auto const &stretch : stretches) {
      if (stretch.tiles.size() == 1) {
        uses.push_back({stretch.interval, stretch.tiles[0]});
        load[stretch.tiles[0]] += stretch.interval.size();
      } else {
        shared[stretch.tiles].push_back(stretch.interval);
      }
    }
    for (auto const &[tiles, intervals] : shared)
      place(intervals, tiles, grainSize, minElementsPerTile, load, uses);
  }
};

POP_INLINE TensorUseTracker::TensorUseTracker(unsigned numTiles, unsigned startTile,
                                              bool ascendingMappingOrder)
    : uses_(new Uses{numTiles, startTile, ascendingMappingOrder, {}}) {
  if (numTiles == 0)
    cottonwood::base::fail<poplibs_error>("poputil::TensorUseTracker",
                                          "numTiles = 0; there must be at least one tile");
}

POP_INLINE TensorUseTracker::TensorUseTracker(TensorUseTracker const &other)
    : uses_(new Uses(*other.uses_)) {}
POP_INLINE TensorUseTracker::TensorUseTracker(TensorUseTracker &&other) = default;
POP_INLINE TensorUseTracker &TensorUseTracker::operator=(TensorUseTracker const &other) {
  uses_.reset(new Uses(*other.uses_));
  return *this;
}
POP_INLINE TensorUseTracker &TensorUseTracker::operator=(TensorUseTracker &&other) = default;
POP_INLINE TensorUseTracker::~TensorUseTracker() = default;

POP_INLINE void TensorUseTracker::add(poplar::Graph const &, unsigned tile,
                                      poplar::Tensor const &t) {
  if (tile >= uses_->numTiles)
    cottonwood::base::fail<poplibs_error>("poputil::TensorUseTracker::add", "there is no tile ",
                                          tile, "; the tracker has ", uses_->numTiles);
  for (poplar::VariableInterval const &region : t.getVarRegions())
    if (region.interval.size() != 0)
      uses_->byVariable[region.var].push_back({region.interval, tile});
}

POP_INLINE void TensorUseTracker::add(TensorUseTracker other) {
  if (other.uses_->numTiles != uses_->numTiles)
    cottonwood::base::fail<poplibs_error>("poputil::TensorUseTracker::add", "a tracker of ",
                                          other.uses_->numTiles, " tiles to one of ",
                                          uses_->numTiles, "; the numbers must be equal");
  for (auto const &[variable, uses] : other.uses_->byVariable) {
    auto &own = uses_->byVariable[variable];
    own.insert(own.end(), uses.begin(), uses.end());
  }
}

POP_INLINE void TensorUseTracker::resolve(poplar::Graph const &graph, unsigned grainSize,
                                          unsigned minElementsPerTile, bool extendPartialUsage,
                                          MappingMethod mappingMethod) {
  namespace detail = cottonwood::poputil::detail;
  if (grainSize == 0)
    cottonwood::base::fail<poplibs_error>("poputil::TensorUseTracker::resolve",
                                          "grainSize = 0; it must be at least 1");
  cottonwood::base::requireEnumerator<poplibs_error>(
      "poputil::TensorUseTracker::resolve", "MappingMethod", mappingMethod,
      {"OptimizeHaloRegions", "ConstrainMappingToUsedTiles", "None"});
  std::vector<std::size_t> load(uses_->numTiles);
  for (auto &[variable, uses] : uses_->byVariable) {
    std::vector<detail::Stretch> stretches = detail::stretchesOf(uses);
    if (extendPartialUsage)
      detail::extend(stretches, graph.getVariable(variable).numElements());
    if (mappingMethod == MappingMethod::OptimizeHaloRegions)
      detail::joinHalos(stretches);
    uses_->resolve(uses, stretches, grainSize, minElementsPerTile, load);
  }
}

POP_INLINE void TensorUseTracker::mapTensorsByUse(poplar::Graph &graph, unsigned grainSize,
                                                  unsigned minElementsPerTile,
                                                  bool extendPartialUsage,
                                                  MappingMethod mappingMethod) {
  resolve(graph, grainSize, minElementsPerTile, extendPartialUsage, mappingMethod);
  for (auto const &[variable, uses] : uses_->byVariable) {
    poplar::Graph::TileToTensorMapping mapping(uses_->numTiles);
    for (auto const &use : uses)
      mapping[use.tile].push_back(use.interval);
    mergeAdjacentRegions(mapping);
    graph.setTileMapping(graph.getVariable(variable), mapping);
  }
}

POP_INLINE bool TensorUseTracker::empty() const { return uses_->byVariable.empty(); }

} // namespace poputil
