// The parts of the check of an executable that was read. Each throws a Fault at the first that it
// finds.
#pragma once

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/lower/ExecutableData.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace cottonwood::engine::detail {

/// Thrown inside faultOf() only.
struct Fault {
  std::string text;
};

template <class... A> [[noreturn]] void fault(A const &...parts) {
  throw Fault{base::textOf(parts...)};
}

/// Larger ones cannot be addressed, and sums of a few such numbers do not overflow.
inline constexpr std::uint64_t MAX_BYTES = std::uint64_t{1} << 56;
/// Copies recurse once a dimension.
inline constexpr std::uint32_t MAX_DIMS = 1024;
inline constexpr std::uint64_t MAX_TILES = std::uint64_t{1} << 26;
/// Each has connections of its own, which are made with the engine.
inline constexpr std::uint64_t MAX_REPLICAS = std::uint64_t{1} << 16;

/// A memory that addresses are relative to.
struct Space {
  char const *name;
  std::uint64_t bytes;
};

class ExecutableCheck {
public:
  explicit ExecutableCheck(lower::ExecutableData const &executable) : x_(executable) {}
  void run() const;

private:
  void target() const;
  void memory() const;
  void relocations() const;
  void initialData() const;
  void vertices() const;
  void strands() const;
  void strandsAt(std::string const &who, std::size_t i) const;
  void instructions() const;
  void operands(std::size_t i) const;
  void element(std::string const &who, lower::Instruction const &now, std::uint64_t bytes) const;
  void replicas(std::string const &who, lower::Instruction const &now) const;
  void remoteCopy(std::string const &who, lower::Instruction const &now) const;
  void hostCall(std::string const &who, lower::Instruction const &now) const;
  void watched(std::size_t set) const;
  void host() const;
  void hostMemory() const;
  void bsp() const;
  void programs() const;

  Space arena() const { return {"the arena", x_.arenaBytes}; }
  void plan(std::string const &who, lower::MovePlan const &plan, Space src, Space dst) const;
  void side(std::string const &who, lower::Move const &move, bool isSource, Space space) const;

  lower::ExecutableData const &x_;
};

/// [first, first + count) in a list of `size`.
void checkRange(std::string const &who, std::uint64_t first, std::uint64_t count,
                std::uint64_t size, char const *list);
void checkIndex(std::string const &who, std::uint64_t index, std::uint64_t size, char const *list);
void checkAtMost(char const *who, std::uint64_t value, std::uint64_t most, char const *what);
/// "list[i]"
std::string entryText(char const *list, std::size_t i);

} // namespace cottonwood::engine::detail
