#pragma once
#include <poplar/CodeletFileType.hpp>

#include <poplar/impl/base/Enumerators.hpp>

#include <array>
#include <string_view>
#include <utility>

namespace cottonwood::codelet::detail {

using FileTypeName = std::pair<std::string_view, poplar::CodeletFileType>;

/// The first extension of a kind is the one that files of this kind are given.
inline constexpr std::array<FileTypeName, 11> kExtensions{{
    {".s", poplar::CodeletFileType::PreprocessedAsmSource},
    {".S", poplar::CodeletFileType::AsmSource},
    {".c", poplar::CodeletFileType::CSource},
    {".cpp", poplar::CodeletFileType::CppSource},
    {".cxx", poplar::CodeletFileType::CppSource},
    {".cc", poplar::CodeletFileType::CppSource},
    {".C", poplar::CodeletFileType::CppSource},
    {".ll", poplar::CodeletFileType::IrSource},
    {".bc", poplar::CodeletFileType::IrSource},
    {".gp", poplar::CodeletFileType::Object},
    {".o", poplar::CodeletFileType::Object},
}};

inline constexpr std::array<FileTypeName, 5> kLanguages{{
    {"assembler", poplar::CodeletFileType::PreprocessedAsmSource},
    {"assembler-with-cpp", poplar::CodeletFileType::AsmSource},
    {"c", poplar::CodeletFileType::CSource},
    {"c++", poplar::CodeletFileType::CppSource},
    {"ir", poplar::CodeletFileType::IrSource},
}};

POP_INLINE void requireFileType(char const *where, poplar::CodeletFileType type) {
  base::requireEnumerator<poplar::poplar_error>(
      where, "CodeletFileType", type,
      {"PreprocessedAsmSource", "AsmSource", "CSource", "CppSource", "IrSource", "Object", "Auto"});
}

} // namespace cottonwood::codelet::detail

namespace poplar {

POP_INLINE CodeletFileType getCodeletFileType(char const *path) {
  std::string_view const name = path;
  for (auto const &[extension, type] : cottonwood::codelet::detail::kExtensions)
    if (name.ends_with(extension))
      return type;
  return CodeletFileType::Auto;
}

POP_INLINE std::string getExtensionFromFileType(CodeletFileType type) {
  cottonwood::codelet::detail::requireFileType("poplar::getExtensionFromFileType", type);
  for (auto const &[extension, candidate] : cottonwood::codelet::detail::kExtensions)
    if (candidate == type)
      return std::string(extension);
  return {};
}

POP_INLINE std::string getLanguageOption(CodeletFileType type) {
  cottonwood::codelet::detail::requireFileType("poplar::getLanguageOption", type);
  for (auto const &[language, candidate] : cottonwood::codelet::detail::kLanguages)
    if (candidate == type)
      return std::string(language);
  return {};
}

} // namespace poplar
