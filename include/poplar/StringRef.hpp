// A view of text that somebody else owns; not terminated by a NUL.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_STRINGREF_HPP
#define POPLAR_STRINGREF_HPP

#include <iosfwd>
#include <poplar/ArrayRef.hpp>
#include <string>

namespace poplar {

/// Converts from literals, `char const *` and std::string, and to std::string. Comparisons are by
/// bytes; mixing with std::string and literals is unambiguous in every language standard.
struct StringRef : ArrayRef<char> {
  constexpr StringRef() noexcept : ArrayRef<char>() {}
  constexpr StringRef(StringRef const &) noexcept = default;
  StringRef(std::nullptr_t) = delete;
  StringRef(std::string const &s) noexcept : ArrayRef<char>(s.data(), s.size()) {}
  constexpr StringRef(char const *p, std::size_t length) noexcept : ArrayRef<char>(p, length) {}
  constexpr StringRef(char const *p) noexcept : ArrayRef<char>(p, __builtin_strlen(p)) {}
  /// A buffer of characters: the text up to its first NUL. (Literals prefer the constructor above.)
  template <std::size_t n>
  constexpr StringRef(char const (&a)[n]) noexcept : ArrayRef<char>(a, lengthWithin(a, n, 0)) {}

  StringRef &operator=(StringRef const &) noexcept = default;

  std::string cloneAsString() const {
    return empty() ? std::string() : std::string(data(), size());
  }
  operator std::string() const { return cloneAsString(); }

private:
  static constexpr std::size_t lengthWithin(char const *p, std::size_t n, std::size_t i) noexcept {
    return i == n || p[i] == '\0' ? i : lengthWithin(p, n, i + 1);
  }
};

POP_API bool operator==(StringRef a, StringRef b) noexcept;
POP_API bool operator!=(StringRef a, StringRef b) noexcept;
POP_API bool operator<(StringRef a, StringRef b) noexcept;
POP_API std::string operator+(StringRef a, StringRef b);
POP_API std::string &operator+=(std::string &a, StringRef b);
POP_API std::ostream &operator<<(std::ostream &stream, StringRef const &text);

} // namespace poplar

#endif
