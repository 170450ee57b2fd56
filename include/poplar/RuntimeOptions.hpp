// Options that may change from run to run.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_RUNTIMEOPTIONS_HPP
#define POPLAR_RUNTIMEOPTIONS_HPP

#include <cstddef>
#include <functional>
#include <poplar/OptionFlags.hpp>

namespace poplar {

/// Checked runtime options (`streamCallbacks.*`, `target.hostSyncTimeout` and the like). Options
/// not named keep the value that the engine was made with; the environment variable
/// POPLAR_RUNTIME_OPTIONS, a JSON object, overrides both.
class POP_API RuntimeOptions {
public:
  /// \throws invalid_option  an unknown option, or a value that does not parse.
  RuntimeOptions(OptionFlags const &options);

  /// The options given, with the environment applied.
  OptionFlags const &flags() const { return flags_; }
  bool operator==(RuntimeOptions const &other) const { return flags_ == other.flags_; }
  bool operator!=(RuntimeOptions const &other) const { return !(*this == other); }

private:
  OptionFlags flags_;
};

} // namespace poplar

namespace std {
template <> struct hash<poplar::RuntimeOptions> {
  std::size_t operator()(poplar::RuntimeOptions const &options) const {
    return hash<poplar::OptionFlags>()(options.flags());
  }
};
} // namespace std

#endif
