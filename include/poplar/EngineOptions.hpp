// Engine options as one comparable value.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_ENGINEOPTIONS_HPP
#define POPLAR_ENGINEOPTIONS_HPP

#include <cstddef>
#include <functional>
#include <poplar/OptionFlags.hpp>
#include <poplar/Target.hpp>

namespace poplar {

/// The options an engine for `target` would work with: those given, the environment
/// (POPLAR_ENGINE_OPTIONS) applied, and defaults for the rest. Equal effective options compare and
/// hash equal, whatever was spelled out.
class POP_API EngineOptions {
public:
  /// \throws invalid_option  an unknown option, or a value that does not parse.
  EngineOptions(OptionFlags const &options, Target const &target, unsigned replicationFactor = 1);

  /// All options with their effective values.
  OptionFlags const &flags() const { return flags_; }
  std::size_t hash() const;
  bool operator==(EngineOptions const &other) const;
  bool operator!=(EngineOptions const &other) const { return !(*this == other); }

private:
  OptionFlags flags_;
  Target target_;
  unsigned replicationFactor_;
};

inline std::size_t hash_value(EngineOptions const &options) { return options.hash(); }

} // namespace poplar

namespace std {
template <> struct hash<poplar::EngineOptions> {
  std::size_t operator()(poplar::EngineOptions const &options) const { return options.hash(); }
};
} // namespace std

#endif
