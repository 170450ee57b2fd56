// Lists of numbers as few bytes: what files hold of tiles and traces.
//
// Runs of equal differences: the number of elements, and then, until all are there, how many follow
// with the same difference to their predecessor (the first one's is 0), and the difference itself.
// All are LEB128 numbers; of differences the lowest bit says whether they are negative.
#pragma once

#include <poplar/impl/base/Config.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cottonwood::profile {

class ColumnWriter {
public:
  void add(std::uint64_t value);
  /// The bytes of all that was added.
  std::string finish();

private:
  void put(std::uint64_t value);
  void flush();

  std::string runs_;
  std::uint64_t count_ = 0, last_ = 0, difference_ = 0, length_ = 0;
};

template <class List> std::string packed(List const &list) {
  ColumnWriter writer;
  for (auto const value : list)
    writer.add(static_cast<std::uint64_t>(value));
  return writer.finish();
}

/// Reads one list from the front of `bytes`, which then begins behind it.
/// \param most  elements that are believed.
/// \returns     false if it is damaged.
bool unpack(std::string_view &bytes, std::uint64_t most, std::vector<std::uint64_t> &list);

} // namespace cottonwood::profile
