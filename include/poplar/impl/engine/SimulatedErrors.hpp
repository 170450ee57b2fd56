// Errors of a device that an application asks for (Engine::insertSimulatedError).
#pragma once

#include <poplar/exceptions.hpp>
#include <poplar/impl/lower/ExecutableData.hpp>

#include <cstdint>
#include <map>

namespace cottonwood::engine {

class SimulatedErrors {
public:
  bool empty() const { return codes_.empty(); }
  void insert(unsigned tile, poplar::ErrorCode code) { codes_[tile] = code; }
  void erase(unsigned tile) { codes_.erase(tile); }
  void clear() { codes_.clear(); }
  /// Throws what a device would report if a vertex of the compute set is on a tile with an error.
  void check(lower::ExecutableData const &executable, std::uint32_t set) const;

private:
  std::map<unsigned, poplar::ErrorCode> codes_; ///< by tile
};

/// Throws the exception for an error of that code; returns for NONE. The text is `text` and the
/// code's name.
void raiseDeviceError(poplar::ErrorCode code, std::string const &text);

} // namespace cottonwood::engine
