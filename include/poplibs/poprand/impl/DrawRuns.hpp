// Which elements of a tensor vertices draw, by their indices in the order of dimensions.
#pragma once

#include <popops/impl/ElementOrder.hpp>

#include <poplar/Interval.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace cottonwood::poprand::detail {

using ::poplar::Interval;

/// What a vertex can walk: runs of `run` neighbours in the order of dimensions (the last one may be
/// shorter), each `stride` behind the one before. Where vertices go through them `width` runs lie
/// side by side.
struct RegularRuns {
  std::vector<Interval> intervals; ///< in the order in which vertices go
  std::size_t begin, run, stride, width;
};

/// Intervals of one tile in the order of dimensions.
inline std::vector<RegularRuns> regularRuns(std::vector<Interval> const &intervals) {
  std::vector<RegularRuns> all;
  for (Interval const &interval : intervals) {
    if (!all.empty()) {
      RegularRuns &last = all.back();
      bool const whole = last.intervals.back().size() == last.run;
      std::size_t const step = interval.begin() - last.intervals.back().begin();
      if (whole && interval.size() <= last.run &&
          (last.intervals.size() == 1 || step == last.stride)) {
        last.intervals.push_back(interval);
        last.stride = step;
        continue;
      }
    }
    all.push_back({{interval}, interval.begin(), interval.size(), interval.size(), 1});
  }
  return all;
}

/// Another order, as rows of neighbours or rows across which neighbours lie.
class RunsInOrder {
public:
  /// Nothing if that is the order of dimensions, or neighbours lie too far apart.
  static std::optional<RunsInOrder> of(popops::ElementOrder const &order,
                                       std::vector<std::size_t> const &shape) {
    RunsInOrder runs(order, shape);
    std::size_t const n = runs.dims_.size();
    if (n < 2 || (runs.dims_[n - 1].stride != 1 && runs.dims_[n - 2].stride != 1))
      return std::nullopt;
    return runs;
  }

  /// The same for intervals in this order.
  std::vector<RegularRuns> runs(std::vector<Interval> const &intervals) const {
    Dim const &rows = dims_[dims_.size() - 2], &row = dims_.back();
    bool const across = row.stride != 1;
    std::vector<RegularRuns> all;
    for (Interval const &interval : intervals)
      for (std::size_t at = interval.begin(), end = 0; at != interval.end(); at = end) {
        std::size_t const inRow = at % row.size, left = interval.end() - at;
        if (inRow != 0 || left < row.size) { // a part of a row
          end = at + std::min(left, row.size - inRow);
          all.push_back({{{at, end}}, indexOf(at), across ? 1 : end - at, row.stride, 1});
          continue;
        }
        std::size_t const count = std::min(left / row.size, rows.size - at / row.size % rows.size);
        end = at + count * row.size;
        if (across)
          all.push_back({{{at, end}}, indexOf(at), count, row.stride, row.size});
        else
          all.push_back({{{at, end}}, indexOf(at), row.size, rows.stride, 1});
      }
    return all;
  }

private:
  struct Dim {
    std::size_t size, stride; ///< stride: from one element to the next in the order of dimensions
  };

  RunsInOrder(popops::ElementOrder const &order, std::vector<std::size_t> const &shape) {
    std::vector<std::size_t> strides(shape.size(), 1);
    for (std::size_t d = shape.size(); d-- > 1;)
      strides[d - 1] = strides[d] * shape[d];
    for (auto const &[dim, size, step] : order.factors()) {
      std::size_t const stride = strides[dim] * step;
      if (size == 1)
        continue;
      if (!dims_.empty() && dims_.back().stride == stride * size)
        dims_.back() = {dims_.back().size * size, stride};
      else
        dims_.push_back({size, stride});
    }
  }

  std::size_t indexOf(std::size_t at) const {
    std::size_t index = 0;
    for (std::size_t d = dims_.size(); d-- != 0; at /= dims_[d].size)
      index += at % dims_[d].size * dims_[d].stride;
    return index;
  }

  std::vector<Dim> dims_; ///< joined where neighbours allow it
};

} // namespace cottonwood::poprand::detail
