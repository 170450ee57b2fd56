// Half-open intervals [begin, end) of element indices.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_INTERVAL_HPP
#define POPLAR_INTERVAL_HPP

#include <cstddef>
#include <iosfwd>

namespace cottonwood {
namespace base {
/// \throws poplar::poplar_error always, naming both ends.
[[noreturn]] POP_API void throwBadInterval(unsigned long long begin, unsigned long long end);
} // namespace base
} // namespace cottonwood

namespace poplar {

/// The indices i with begin() <= i < end(). begin() and end() are values, not iterators.
template <class T> class GenericInterval {
public:
  /// [0, 0)
  constexpr GenericInterval() : begin_(0), end_(0) {}
  /// \throws poplar::poplar_error  begin is above end.
  GenericInterval(T begin, T end) : begin_(begin), end_(end) {
    if (end_ < begin_)
      cottonwood::base::throwBadInterval(static_cast<unsigned long long>(begin_),
                                         static_cast<unsigned long long>(end_));
  }

  constexpr T const &begin() const { return begin_; }
  constexpr T const &end() const { return end_; }
  constexpr T size() const { return static_cast<T>(end_ - begin_); }

private:
  T begin_;
  T end_;
};

/// The order is by begin, then by end.
template <class T> bool operator==(GenericInterval<T> const &a, GenericInterval<T> const &b) {
  return a.begin() == b.begin() && a.end() == b.end();
}
template <class T> bool operator!=(GenericInterval<T> const &a, GenericInterval<T> const &b) {
  return !(a == b);
}
template <class T> bool operator<(GenericInterval<T> const &a, GenericInterval<T> const &b) {
  return a.begin() < b.begin() || (a.begin() == b.begin() && a.end() < b.end());
}
template <class T> bool operator<=(GenericInterval<T> const &a, GenericInterval<T> const &b) {
  return !(b < a);
}
template <class T> bool operator>(GenericInterval<T> const &a, GenericInterval<T> const &b) {
  return b < a;
}
template <class T> bool operator>=(GenericInterval<T> const &a, GenericInterval<T> const &b) {
  return !(a < b);
}

/// Prints `[begin:end)`.
template <class Char, class Traits, class T>
std::basic_ostream<Char, Traits> &operator<<(std::basic_ostream<Char, Traits> &stream,
                                             GenericInterval<T> const &interval) {
  return stream << '[' << interval.begin() << ':' << interval.end() << ')';
}

using Interval = GenericInterval<std::size_t>;

} // namespace poplar

#endif
