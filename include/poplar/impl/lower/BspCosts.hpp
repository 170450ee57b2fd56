// The charges of a BSP step on tiled targets. Sources: published measurements of lattice-Boltzmann
// codes (166 cycles of overhead a superstep, two syncs), reports of the IPU Model (host transfers
// at 8 GB/s), a regression over strided copies (cycles per byte by atom size), memory copy vertices
// of execution reports (83 cycles).
#pragma once

#include <cstdint>

namespace cottonwood::lower::cost {

inline constexpr std::uint64_t SYNC = 83;            ///< before each compute set and each exchange
inline constexpr std::uint64_t EXCHANGE_START = 100; ///< path latency and setting up
inline constexpr std::uint64_t MESSAGE = 1;          ///< an instruction of the receiver
inline constexpr std::uint64_t LAUNCH = 11;          ///< starting the workers of a tile
inline constexpr std::uint64_t CONTROL = 20;         ///< a branch, or a turn of a loop
inline constexpr std::uint64_t COPY_START = 83;      ///< a copy vertex on a tile
inline constexpr double HOST_BYTES_PER_SECOND = 8e9;
/// Between neighbours in a ladder of replicas: 2 links of 128 Gbit/s at 85%.
inline constexpr double REPLICA_BYTES_PER_SECOND = 2 * 128.0 * (1 << 30) / 8 * 0.85;

/// Cycles per byte of a copy on one tile by the size of what moves at a time.
inline constexpr double COPY_LONG = 0.125; ///< runs of 64 bytes and more
inline constexpr double COPY_8 = 0.4404, COPY_4 = 3.125, COPY_2 = 5.1484;

inline double copyCyclesPerByte(std::uint64_t runBytes) {
  if (runBytes >= 64)
    return COPY_LONG;
  if (runBytes % 8 == 0)
    return COPY_8;
  return runBytes % 4 == 0 ? COPY_4 : COPY_2;
}

/// Vertices without an estimate: 5 cycles an element and 3 a row of every edge.
inline constexpr std::uint64_t DEFAULT_VERTEX = 20, DEFAULT_ELEMENT = 5, DEFAULT_ROW = 3;

} // namespace cottonwood::lower::cost
