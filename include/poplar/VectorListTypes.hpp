// VectorList: one edge that is a list of vectors of different lengths.
//
// The image of every layout is { Row *p; std::size_t n; } with rows { T *p; std::size_t n; }.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_VECTORLISTTYPES_HPP
#define POPLAR_VECTORLISTTYPES_HPP

#include <cstddef>
#include <poplar/FieldTypes.hpp>
#include <poplar/VectorLayout.hpp>

namespace poplar {

/// Names the data of a list edge; only used inside Input, Output and InOut.
template <class T, VectorListLayout L, unsigned MinAlign = alignof(T), bool Interleaved = false>
class VectorList;

/// One vector of a list: a small value, good for as long as the vertex runs.
template <class T, unsigned MinAlign = alignof(T)> class BaseAndDelta {
public:
  std::size_t size() const { return cottonwood::field::sizeOf(size_); }
  bool empty() const { return size_ == 0; }
  T &operator[](std::size_t i) { return data_[i]; }
  T const &operator[](std::size_t i) const { return data_[i]; }
  T *data() { return data_; }
  T const *data() const { return data_; }
  T *begin() { return data_; }
  T *end() { return data_ + size_; }
  T const *begin() const { return data_; }
  T const *end() const { return data_ + size_; }

private:
  T *data_;
  std::size_t size_;
};
template <class T, unsigned MinAlign = alignof(T)>
using BaseAndDeltaElements = BaseAndDelta<T, MinAlign>;

/// The list. Elements come by value, so that `auto const &row = list[i];` binds a temporary that
/// owns what it needs.
template <class T, unsigned MinAlign = alignof(T)> class BaseAndDeltas {
public:
  std::size_t size() const { return cottonwood::field::sizeOf(size_); }
  bool empty() const { return size_ == 0; }
  BaseAndDelta<T, MinAlign> operator[](std::size_t i) const { return rows_[i]; }
  BaseAndDelta<T, MinAlign> *begin() const { return rows_; }
  BaseAndDelta<T, MinAlign> *end() const { return rows_ + size_; }

private:
  BaseAndDelta<T, MinAlign> *rows_;
  std::size_t size_;
};
template <class T, unsigned MinAlign = alignof(T)>
using BaseAndDeltasElements = BaseAndDeltas<T, MinAlign>;

/// The class that represents a list layout.
template <class T, VectorListLayout L, unsigned MinAlign = alignof(T), bool Interleaved = false>
struct V2DLayoutEnumToType {
  using type = BaseAndDeltas<T, MinAlign>;
};

} // namespace poplar

#endif
