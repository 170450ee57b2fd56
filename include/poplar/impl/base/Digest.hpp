// Identity of contents: what is equal has equal digests, and what differs by accident has not.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace cottonwood::base {

/// FNV-1a over 128 bits (offset basis and prime: RFC draft "The FNV Non-Cryptographic Hash
/// Algorithm", section 5). No protection against intent.
class Digest {
public:
  Digest &add(std::string_view bytes) {
    for (char const c : bytes)
      state_ = (state_ ^ static_cast<unsigned char>(c)) * PRIME;
    return *this;
  }
  /// A text and where it ends, so that ("ab", "c") differs from ("a", "bc").
  Digest &addText(std::string_view text) { return add(text).addNumber(text.size()); }
  Digest &addNumber(std::uint64_t number) {
    for (unsigned byte = 0; byte != 8; ++byte, number >>= 8)
      state_ = (state_ ^ (number & 0xff)) * PRIME;
    return *this;
  }

  /// The lower half; never 0.
  std::uint64_t word() const {
    auto const low = static_cast<std::uint64_t>(state_);
    return low != 0 ? low : 1;
  }
  /// 32 hexadecimal digits.
  std::string hex() const {
    std::string text(32, '0');
    Wide rest = state_;
    for (auto digit = text.rbegin(); digit != text.rend(); ++digit, rest >>= 4)
      *digit = "0123456789abcdef"[static_cast<unsigned>(rest & 15)];
    return text;
  }

private:
  __extension__ typedef unsigned __int128 Wide;
  static constexpr Wide PRIME = (Wide{1} << 88) + 0x13b;
  Wide state_ = (Wide{0x6c62272e07bb0142} << 64) + 0x62b821756295c58d;
};

inline std::string digestOf(std::string_view bytes) { return Digest().add(bytes).hex(); }

} // namespace cottonwood::base
