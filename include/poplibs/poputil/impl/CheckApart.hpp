// The check of functions that write several tensors at once.
#pragma once

#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/Tensor.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/TypeInfo.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cottonwood::poputil {

/// The first element of `a` that is one of `b`, and which, in the order of the two. Neither has
/// aliases.
inline std::optional<std::pair<std::size_t, std::size_t>> firstShared(::poplar::Tensor const &a,
                                                                      ::poplar::Tensor const &b) {
  using ::poplar::VariableInterval;
  std::map<VariableInterval, std::size_t> runs; // of b, with where they begin in it
  std::size_t at = 0;
  for (VariableInterval const &run : b.flatten().getVarRegions()) {
    runs.emplace(run, at);
    at += run.interval.size();
  }
  at = 0;
  for (VariableInterval const &run : a.flatten().getVarRegions()) {
    // The last run of b that begins no later, or else the next.
    auto other = runs.upper_bound({run.var, {run.interval.begin(), ~std::size_t{0}}});
    if (other != runs.begin() && std::prev(other)->first.var == run.var &&
        std::prev(other)->first.interval.end() > run.interval.begin())
      --other;
    if (other != runs.end() && other->first.var == run.var &&
        other->first.interval.begin() < run.interval.end()) {
      std::size_t const first = std::max(run.interval.begin(), other->first.interval.begin());
      return std::pair(at + first - run.interval.begin(),
                       other->second + first - other->first.interval.begin());
    }
    at += run.interval.size();
  }
  return std::nullopt;
}

/// Whether any two share elements; all are looked at once. Each by itself has no aliases.
inline bool anyShared(std::vector<::poplar::Tensor> const &tensors) {
  std::map<::poplar::Type, std::vector<::poplar::Tensor>> bySize;
  for (::poplar::Tensor const &t : tensors) {
    std::size_t const bytes = base::sizeOf(t.elementType());
    ::poplar::Type const bits = bytes == 1   ? ::poplar::UNSIGNED_CHAR
                                : bytes == 2 ? ::poplar::UNSIGNED_SHORT
                                : bytes == 4 ? ::poplar::UNSIGNED_INT
                                             : ::poplar::UNSIGNED_LONGLONG;
    bySize[bits].push_back(t.flatten().reinterpret(bits));
  }
  for (auto const &[bits, same] : bySize)
    if (::poplar::concat(same).containsAliases())
      return true;
  return false;
}

/// \param nameOf  nameOf(i) names written[i]: "outs[1]"
/// \throws poputil::poplibs_error  two tensors share elements; begins with `function`. Each by
///         itself must be writeable in parallel.
template <class NameOf>
void checkApart(char const *function, std::vector<::poplar::Tensor> const &written,
                NameOf const &nameOf) {
  if (written.size() < 2 || !anyShared(written))
    return;
  for (std::size_t b = 1; b != written.size(); ++b)
    for (std::size_t a = 0; a != b; ++a) {
      if (!written[a].intersectsWith(written[b]))
        continue;
      auto const first = firstShared(written[a], written[b]);
      auto const element = [&](std::size_t i, std::size_t index) {
        return base::shapeText(::poputil::unflattenIndex(written[i].shape(), index));
      };
      base::fail<::poputil::poplibs_error>(
          function, nameOf(a), " and ", nameOf(b), " share elements, the first being element ",
          element(a, first->first), " of the one and ", element(b, first->second),
          " of the other; both are written");
    }
}

/// As above, of tensors named base[0], base[1] and so on.
inline void checkApart(char const *function, std::string const &base,
                       std::vector<::poplar::Tensor> const &written) {
  checkApart(function, written,
             [&](std::size_t i) { return base + "[" + std::to_string(i) + "]"; });
}

} // namespace cottonwood::poputil
