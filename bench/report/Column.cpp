#include <bench/report/Column.hpp>

#include <algorithm>
#include <stdexcept>

namespace cottonwood::report {
namespace {

constexpr Number LIMIT = Number(1) << 52;

void appendVarint(std::string &bytes, Number value) {
  for (; value >= 128; value >>= 7)
    bytes.push_back(static_cast<char>(value | 128));
  bytes.push_back(static_cast<char>(value));
}

std::string toBase64(std::string const &bytes) {
  constexpr char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::size_t const taken = std::min<std::size_t>(3, bytes.size() - at);
    unsigned group = 0;
    for (std::size_t i = 0; i < 3; ++i)
      group = group << 8 | (i < taken ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i)
      text.push_back(i <= taken ? DIGITS[group >> (18 - 6 * i) & 63] : '=');
  }
  return text;
}

} // namespace

std::string packColumn(std::span<Number const> values) {
  std::string bytes;
  Number last = 0;
  for (Number value : values) {
    if (value >= LIMIT)
      throw std::out_of_range("report::packColumn: " + std::to_string(value) +
                              " does not fit; numbers must be below 2^52");
    appendVarint(bytes, value >= last ? (value - last) * 2 : (last - value) * 2 - 1);
    last = value;
  }
  return toBase64(bytes);
}

} // namespace cottonwood::report
