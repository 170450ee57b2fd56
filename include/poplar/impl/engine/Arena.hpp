// Memory of a loaded executable: zeroed, page-aligned, taken from the system page by page as it is
// touched; on huge pages where it is large.
#pragma once

#include <poplar/impl/base/Config.hpp>

#include <cstddef>
#include <cstdint>

namespace cottonwood::engine {

class POP_API Arena {
public:
  Arena() = default;
  /// \throws std::bad_alloc  the system has not so much.
  explicit Arena(std::uint64_t bytes);
  Arena(Arena &&other) noexcept;
  Arena &operator=(Arena &&other) noexcept;
  ~Arena();

  std::byte *data() const { return data_; }
  std::uint64_t bytes() const { return bytes_; }

private:
  std::byte *data_ = nullptr;
  std::uint64_t bytes_ = 0;
  std::uint64_t mapped_ = 0; ///< bytes_, in whole pages where they are huge
};

} // namespace cottonwood::engine
