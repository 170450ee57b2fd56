// How vertices find the coefficients of activations: by strides of the dimensions that they walk.
#pragma once

#include <poplin/impl/NormEmit.hpp>
#include <popops/impl/ElementOrder.hpp>

#include <poplar/Interval.hpp>

#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace cottonwood::poplin::detail {

/// What one vertex walks: one interval of the whole, or several that lie regularly.
struct NormWalkPart {
  std::vector<::poplar::Interval> intervals;
  std::vector<unsigned> words;     ///< of each dimension: size, stride in statistics, in channels
  std::size_t origin;              ///< of its first element in these dimensions
  ::poplar::Interval stats, chans; ///< the coefficients that it reads
  long long statBase, chanBase;    ///< where among these those of the dimensions' origin are
};

/// The dimensions of activations in the order of memory, joined where coefficients allow it.
class NormWalkTable {
public:
  using Interval = ::poplar::Interval;

  NormWalkTable(NormView const &view, popops::ElementOrder const &order) {
    auto const stat = strides(view.t, view.stat), chan = strides(view.t, view.chan);
    for (auto const &[dim, size, step] : order.factors())
      if (size != 1)
        append({size, stat[dim] * step, chan[dim] * step});
    if (dims_.empty())
      dims_.push_back({1, 0, 0});
  }

  /// The smallest range of coefficients that holds those of elements [begin, end).
  Interval coefficients(Interval const &elements, bool channels) const {
    std::size_t first = elements.begin(), last = elements.end() - 1, block = 1;
    for (Dim const &d : dims_)
      block *= d.size;
    std::size_t low = 0, high = 0;
    bool whole = false; // dimensions from here on are run through
    for (Dim const &d : dims_) {
      std::size_t const stride = channels ? d.chan : d.stat;
      block /= d.size;
      std::size_t const from = whole ? 0 : first / block;
      std::size_t const to = whole ? d.size - 1 : last / block;
      low += from * stride;
      high += to * stride;
      whole = whole || from != to;
      first %= block;
      last %= block;
    }
    return {low, high + 1};
  }

  /// Ascending intervals as parts, each of as many as are alike and equally far apart.
  std::vector<NormWalkPart> parts(std::vector<Interval> const &intervals) const {
    std::vector<NormWalkPart> parts;
    for (std::size_t begin = 0, end = 1; begin != intervals.size(); begin = end, ++end) {
      std::optional<Piece> const first = piece(intervals[begin]);
      std::size_t stat = 0, chan = 0; // from one interval to the next
      for (; first && end != intervals.size(); ++end) {
        std::optional<Piece> const next = piece(intervals[end]), last = piece(intervals[end - 1]);
        if (!next || next->dims != first->dims || next->stat < last->stat ||
            next->chan < last->chan)
          break;
        if (end == begin + 1) {
          stat = next->stat - last->stat;
          chan = next->chan - last->chan;
        } else if (next->stat - last->stat != stat || next->chan - last->chan != chan) {
          break;
        }
      }
      parts.push_back(end == begin + 1
                          ? single(intervals[begin])
                          : joined({intervals.begin() + static_cast<std::ptrdiff_t>(begin),
                                    intervals.begin() + static_cast<std::ptrdiff_t>(end)},
                                   *first, {end - begin, stat, chan}));
    }
    return parts;
  }

private:
  struct Dim {
    std::size_t size, stat, chan;
    friend bool operator==(Dim const &, Dim const &) = default;
  };

  /// An interval that is a box of innermost dimensions.
  struct Piece {
    std::size_t stat = 0, chan = 0; ///< of its first element
    std::vector<Dim> dims;
  };

  std::optional<Piece> piece(Interval const &interval) const {
    Piece piece;
    std::size_t block = 1, d = dims_.size(); // elements of the dimensions that are run through
    do {
      Dim const &dim = dims_[--d];
      piece.dims.insert(piece.dims.begin(), dim);
      if (interval.begin() % block != 0 || interval.size() % block != 0)
        return std::nullopt;
      std::size_t const size = interval.size() / block;
      if (interval.begin() / block % dim.size + size <= dim.size) {
        piece.dims.front().size = size;
        std::size_t at = interval.begin();
        for (std::size_t i = dims_.size(); i-- != 0; at /= dims_[i].size) {
          piece.stat += at % dims_[i].size * dims_[i].stat;
          piece.chan += at % dims_[i].size * dims_[i].chan;
        }
        return piece;
      }
      block *= dim.size;
    } while (d != 0);
    return std::nullopt;
  }

  NormWalkPart single(Interval const &interval) const {
    auto const stats = coefficients(interval, false), chans = coefficients(interval, true);
    return {{interval},
            words(dims_),
            interval.begin(),
            stats,
            chans,
            -static_cast<long long>(stats.begin()),
            -static_cast<long long>(chans.begin())};
  }

  NormWalkPart joined(std::vector<Interval> intervals, Piece const &first, Dim const &outer) const {
    std::vector<Dim> dims{outer};
    dims.insert(dims.end(), first.dims.begin(), first.dims.end());
    Interval const &front = intervals.front(), &back = intervals.back();
    Interval const stats(coefficients(front, false).begin(), coefficients(back, false).end()),
        chans(coefficients(front, true).begin(), coefficients(back, true).end());
    auto const statBase = static_cast<long long>(first.stat - stats.begin()),
               chanBase = static_cast<long long>(first.chan - chans.begin());
    return {std::move(intervals), words(dims), 0, stats, chans, statBase, chanBase};
  }

  static std::vector<unsigned> words(std::vector<Dim> const &dims) {
    std::vector<unsigned> words;
    for (Dim const &d : dims)
      for (std::size_t word : {d.size, d.stat, d.chan})
        words.push_back(static_cast<unsigned>(word));
    return words;
  }

  static std::vector<std::size_t> strides(Tensor const &t, std::vector<bool> const &which) {
    std::vector<std::size_t> strides(t.rank(), 0);
    std::size_t next = 1;
    for (unsigned d = t.rank(); d-- != 0;)
      if (which[d]) {
        strides[d] = next;
        next *= t.dim(d);
      }
    return strides;
  }

  void append(Dim const &d) {
    if (!dims_.empty()) {
      Dim &last = dims_.back();
      if (last.stat == d.stat * d.size && last.chan == d.chan * d.size &&
          last.size * d.size <= std::numeric_limits<unsigned>::max()) {
        last = {last.size * d.size, d.stat, d.chan};
        return;
      }
    }
    dims_.push_back(d);
  }

  std::vector<Dim> dims_;
};

} // namespace cottonwood::poplin::detail
