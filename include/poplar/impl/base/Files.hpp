// Whole files.
#pragma once

#include <poplar/impl/base/Config.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace cottonwood::base {

/// What the file holds; nothing if it cannot be read (a folder cannot).
POP_API std::optional<std::string> readFile(std::filesystem::path const &path);

/// A name beside the file for what will replace it when it is whole: no other process, and no other
/// call, is given the same.
POP_API std::string unfinishedName(std::filesystem::path const &path);

/// Puts a file of these bytes there at once: other processes see the file of before or the new one.
/// \returns an empty text, or what went wrong
POP_API std::string replaceFile(std::filesystem::path const &path, std::string_view bytes);

} // namespace cottonwood::base
