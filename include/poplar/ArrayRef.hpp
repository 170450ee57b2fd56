// Views of contiguous sequences that somebody else owns.
//
//   poplar::ArrayRef<T>  read-only; the usual parameter type for shapes, permutations and lists of
//   tensors. gccs::ArrayRef<T>    elements can be written through it; the usual parameter type for
//   output buffers.
//
// Neither keeps its elements alive: a view of a temporary is good until the end of the full
// expression.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_ARRAYREF_HPP
#define POPLAR_ARRAYREF_HPP

#include <array>
#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <vector>

namespace cottonwood {
namespace base {

/// True when an array of From can be read as an array of To: equal types, added const at any level,
/// or a derived class that adds no members (std::vector<Sequence> passed for ArrayRef<Program>).
template <class From, class To, bool same = std::is_same<From, To>::value,
          bool pointersConvert = std::is_convertible<From const *, To const *>::value>
struct ViewableAs {
  static constexpr bool value = false;
};
template <class From, class To, bool pointersConvert>
struct ViewableAs<From, To, true, pointersConvert> {
  static constexpr bool value = true;
};
template <class From, class To> struct ViewableAs<From, To, false, true> {
  static constexpr bool value = sizeof(From) == sizeof(To);
};

// Going through a function keeps -Winit-list-lifetime quiet: that a view of a braced list lives for
// the full expression only is the documented contract.
template <class T> constexpr T const *listBegin(std::initializer_list<T> const &list) {
  return list.begin();
}

} // namespace base
} // namespace cottonwood

