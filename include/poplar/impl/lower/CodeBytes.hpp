// How many bytes of code a tile holds. Estimates: nothing is compiled for a tile.
#pragma once

#include <poplar/impl/base/Config.hpp>
#include <poplar/impl/lower/TiledData.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cottonwood::lower {

/// Of a tile: six workers with 512 bytes and a supervisor with 96. Two published reports of a Mk1
/// show these 3,168 bytes on every tile.
inline constexpr std::uint64_t STACK_BYTES = 6 * 512 + 96;

// A published report of an adder with 4 compute sets (some 14 steps with its exchanges and stream
// copies) shows 700 bytes of control code a tile.
/// Start-up and the loop that waits for the host.
inline constexpr std::uint64_t CONTROL_CODE = 128;
/// To synchronise, and to call what a step does.
inline constexpr std::uint64_t CONTROL_CODE_A_STEP = 40;
/// A counter or a test, and a branch.
inline constexpr std::uint64_t CONTROL_CODE_A_BRANCH = 16;
/// To load the address of a vertex and to start a worker.
inline constexpr std::uint64_t CONTROL_CODE_A_VERTEX = 8;

/// Exchange code: an instruction with its operand for each contiguous run sent or received, and 16
/// bytes to start and stop (PopLibs charges 4 bytes a source; both agree with the 250 bytes a tile
/// that a published dense layer has).
inline constexpr std::uint64_t EXCHANGE_CODE_A_RUN = 8, EXCHANGE_CODE_A_STEP = 16;

/// Of one tile in one step; 0 if it exchanges nothing.
constexpr std::uint64_t exchangeCodeBytes(TileCost const &cost) {
  if (cost.bytesOut == 0 && cost.bytesIn == 0)
    return 0;
  // Where runs were not counted, each direction has one.
  std::uint64_t const out = cost.runsOut != 0 ? cost.runsOut : cost.bytesOut != 0,
                      in = cost.runsIn != 0 ? cost.runsIn : cost.bytesIn != 0;
  return EXCHANGE_CODE_A_STEP + EXCHANGE_CODE_A_RUN * (out + in);
}

/// A packet of host exchange carries at most 256 bytes behind a header of 8.
constexpr std::uint64_t packetHeaderBytes(std::uint64_t bytes) { return (bytes + 255) / 256 * 8; }

/// Code of a codelet: of the SDK's with that name, counted in lines of the published assembly
/// sources (4 bytes each); 400 bytes and 32 a field, what compiled loops over as many fields take,
/// for all others. \param numFields  of the vertex class.
inline std::uint64_t vertexCodeBytes(std::string_view name, std::size_t numFields) {
  struct Known {
    std::string_view part;
    std::uint64_t bytes;
  };
  // The first that the name contains counts.
  constexpr Known KNOWN[] = {
      {"ConvPartialnx1", 2950},
      {"ConvPartial1x1", 1450},
      {"ConvPartial1x4", 1150},
      {"ConvPartialHorizontalMac", 750},
      {"ConvPartialVerticalMac", 600},
      {"poplin::Conv", 2950},
      {"poplin::MatMul", 1450},
      {"popops::ScaledAdd", 1800},
      {"popops::Axpby", 1800},
      {"popops::Reduce", 1600},
      {"popops::MultiUpdate", 1000},
      {"popops::MultiSlice", 500},
      {"popops::DynamicSlice", 700},
      {"popops::Broadcast", 800},
      {"popops::Fill", 500},
      {"popops::Cast", 450},
      {"popops::Unary", 450},
      {"poprand::Uniform", 500},
      {"Pool", 800},
  };
  for (Known const &known : KNOWN)
    if (name.find(known.part) != std::string_view::npos)
      return known.bytes;
  return 400 + 32 * numFields;
}

} // namespace cottonwood::lower
