// Bodies of poplar/RuntimeOptions.hpp and poplar/EngineOptions.hpp.
#pragma once

#include <poplar/EngineOptions.hpp>
#include <poplar/RuntimeOptions.hpp>

#include <poplar/impl/engine/OptionTable.hpp>

namespace poplar {

POP_INLINE RuntimeOptions::RuntimeOptions(OptionFlags const &options)
    : flags_(cottonwood::engine::runtimeOptions(options)) {}

POP_INLINE EngineOptions::EngineOptions(OptionFlags const &options, Target const &target,
                                        unsigned replicationFactor)
    : flags_(cottonwood::engine::effectiveOptions(options)), target_(target),
      replicationFactor_(replicationFactor) {}

POP_INLINE std::size_t EngineOptions::hash() const {
  std::size_t hash = std::hash<OptionFlags>()(flags_);
  hash = hash * 31 + target_.hash();
  return hash * 31 + replicationFactor_;
}

POP_INLINE bool EngineOptions::operator==(EngineOptions const &other) const {
  return flags_ == other.flags_ && target_ == other.target_ &&
         replicationFactor_ == other.replicationFactor_;
}

} // namespace poplar
