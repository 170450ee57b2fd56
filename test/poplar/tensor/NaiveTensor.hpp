#pragma once
// What a tensor is, in the plainest way: a shape and one location per element. Every operation is
// its formula, evaluated index by index.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace naive {

using Index = std::vector<std::size_t>;
/// Variable and offset.
using Place = std::pair<std::uint32_t, std::uint64_t>;

inline std::size_t numElements(Index const &shape) {
  std::size_t n = 1;
  for (std::size_t const size : shape)
    n *= size;
  return n;
}

inline std::size_t flatIndex(Index const &shape, Index const &idx) {
  std::size_t flat = 0;
  for (std::size_t d = 0; d != shape.size(); ++d)
    flat = flat * shape[d] + idx[d];
  return flat;
}

inline Index indexOf(Index const &shape, std::size_t flat) {
  Index idx(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    idx[d] = flat % shape[d];
    flat /= shape[d];
  }
  return idx;
}

struct Tensor {
  Index shape;
  std::vector<Place> places;

  Place const &at(Index const &idx) const { return places[flatIndex(shape, idx)]; }
};

/// out[idx] = in[source(idx)]
template <class F> Tensor gather(Tensor const &in, Index const &shape, F source) {
  Tensor out{shape, {}};
  for (std::size_t flat = 0; flat != numElements(shape); ++flat)
    out.places.push_back(in.at(source(indexOf(shape, flat))));
  return out;
}

inline Tensor variable(std::uint32_t id, Index const &shape) {
  Tensor out{shape, {}};
  for (std::size_t i = 0; i != numElements(shape); ++i)
    out.places.emplace_back(id, i);
  return out;
}

inline Tensor index(Tensor const &in, std::size_t i) {
  return gather(in, Index(in.shape.begin() + 1, in.shape.end()), [i](Index idx) {
    idx.insert(idx.begin(), i);
    return idx;
  });
}

/// A dimension of another size, read at position(i).
template <class F> Tensor remap(Tensor const &in, unsigned dim, std::size_t size, F position) {
  Index shape = in.shape;
  shape[dim] = size;
  return gather(in, shape, [dim, position](Index idx) {
    idx[dim] = position(idx[dim]);
    return idx;
  });
}

inline Tensor slice(Tensor const &in, std::size_t begin, std::size_t end, unsigned dim) {
  return remap(in, dim, end - begin, [begin](std::size_t i) { return begin + i; });
}
inline Tensor broadcast(Tensor const &in, std::size_t n, unsigned dim) {
  std::size_t const size = in.shape[dim];
  return remap(in, dim, size * n, [size](std::size_t i) { return i % size; });
}
inline Tensor upsample(Tensor const &in, std::size_t scale, unsigned dim) {
  return remap(in, dim, in.shape[dim] * scale, [scale](std::size_t i) { return i / scale; });
}
inline Tensor subSample(Tensor const &in, std::size_t stride, unsigned dim) {
  return remap(in, dim, (in.shape[dim] + stride - 1) / stride,
               [stride](std::size_t i) { return i * stride; });
}
inline Tensor reverse(Tensor const &in, unsigned dim) {
  std::size_t const size = in.shape[dim];
  return remap(in, dim, size, [size](std::size_t i) { return size - 1 - i; });
}
inline Tensor reshape(Tensor const &in, Index const &shape) { return {shape, in.places}; }

inline Tensor dimShuffle(Tensor const &in, std::vector<unsigned> const &permutation) {
  Index shape;
  for (unsigned const dim : permutation)
    shape.push_back(in.shape[dim]);
  return gather(in, shape, [&permutation](Index const &idx) {
    Index source(idx.size());
    for (std::size_t k = 0; k != idx.size(); ++k)
      source[permutation[k]] = idx[k];
    return source;
  });
}

inline Tensor concat(std::vector<Tensor> const &parts, unsigned dim) {
  Index shape = parts[0].shape;
  for (std::size_t m = 1; m != parts.size(); ++m)
    shape[dim] += parts[m].shape[dim];
  Tensor out{shape, {}};
  for (std::size_t flat = 0; flat != numElements(shape); ++flat) {
    Index idx = indexOf(shape, flat);
    std::size_t m = 0;
    for (; idx[dim] >= parts[m].shape[dim]; ++m)
      idx[dim] -= parts[m].shape[dim];
    out.places.push_back(parts[m].at(idx));
  }
  return out;
}

struct Run {
  std::size_t begin, end; ///< flat indices
  Place first;
};

inline std::vector<Run> runs(Tensor const &in) {
  std::vector<Run> result;
  for (std::size_t k = 0; k != in.places.size(); ++k) {
    Place const &place = in.places[k];
    bool const goesOn = !result.empty() && result.back().first.first == place.first &&
                        result.back().first.second + (k - result.back().begin) == place.second;
    if (goesOn)
      result.back().end = k + 1;
    else
      result.push_back({k, k + 1, place});
  }
  return result;
}

inline bool containsAliases(Tensor const &in) {
  return std::set<Place>(in.places.begin(), in.places.end()).size() != in.places.size();
}

inline bool intersects(Tensor const &a, Tensor const &b) {
  std::set<Place> const places(a.places.begin(), a.places.end());
  return std::any_of(b.places.begin(), b.places.end(),
                     [&](Place const &p) { return places.count(p) != 0; });
}

} // namespace naive
