// Body of Columns.hpp.
#pragma once

#include <poplar/impl/profile/Columns.hpp>

#include <utility>

namespace cottonwood::profile::detail {

/// False at the end of the bytes, or if the number has more than 64 bits.
POP_INLINE bool takeNumber(std::string_view &bytes, std::uint64_t &value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    auto const byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 127u} << shift;
    if (byte < 128)
      return shift < 63 || byte < 2;
  }
  return false;
}

} // namespace cottonwood::profile::detail

namespace cottonwood::profile {

POP_INLINE void ColumnWriter::put(std::uint64_t value) {
  for (; value >= 128; value >>= 7)
    runs_.push_back(static_cast<char>(value | 128));
  runs_.push_back(static_cast<char>(value));
}

POP_INLINE void ColumnWriter::flush() {
  if (length_ == 0)
    return;
  put(length_);
  // Differences wrap around, so any two numbers have one.
  bool const negative = difference_ >> 63 != 0;
  put(negative ? ~difference_ << 1 | 1 : difference_ << 1);
  length_ = 0;
}

POP_INLINE void ColumnWriter::add(std::uint64_t value) {
  std::uint64_t const difference = value - last_;
  if (length_ != 0 && difference != difference_)
    flush();
  difference_ = difference;
  last_ = value;
  ++length_;
  ++count_;
}

POP_INLINE std::string ColumnWriter::finish() {
  flush();
  std::string const body = std::move(runs_);
  runs_.clear();
  put(count_);
  std::string const bytes = runs_ + body;
  *this = ColumnWriter();
  return bytes;
}

POP_INLINE bool unpack(std::string_view &bytes, std::uint64_t most,
                       std::vector<std::uint64_t> &list) {
  std::uint64_t count = 0, value = 0;
  list.clear();
  if (!detail::takeNumber(bytes, count) || count > most)
    return false;
  while (list.size() < count) {
    std::uint64_t length = 0, difference = 0;
    if (!detail::takeNumber(bytes, length) || !detail::takeNumber(bytes, difference) ||
        length == 0 || length > count - list.size())
      return false;
    difference = difference & 1 ? ~(difference >> 1) : difference >> 1;
    for (; length != 0; --length)
      list.push_back(value += difference);
  }
  return true;
}

} // namespace cottonwood::profile
