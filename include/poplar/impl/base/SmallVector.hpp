// A vector of trivially copyable elements that holds up to N of them without allocating.
#pragma once

#include <algorithm>
#include <cassert>
#include <compare>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace cottonwood::base {

template <class T, std::size_t N> class SmallVector {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  static_assert(N > 0);

public:
  using value_type = T;
  using size_type = std::size_t;
  using iterator = T *;
  using const_iterator = T const *;

  SmallVector() noexcept : data_(inlineData()) {}
  explicit SmallVector(std::size_t size, T const &value = T()) : SmallVector() {
    resize(size, value);
  }
  SmallVector(std::initializer_list<T> list) : SmallVector(list.begin(), list.end()) {}
  explicit SmallVector(std::span<T const> values) : SmallVector() { append(values); }
  template <class I>
  requires(!std::is_integral_v<I>) SmallVector(I first, I last) : SmallVector() {
    for (; first != last; ++first)
      push_back(*first);
  }
  SmallVector(SmallVector const &other) : SmallVector() { append(other); }
  SmallVector(SmallVector &&other) noexcept : SmallVector() { steal(other); }
  SmallVector &operator=(SmallVector const &other) {
    if (this != &other)
      assign(other);
    return *this;
  }
  SmallVector &operator=(SmallVector &&other) noexcept {
    if (this != &other) {
      release();
      steal(other);
    }
    return *this;
  }
  ~SmallVector() { release(); }

  T *data() noexcept { return data_; }
  T const *data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t capacity() const noexcept { return capacity_; }
  bool empty() const noexcept { return size_ == 0; }
  bool isInline() const noexcept { return data_ == inlineData(); }
  T *begin() noexcept { return data_; }
  T *end() noexcept { return data_ + size_; }
  T const *begin() const noexcept { return data_; }
  T const *end() const noexcept { return data_ + size_; }
  T &operator[](std::size_t i) noexcept {
    assert(i < size_);
    return data_[i];
  }
  T const &operator[](std::size_t i) const noexcept {
    assert(i < size_);
    return data_[i];
  }
  T &front() noexcept { return (*this)[0]; }
  T const &front() const noexcept { return (*this)[0]; }
  T &back() noexcept { return (*this)[size_ - 1]; }
  T const &back() const noexcept { return (*this)[size_ - 1]; }

  void clear() noexcept { size_ = 0; }
  void reserve(std::size_t capacity) {
    if (capacity > capacity_)
      grow(capacity);
  }
  void resize(std::size_t size, T const &value = T()) {
    T const copy = value; // may live in this vector
    reserve(size);
    for (std::size_t i = size_; i < size; ++i)
      data_[i] = copy;
    size_ = size;
  }
  void push_back(T const &value) {
    T const copy = value;
    if (size_ == capacity_)
      grow(size_ + 1);
    data_[size_++] = copy;
  }
  template <class... A> T &emplace_back(A &&...args) {
    push_back(T{std::forward<A>(args)...});
    return back();
  }
  void pop_back() noexcept {
    assert(size_ != 0);
    --size_;
  }
  void insert(std::size_t at, T const &value) {
    assert(at <= size_);
    push_back(value);
    std::rotate(begin() + at, end() - 1, end());
  }
  void erase(std::size_t at) noexcept {
    assert(at < size_);
    std::copy(begin() + at + 1, end(), begin() + at);
    --size_;
  }
  /// `values` must not view this vector's own elements.
  void assign(std::span<T const> values) {
    clear();
    append(values);
  }
  void append(std::span<T const> values) {
    reserve(size_ + values.size());
    if (!values.empty())
      std::memcpy(static_cast<void *>(data_ + size_), values.data(), values.size_bytes());
    size_ += values.size();
  }

  friend bool operator==(SmallVector const &a, SmallVector const &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend auto operator<=>(SmallVector const &a,
                          SmallVector const &b) requires std::three_way_comparable<T> {
    return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
  }

private:
  T *inlineData() noexcept { return reinterpret_cast<T *>(storage_); }
  T const *inlineData() const noexcept { return reinterpret_cast<T const *>(storage_); }

  void grow(std::size_t atLeast) {
    std::size_t const capacity = std::max(atLeast, capacity_ * 2);
    T *const fresh = std::allocator<T>().allocate(capacity);
    if (size_ != 0)
      std::memcpy(static_cast<void *>(fresh), data_, size_ * sizeof(T));
    freeHeap();
    data_ = fresh;
    capacity_ = capacity;
  }
  void freeHeap() noexcept {
    if (!isInline())
      std::allocator<T>().deallocate(data_, capacity_);
  }
  void release() noexcept {
    freeHeap();
    data_ = inlineData();
    capacity_ = N;
    size_ = 0;
  }
  /// This vector must be empty and inline.
  void steal(SmallVector &other) noexcept {
    if (other.isInline()) {
      if (other.size_ != 0)
        std::memcpy(static_cast<void *>(data_), other.data_, other.size_ * sizeof(T));
      size_ = std::exchange(other.size_, 0);
      return;
    }
    data_ = std::exchange(other.data_, other.inlineData());
    capacity_ = std::exchange(other.capacity_, N);
    size_ = std::exchange(other.size_, 0);
  }

  T *data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = N;
  alignas(T) unsigned char storage_[N * sizeof(T)];
};

} // namespace cottonwood::base
