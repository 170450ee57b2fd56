// What the library reads of debug objects beyond their published members.
#pragma once

#include <poplar/DebugContext.hpp>
#include <string>

namespace cottonwood::base {

struct DebugAccess {
  static std::string const &path(poplar::DebugContext const &context) noexcept {
    return context.path_;
  }
  static poplar::DebugId parent(poplar::DebugContext const &context) noexcept {
    return context.parent_;
  }
  static poplar::SourceLocation const &location(poplar::DebugContext const &context) noexcept {
    return context.location_;
  }
  static std::string const &path(poplar::DebugInfo const &info) noexcept { return info.path_; }
  static poplar::DebugId parent(poplar::DebugInfo const &info) noexcept { return info.parent_; }
  static poplar::SourceLocation const &location(poplar::DebugInfo const &info) noexcept {
    return info.location_;
  }
  static std::string const &layer(poplar::DebugInfo const &info) noexcept { return info.layer_; }
  static poplar::ProfileValue::Map const *values(poplar::DebugInfo const &info) noexcept {
    return info.values_.get();
  }
  static std::string const &path(poplar::DebugNameAndId const &name) noexcept { return name.path_; }
  static poplar::DebugId id(poplar::DebugNameAndId const &name) noexcept { return name.id_; }
};

} // namespace cottonwood::base
