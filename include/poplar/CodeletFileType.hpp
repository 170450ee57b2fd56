// Kinds of codelet files.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_CODELETFILETYPE_HPP
#define POPLAR_CODELETFILETYPE_HPP

#include <string>

namespace poplar {

enum class CodeletFileType {
  PreprocessedAsmSource,
  AsmSource,
  CSource,
  CppSource,
  IrSource,
  Object,
  Auto
};

/// Kind of a file by the extension of its name: .s PreprocessedAsmSource, .S AsmSource, .c CSource,
/// .cpp .cxx .cc .C CppSource, .ll .bc IrSource, .gp .o Object, anything else Auto.
POP_API CodeletFileType getCodeletFileType(char const *path);
/// The extension, with its dot, that files of this kind are given; empty for Auto.
POP_API std::string getExtensionFromFileType(CodeletFileType type);
/// What a compiler driver's -x option calls the language; empty for Object and Auto.
POP_API std::string getLanguageOption(CodeletFileType type);

} // namespace poplar

#endif
