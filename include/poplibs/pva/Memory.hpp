// What a tile's memory is used for. All figures are bytes.
#include <pva/impl/Config.hpp>

#ifndef PVA_MEMORY_HPP
#define PVA_MEMORY_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cottonwood {
namespace profile {
struct ReportData;
}
} // namespace cottonwood

namespace pva {

// The classes of this library are handles to parts of a report, which they keep alive.
using ReportHandle = std::shared_ptr<cottonwood::profile::ReportData const>;

/// Gaps are bytes that nobody can use: behind what must end at a multiple of 8.
class POP_API TileMemoryTotal {
public:
  TileMemoryTotal(std::uint64_t includingGaps, std::uint64_t excludingGaps)
      : including_(includingGaps), excluding_(excludingGaps) {}
  std::uint64_t includingGaps() const { return including_; }
  std::uint64_t excludingGaps() const { return excluding_; }

private:
  std::uint64_t including_, excluding_;
};

/// Overlapped bytes are used by several variables that never live at the same time, and count once.
class POP_API MemoryBytes {
public:
  MemoryBytes(std::uint64_t nonOverlapped, std::uint64_t overlapped)
      : nonOverlapped_(nonOverlapped), overlapped_(overlapped) {}
  std::uint64_t nonOverlapped() const { return nonOverlapped_; }
  std::uint64_t overlapped() const { return overlapped_; }
  std::uint64_t total() const { return nonOverlapped_ + overlapped_; }

private:
  std::uint64_t nonOverlapped_, overlapped_;
};

/// Bytes of one kind on a tile, by where they lie.
class POP_API MemoryCategory {
public:
  MemoryCategory(std::string name, MemoryBytes nonInterleaved, MemoryBytes interleaved,
                 MemoryBytes overflowed)
      : name_(std::move(name)), nonInterleaved_(nonInterleaved), interleaved_(interleaved),
        overflowed_(overflowed) {}
  /// As the function of MemoryCategories is called: "vertexCode".
  std::string name() const { return name_; }
  std::uint64_t total() const {
    return nonInterleaved_.total() + interleaved_.total() + overflowed_.total();
  }
  MemoryBytes nonInterleaved() const { return nonInterleaved_; }
  MemoryBytes interleaved() const { return interleaved_; }
  /// Beyond the end of the tile's memory, or code beyond the end of the non-interleaved region.
  MemoryBytes overflowed() const { return overflowed_; }

private:
  std::string name_;
  MemoryBytes nonInterleaved_, interleaved_, overflowed_;
};

class POP_API MemoryCategories {
public:
  explicit MemoryCategories(std::vector<MemoryCategory> all) : all_(std::move(all)) {}
  /// In the order below; those of size 0, too.
  std::vector<MemoryCategory> all() const { return all_; }
  std::size_t size() const { return all_.size(); }
  MemoryCategory variable() const { return all_[0]; }
  MemoryCategory constant() const { return all_[1]; }
  MemoryCategory hostExchangePacketHeader() const { return all_[2]; }
  MemoryCategory globalExchangePacketHeader() const { return all_[3]; }
  MemoryCategory stack() const { return all_[4]; }
  MemoryCategory vertexInstanceState() const { return all_[5]; }
  MemoryCategory copyDescriptor() const { return all_[6]; }
  MemoryCategory vectorListDescriptor() const { return all_[7]; }
  MemoryCategory vertexFieldData() const { return all_[8]; }
  MemoryCategory controlTable() const { return all_[9]; }
  MemoryCategory controlCode() const { return all_[10]; }
  MemoryCategory vertexCode() const { return all_[11]; }
  MemoryCategory internalExchangeCode() const { return all_[12]; }
  MemoryCategory hostExchangeCode() const { return all_[13]; }
  MemoryCategory globalExchangeCode() const { return all_[14]; }
  MemoryCategory instrumentationResults() const { return all_[15]; }
  MemoryCategory sharedCodeStorage() const { return all_[16]; }
  MemoryCategory sharedDataStorage() const { return all_[17]; }

private:
  std::vector<MemoryCategory> all_;
};

/// Of one tile.
class POP_API TileMemory {
public:
  TileMemory(ReportHandle report, std::size_t tile) : report_(std::move(report)), tile_(tile) {}

  TileMemoryTotal total() const;
  /// Everything that is not among the next. Without gaps.
  std::uint64_t alwaysLiveBytes() const;
  /// The most that variables occupy at one time of those that do not keep their contents.
  std::uint64_t notAlwaysLiveBytes() const;
  /// Beyond what the tile has, gaps included; 0 if everything fits.
  std::uint64_t overflowedBytes() const;
  MemoryCategories category() const;

private:
  ReportHandle report_;
  std::size_t tile_;
};

/// The vertices of one type on a tile.
class POP_API TileVertices {
public:
  TileVertices(std::string type, std::uint64_t codeBytes, std::uint64_t count)
      : type_(std::move(type)), codeBytes_(codeBytes), count_(count) {}
  std::string type() const { return type_; }
  /// Of the codelet, which the tile holds once.
  std::uint64_t codeBytes() const { return codeBytes_; }
  std::uint64_t count() const { return count_; }

private:
  std::string type_;
  std::uint64_t codeBytes_, count_;
};

class POP_API Tile {
public:
  Tile(ReportHandle report, std::size_t tile) : report_(std::move(report)), tile_(tile) {}
  std::size_t number() const { return tile_; }
  TileMemory memory() const { return TileMemory(report_, tile_); }
  /// By type, sorted by name.
  std::vector<TileVertices> vertices() const;

private:
  ReportHandle report_;
  std::size_t tile_;
};

} // namespace pva

#endif
