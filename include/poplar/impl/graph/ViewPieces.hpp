#pragma once
// Cutting two views alike, so that each part is a box where a view as a whole is many.

#include <cstdint>
#include <optional>
#include <poplar/impl/graph/View.hpp>
#include <vector>

namespace cottonwood::graph {

namespace viewdetail {

/// Cuts are made in what was cut so many times; what lies deeper is enumerated.
inline constexpr unsigned MAX_CUTS_DEPTH = 32;

/// Where to cut a sequence that is seen as [outer, size, inner]: along its middle dimension, at
/// these ends of parts, the last of which is `size`.
struct PieceCuts {
  std::uint64_t outer, size, inner;
  std::vector<std::uint64_t> ends;
};

/// The cuts that keep the parts of a view over a stage within its pieces, one level deep. None if
/// it is not over a stage, enumerating the rows of the stage is as good, or `depth` cuts were made.
POP_API std::optional<PieceCuts> pieceCuts(View const &view, unsigned depth);

/// f(part of views[0], part of views[1]) ... for each part.
template <class F, class... Views>
void forEachCut(PieceCuts const &cuts, F const &f, Views const &...views) {
  std::size_t const shape[] = {cuts.outer, cuts.size, cuts.inner};
  [&](auto const &...whole) {
    std::uint64_t begin = 0;
    for (std::uint64_t const end : cuts.ends) {
      f(whole.slice(begin, end, 1)...);
      begin = end;
    }
  }(views.reshape(shape)...);
}

template <class Sink> void forEachPart(View const &a, View const &b, Sink &sink, unsigned depth) {
  auto cuts = pieceCuts(a, depth);
  if (!cuts)
    cuts = pieceCuts(b, depth);
  if (!cuts)
    return sink(a, b);
  forEachCut(
      *cuts,
      [&](View const &partA, View const &partB) { forEachPart(partA, partB, sink, depth + 1); }, a,
      b);
}

} // namespace viewdetail

/// Calls sink(View, View) for parts of two views with equally many elements that together pair the
/// elements as the flat sequences of the views do, in any order. Views that were concatenated along
/// an inner dimension are cut into what was concatenated: forEachBlock() of the parts does not
/// enumerate their rows.
template <class Sink> void forEachPart(View const &a, View const &b, Sink &&sink) {
  viewdetail::forEachPart(a, b, sink, 0);
}

} // namespace cottonwood::graph
