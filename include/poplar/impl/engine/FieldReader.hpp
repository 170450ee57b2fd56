// Reads stored fields; the format is that of ExecutableFile.hpp. Trusts nothing: a count is
// believed as far as there are bytes for it.
#pragma once

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/engine/ExecutableFields.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace cottonwood::engine {

class FieldReader {
public:
  explicit FieldReader(std::span<std::byte const> in) : in_(in) {}

  /// What Fields<S>::visit calls.
  template <class... T> void fields(char const *names, T &...values) {
    path_.push_back({names, 0});
    ((value(values), ++path_.back().index), ...);
    path_.pop_back();
  }

  template <class T> void value(T &x) {
    if constexpr (Fields<T>::KNOWN)
      Fields<T>::visit(*this, x);
    else if constexpr (std::is_enum_v<T>)
      enumerator(x);
    else if constexpr (std::is_same_v<T, bool>)
      x = limited(1, "truth value") != 0;
    else if constexpr (std::is_same_v<T, double>)
      x = std::bit_cast<double>(number<std::uint64_t>());
    else if constexpr (std::is_integral_v<T>)
      x = static_cast<T>(number<std::make_unsigned_t<T>>());
    else
      take(x);
  }

  std::size_t left() const { return in_.size(); }

  /// Ends with an error that says which field it is.
  template <class... A> [[noreturn]] void fail(A const &...parts) const {
    throw poplar::poplar_error(
        base::textOf("Executable::deserialize: ", pathText(), ": ", parts...));
  }

private:
  /// A list of names with the number of one of them; without names, an index.
  struct Place {
    char const *names;
    std::uint64_t index;
  };

  std::string pathText() const;

  void need(std::uint64_t bytes, char const *what) const {
    if (bytes > in_.size())
      fail(what, " of ", bytes, " bytes found, but only ", in_.size(), " bytes are left");
  }

  template <class U> U number() {
    need(sizeof(U), "number");
    U x = 0;
    for (std::size_t i = 0; i < sizeof x; ++i)
      x = static_cast<U>(x | static_cast<U>(U{std::to_integer<std::uint8_t>(in_[i])} << (8 * i)));
    in_ = in_.subspan(sizeof x);
    return x;
  }

  std::uint8_t limited(std::uint8_t last, char const *what) {
    auto const x = number<std::uint8_t>();
    if (x > last)
      fail(what, " ", unsigned{x}, " found; at most ", unsigned{last}, " is wanted");
    return x;
  }

  template <class E> void enumerator(E &x) {
    x = static_cast<E>(limited(static_cast<std::uint8_t>(LAST_OF<E>), "enumerator"));
  }

  /// Of a list; every element takes a byte at least.
  std::uint64_t count() {
    auto const n = number<std::uint64_t>();
    if (n > in_.size())
      fail("list of ", n, " elements found, but only ", in_.size(), " bytes are left");
    return n;
  }

  std::span<std::byte const> bytes(char const *what) {
    auto const n = number<std::uint64_t>();
    need(n, what);
    auto const taken = in_.first(n);
    in_ = in_.subspan(n);
    return taken;
  }

  void take(std::string &x) {
    auto const text = bytes("text");
    x.assign(reinterpret_cast<char const *>(text.data()), text.size());
  }
  void take(poplar::Type &x) {
    base::TypeId id;
    enumerator(id);
    x = poplar::Type(id);
  }
  void take(std::vector<std::byte> &x) {
    auto const taken = bytes("block");
    x.assign(taken.begin(), taken.end());
  }
  void take(poplar::Target &x) {
    model::TargetData data;
    value(data);
    x = model::makeTarget(std::move(data));
  }
  void take(poplar::PrintTensorFmt &x) {
    unsigned threshold = 0, edgeItems = 0, width = 0, digits = 0;
    poplar::PrintTensorFmt::FloatFormat format{};
    char separator = 0, open = 0, close = 0;
    fields("summariseThreshold, edgeItems, maxLineWidth, digits, floatFormat, separator, "
           "openBracket, closeBracket",
           threshold, edgeItems, width, digits, format, separator, open, close);
    x = poplar::PrintTensorFmt(threshold, edgeItems, width, digits, format, separator, open, close);
  }
  void take(poplar::OptionFlags &x) {
    path_.push_back({nullptr, 0});
    for (std::uint64_t n = count(); path_.back().index < n; ++path_.back().index) {
      std::string name, setting;
      fields("name, value", name, setting);
      x.set(name, setting);
    }
    path_.pop_back();
  }
  template <class A, class B> void take(std::pair<A, B> &x) {
    fields("first, second", x.first, x.second);
  }
  template <class T> void take(std::vector<T> &x) {
    /// No stored structure is smaller, and a lie costs no more memory than the file itself.
    constexpr std::size_t FEW_BYTES = 16;
    std::uint64_t const n = count();
    x.reserve(std::min<std::uint64_t>(n, in_.size() / FEW_BYTES + 1));
    path_.push_back({nullptr, 0});
    for (; path_.back().index < n; ++path_.back().index) {
      if constexpr (std::is_same_v<T, poplar::GlobalExchangeFlow>)
        x.emplace_back(0u, 0u);
      else if constexpr (std::is_same_v<T, poplar::GlobalExchangeConstraint>)
        x.emplace_back(0.0, std::vector<poplar::GlobalExchangeFlow>());
      else
        x.emplace_back();
      value(x.back());
    }
    path_.pop_back();
  }

  std::span<std::byte const> in_;
  std::vector<Place> path_;
};

/// "computeSets[3].name"
inline std::string FieldReader::pathText() const {
  std::string text;
  for (Place const &place : path_) {
    if (!place.names) {
      text += base::textOf("[", place.index, "]");
      continue;
    }
    std::string_view names = place.names;
    for (std::uint64_t i = 0; i < place.index; ++i)
      names.remove_prefix(std::min(names.find(',') + 1, names.size()));
    while (names.starts_with(' '))
      names.remove_prefix(1);
    text += (text.empty() ? "" : ".");
    text += names.substr(0, names.find(','));
  }
  return text.empty() ? "payload" : text;
}

} // namespace cottonwood::engine
