// Bodies of <poplar/StringRef.hpp> and <poplar/Interval.hpp>.
#pragma once

#include <ostream>
#include <poplar/Interval.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/impl/base/Error.hpp>
#include <string_view>

namespace cottonwood::base {

POP_INLINE void throwBadInterval(unsigned long long begin, unsigned long long end) {
  fail<poplar::poplar_error>("poplar::Interval", "begin ", begin, " is above end ", end,
                             "; an interval [begin:end) needs begin <= end");
}

namespace detail {
POP_ALWAYS_INLINE std::string_view viewOf(poplar::StringRef text) noexcept {
  return {text.data(), text.size()};
}
} // namespace detail
} // namespace cottonwood::base

namespace poplar {

POP_INLINE bool operator==(StringRef a, StringRef b) noexcept {
  return cottonwood::base::detail::viewOf(a) == cottonwood::base::detail::viewOf(b);
}
POP_INLINE bool operator!=(StringRef a, StringRef b) noexcept { return !(a == b); }
POP_INLINE bool operator<(StringRef a, StringRef b) noexcept {
  return cottonwood::base::detail::viewOf(a) < cottonwood::base::detail::viewOf(b);
}

POP_INLINE std::string operator+(StringRef a, StringRef b) {
  std::string text;
  text.reserve(a.size() + b.size());
  text.append(a.data(), a.size());
  text.append(b.data(), b.size());
  return text;
}

POP_INLINE std::string &operator+=(std::string &a, StringRef b) {
  return a.append(b.data(), b.size());
}

POP_INLINE std::ostream &operator<<(std::ostream &stream, StringRef const &text) {
  return stream << cottonwood::base::detail::viewOf(text);
}

} // namespace poplar
