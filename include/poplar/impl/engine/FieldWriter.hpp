// Writes stored fields; the format is that of ExecutableFile.hpp.
#pragma once

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/engine/ExecutableFields.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace cottonwood::engine {

class FieldWriter {
public:
  explicit FieldWriter(std::vector<std::byte> &out) : out_(out) {}

  /// What Fields<S>::visit calls.
  template <class... T> void fields(char const *, T const &...values) { (value(values), ...); }

  template <class T> void value(T const &x) {
    if constexpr (Fields<T>::KNOWN)
      Fields<T>::visit(*this, x);
    else if constexpr (std::is_enum_v<T>)
      enumerator(x);
    else if constexpr (std::is_same_v<T, double>)
      number(std::bit_cast<std::uint64_t>(x));
    else if constexpr (std::is_integral_v<T>)
      number(static_cast<std::make_unsigned_t<Wide<T>>>(x));
    else
      put(x);
  }

  void text(std::string_view x) { bytes(std::as_bytes(std::span(x.data(), x.size()))); }

private:
  template <class T> using Wide = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;

  template <class U> void number(U x) {
    for (std::size_t i = 0; i < sizeof x; ++i)
      out_.push_back(static_cast<std::byte>(x >> (8 * i)));
  }

  template <class E> void enumerator(E x) {
    if (x > LAST_OF<E>)
      throw poplar::poplar_error(base::textOf("Executable::serialize: internal error: enumerator ",
                                              static_cast<int>(x),
                                              " is unknown to "
                                              "ExecutableFields.hpp"));
    number(static_cast<std::uint8_t>(x));
  }

  void bytes(std::span<std::byte const> x) {
    number(std::uint64_t{x.size()});
    out_.insert(out_.end(), x.begin(), x.end());
  }

  void put(std::string const &x) { text(x); }
  void put(poplar::Type const &x) { enumerator(x.id()); }
  void put(std::vector<std::byte> const &x) { bytes(x); }
  void put(poplar::Target const &x) { value(model::dataOf(x)); }
  void put(poplar::PrintTensorFmt const &x) {
    fields("", x.summariseThreshold(), x.edgeItems(), x.maxLineWidth(), x.digits(), x.floatFormat(),
           x.separator(), x.openBracket(), x.closeBracket());
  }
  void put(poplar::OptionFlags const &x) {
    number(std::uint64_t{x.size()});
    for (auto const &[name, setting] : x)
      fields("", name, setting);
  }
  template <class A, class B> void put(std::pair<A, B> const &x) { fields("", x.first, x.second); }
  template <class T> void put(std::vector<T> const &x) {
    number(std::uint64_t{x.size()});
    for (T const &element : x)
      value(element);
  }

  std::vector<std::byte> &out_;
};

} // namespace cottonwood::engine