namespace gccs {

/// A view of `size()` contiguous elements that can be written through. T may be const.
template <class T> class ArrayRef {
public:
  using value_type = typename std::remove_cv<T>::type;
  using iterator = T *;
  using const_iterator = T *;
  using reference = T &;
  using const_reference = T &;
  using size_type = std::size_t;

  ArrayRef(std::nullptr_t) = delete;
  constexpr ArrayRef() noexcept : data_(nullptr), size_(0) {}
  constexpr ArrayRef(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
  template <class A>
  ArrayRef(std::vector<value_type, A> &v) noexcept : data_(v.data()), size_(v.size()) {}
  template <class A, class U = T, class = typename std::enable_if<std::is_const<U>::value>::type>
  ArrayRef(std::vector<value_type, A> const &v) noexcept : data_(v.data()), size_(v.size()) {}
  template <std::size_t n>
  ArrayRef(std::array<value_type, n> &a) noexcept : data_(a.data()), size_(n) {}
  template <std::size_t n, class U = T,
            class = typename std::enable_if<std::is_const<U>::value>::type>
  ArrayRef(std::array<value_type, n> const &a) noexcept : data_(a.data()), size_(n) {}
  template <std::size_t n> constexpr ArrayRef(T (&a)[n]) noexcept : data_(a), size_(n) {}
  /// A writable view is also a read-only one.
  template <class U, class = typename std::enable_if<std::is_same<U const, T>::value &&
                                                     !std::is_const<U>::value>::type>
  constexpr ArrayRef(ArrayRef<U> const &other) noexcept
      : data_(other.data()), size_(other.size()) {}

  constexpr T *data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  T &front() const { return data_[0]; }
  T &back() const { return data_[size_ - 1]; }
  T &operator[](std::size_t i) const { return data_[i]; }
  constexpr T *begin() const noexcept { return data_; }
  constexpr T *end() const noexcept { return data_ + size_; }
  constexpr T const *cbegin() const noexcept { return data_; }
  constexpr T const *cend() const noexcept { return data_ + size_; }
  std::vector<value_type> cloneAsVector() const { return std::vector<value_type>(begin(), end()); }

private:
  T *data_;
  std::size_t size_;
};

#if POP_CXX17
template <class T, class A> ArrayRef(std::vector<T, A> &) -> ArrayRef<T>;
template <class T, class A> ArrayRef(std::vector<T, A> const &) -> ArrayRef<T const>;
template <class T, std::size_t n> ArrayRef(std::array<T, n> &) -> ArrayRef<T>;
template <class T, std::size_t n> ArrayRef(std::array<T, n> const &) -> ArrayRef<T const>;
template <class T, std::size_t n> ArrayRef(T (&)[n]) -> ArrayRef<T>;
template <class T> ArrayRef(T *, std::size_t) -> ArrayRef<T>;
#endif

} // namespace gccs

namespace poplar {

/// A read-only view of `size()` contiguous elements. Converts from braced lists, std::vector,
/// std::array, C arrays and gccs::ArrayRef. std::vector<bool> has no contiguous elements and does
/// not convert.
template <class T> class ArrayRef {
public:
  using value_type = T;
  using const_iterator = T const *;
  using iterator = const_iterator;
  using const_reference = T const &;
  using reference = const_reference;
  using size_type = std::size_t;

  ArrayRef(std::nullptr_t) = delete;
  constexpr ArrayRef() noexcept : data_(nullptr), size_(0) {}
  constexpr ArrayRef(T const *data, std::size_t size) noexcept : data_(data), size_(size) {}
  template <class U, class A,
            class = typename std::enable_if<!std::is_same<U, bool>::value &&
                                            cottonwood::base::ViewableAs<U, T>::value>::type>
  ArrayRef(std::vector<U, A> const &v) noexcept : data_(v.data()), size_(v.size()) {}
  template <class U, std::size_t n,
            class = typename std::enable_if<cottonwood::base::ViewableAs<U, T>::value>::type>
#if POP_CXX17
  constexpr
#endif
      ArrayRef(std::array<U, n> const &a) noexcept
      : data_(a.data()), size_(n) {
  }
  template <std::size_t n> constexpr ArrayRef(T const (&a)[n]) noexcept : data_(a), size_(n) {}
  constexpr ArrayRef(std::initializer_list<T> list) noexcept
      : data_(cottonwood::base::listBegin(list)), size_(list.size()) {}
  template <class U, class = typename std::enable_if<
                         std::is_same<typename std::remove_const<U>::type, T>::value>::type>
  constexpr ArrayRef(gccs::ArrayRef<U> const &view) noexcept
      : data_(view.data()), size_(view.size()) {}
  constexpr ArrayRef(ArrayRef const &) noexcept = default;
  ArrayRef &operator=(ArrayRef const &) noexcept = default;

  constexpr operator gccs::ArrayRef<T const>() const noexcept {
    return gccs::ArrayRef<T const>(data_, size_);
  }

  constexpr T const *data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  T const &front() const { return data_[0]; }
  T const &back() const { return data_[size_ - 1]; }
  T const &operator[](std::size_t i) const { return data_[i]; }
  constexpr const_iterator begin() const noexcept { return data_; }
  constexpr const_iterator end() const noexcept { return data_ + size_; }
  constexpr const_iterator cbegin() const noexcept { return data_; }
  constexpr const_iterator cend() const noexcept { return data_ + size_; }
  std::vector<T> cloneAsVector() const { return std::vector<T>(begin(), end()); }
  std::size_t max_size() const noexcept { return static_cast<std::size_t>(-1) / sizeof(T); }

private:
  T const *data_;
  std::size_t size_;
};

#if POP_CXX17
template <class T, class A> ArrayRef(std::vector<T, A> const &) -> ArrayRef<T>;
template <class T, std::size_t n> ArrayRef(std::array<T, n> const &) -> ArrayRef<T>;
template <class T, std::size_t n> ArrayRef(T const (&)[n]) -> ArrayRef<T>;
template <class T> ArrayRef(T const *, std::size_t) -> ArrayRef<T>;
template <class T> ArrayRef(std::initializer_list<T>) -> ArrayRef<T>;
template <class T> ArrayRef(gccs::ArrayRef<T>) -> ArrayRef<typename std::remove_const<T>::type>;
#endif

/// Equal lengths and equal elements.
template <class T> bool operator==(ArrayRef<T> const &a, ArrayRef<T> const &b) {
  if (a.size() != b.size())
    return false;
  for (std::size_t i = 0; i != a.size(); ++i)
    if (!(a[i] == b[i]))
      return false;
  return true;
}
template <class T> bool operator!=(ArrayRef<T> const &a, ArrayRef<T> const &b) { return !(a == b); }

} // namespace poplar

#endif
