// Vector: a vertex's own array, an array of edges, or (inside Input, Output, InOut) the data of one
// edge.
//
// Fields are never constructed: the engine fills a zeroed image of the vertex. The images are
// fixed:
//   SPAN, SHORT_SPAN   { T *p; std::size_t n; }
//   all other layouts  { T *p; }
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_FIELDTYPES_HPP
#define POPLAR_FIELDTYPES_HPP

#include <cstddef>
#include <poplar/VectorLayout.hpp>

namespace cottonwood {
namespace field {

constexpr bool hasSize(poplar::VectorLayout layout) {
  return layout == poplar::VectorLayout::SPAN || layout == poplar::VectorLayout::SHORT_SPAN;
}

/// A number of elements. Codelets compiled by popc may rely on it fitting into 32 bits, as it does
/// on a device (the graph sees to it): loops over an `unsigned` index are vectorised then.
inline __attribute__((always_inline)) std::size_t sizeOf(std::size_t size) {
#if defined(__POPC__)
  if (size > 0xffffffffu)
    __builtin_unreachable();
#endif
  return size;
}

/// Walks backwards; <iterator> alone would double what every codelet has to parse.
template <class T> class Backwards {
public:
  explicit Backwards(T *after) : after_(after) {}
  T &operator*() const { return after_[-1]; }
  T *operator->() const { return after_ - 1; }
  Backwards &operator++() {
    --after_;
    return *this;
  }
  bool operator==(Backwards const &other) const { return after_ == other.after_; }
  bool operator!=(Backwards const &other) const { return after_ != other.after_; }

private:
  T *after_;
};

/// The image of a vector and the access to its elements. Constness is shallow, as that of a
/// pointer.
template <class T, bool withSize> class Elements;

template <class T> class Elements<T, true> {
public:
  std::size_t size() const { return sizeOf(size_); }
  bool empty() const { return size_ == 0; }
  T *data() const { return data_; }
  T &operator[](std::size_t i) const { return data_[i]; }
  T &operator*() const { return *data_; }
  T &front() const { return data_[0]; }
  T &back() const { return data_[size_ - 1]; }
  T *begin() const { return data_; }
  T *end() const { return data_ + size_; }
  Backwards<T> rbegin() const { return Backwards<T>(end()); }
  Backwards<T> rend() const { return Backwards<T>(begin()); }

private:
  T *data_;
  std::size_t size_;
};

template <class T> class Elements<T, false> {
public:
  T *data() const { return data_; }
  T &operator[](std::size_t i) const { return data_[i]; }
  T &operator*() const { return *data_; }
  T *begin() const { return data_; }

private:
  T *data_;
};

} // namespace field
} // namespace cottonwood

namespace poplar {

/// \tparam T            a value type (vertex state), or Input, Output or InOut of something (an
///                      array of edges)
/// \tparam MinAlign     alignment of the first element in bytes, guaranteed
/// \tparam Interleaved  wants interleaved memory of a tile; no effect on a host
template <class T, VectorLayout L = VectorLayout::SPAN, unsigned MinAlign = alignof(T),
          bool Interleaved = false>
class Vector : public cottonwood::field::Elements<T, cottonwood::field::hasSize(L)> {};

} // namespace poplar

#endif
