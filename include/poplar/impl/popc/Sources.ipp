// Body of Sources.hpp.
#pragma once

#include <poplar/impl/popc/Sources.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Digest.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/Version.hpp>
#include <poplar/impl/popc/Cache.hpp>
#include <poplar/impl/popc/Files.hpp>
#include <poplar/impl/popc/GpFile.hpp>
#include <poplar/impl/popc/Installation.hpp>
#include <poplar/impl/popc/Levels.hpp>
#include <poplar/impl/popc/Object.hpp>
#include <poplar/impl/popc/Objects.hpp>
#include <poplar/impl/popc/Process.hpp>
#include <poplar/impl/popc/Words.hpp>

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace cottonwood::popc::detail {

inline constexpr char const WHERE[] = "Graph::addCodelets";
/// What popc exits with when the compiler refused the source.
inline constexpr int POPC_REFUSED = 1;

POP_INLINE char const *languageOf(poplar::CodeletFileType type) {
  switch (type) {
  case poplar::CodeletFileType::CppSource:
    return "c++";
  case poplar::CodeletFileType::CSource:
    return "c";
  default:
    return "none"; // by the ending
  }
}

/// A text as a file, for the compiler, and out of its messages again.
class TextFile {
public:
  TextFile(std::string const &text, poplar::CodeletFileType type) {
    if (type == poplar::CodeletFileType::Auto)
      type = poplar::CodeletFileType::CppSource;
    if (type != poplar::CodeletFileType::CppSource && type != poplar::CodeletFileType::CSource)
      base::fail<poplar::poplar_error>(WHERE, "a stream holds C++ or C, no other kind of source");
    path_ = folder_.path() / ("codelets" + poplar::getExtensionFromFileType(type));
    writeFile(path_, text, WHERE);
  }
  std::filesystem::path const &path() const { return path_; }
  /// `codelets.cpp:3:5: error` where the compiler named a folder that will be gone.
  std::string withoutFolder(std::string message) const {
    std::string const prefix = folder_.path().string() + "/";
    for (std::size_t at = message.find(prefix); at != std::string::npos;
         at = message.find(prefix, at))
      message.erase(at, prefix.size());
    return message;
  }

private:
  TemporaryFolder folder_;
  std::filesystem::path path_;
};

POP_INLINE std::string keyOf(SourceRequest const &request, std::vector<std::string> const &flags,
                             Level level, Compiler const &compiler,
                             std::filesystem::path const &popc) {
  base::Digest digest;
  digest.addText(base::RELEASE).addNumber(codelet::OBJECT_ABI).addText(name(level));
  digest.addText(compiler.identity).addText(fileIdentity(popc));
  // Relative paths, in flags and in the source, mean files from here.
  std::error_code ignored; // the folder may be gone; then no path is relative to it
  digest.addText(std::filesystem::current_path(ignored).string());
  for (std::string const &flag : flags)
    digest.addText(flag);
  digest.addNumber(request.files.size());
  for (SourceFile const &file : request.files) {
    std::optional<std::string> const bytes = readFile(file.path);
    if (!bytes)
      throw poplar::file_load_error(file.path);
    digest.addText(file.path).addNumber(static_cast<std::uint64_t>(file.type)).addText(*bytes);
  }
  if (request.text)
    digest.addText(*request.text).addNumber(static_cast<std::uint64_t>(request.textType));
  return digest.hex();
}

POP_INLINE std::vector<std::string> linesOf(std::string const &text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

/// Runs popc. \returns the file of codelets and what was said; `files` gets what was read
POP_INLINE CacheEntry runPopc(SourceRequest const &request, std::vector<std::string> const &flags,
                              Level level, Compiler const &compiler,
                              std::filesystem::path const &popc, std::vector<std::string> &files) {
  TemporaryFolder const folder;
  std::optional<TextFile> text;
  std::vector<std::string> command{popc, "--compiler", compiler.path, "--variants",
                                   std::string(name(level))};
  std::string const output = folder.path() / "codelets.gp", list = folder.path() / "files";
  command.insert(command.end(), {"-o", output, "--dependencies", list});
  for (std::string const &flag : flags)
    command.insert(command.end(), {"-X", flag});
  if (request.text) {
    text.emplace(*request.text, request.textType);
    command.push_back(text->path());
  }
  for (SourceFile const &file : request.files)
    command.insert(command.end(), {"-x", languageOf(file.type), "--input", file.path});
  ProcessResult result = runProcess(command, WHERE);
  if (text)
    result.errors = text->withoutFolder(std::move(result.errors));
  if (result.status == POPC_REFUSED)
    throw poplar::graph_program_compilation_error(base::textOf(WHERE, ":\n", result.errors));
  std::optional<std::string> gp = readFile(output);
  if (result.status != 0 || !gp) {
    while (result.errors.ends_with('\n'))
      result.errors.pop_back();
    base::fail<poplar::graph_object_creation_error>(
        WHERE,
        result.errors.empty() ? base::textOf("popc: exit code ", result.status) : result.errors);
  }
  files = linesOf(readFile(list).value_or(""));
  if (text)
    std::erase(files, text->path().string());
  return {std::move(*gp), std::move(result.errors)};
}

POP_INLINE CacheEntry compileThroughCache(SourceRequest const &request) {
  std::vector<std::string> const flags = splitWords(request.flags, WHERE);
  Level const level = levelFor(isa::activeIsa());
  Compiler const compiler = findCompiler();
  std::filesystem::path const popc = popcCommand();
  std::string const key = keyOf(request, flags, level, compiler, popc);
  if (std::optional<CacheEntry> found = lookUpCodelets(key))
    return std::move(*found);
  std::vector<std::string> files;
  CacheEntry entry = runPopc(request, flags, level, compiler, popc, files);
  storeCodelets(key, files, entry);
  return entry;
}

/// The best variant that the tag in use allows.
POP_INLINE GpObject const &variantOf(GpModule const &module, std::string const &path) {
  Level const allowed = levelFor(isa::activeIsa());
  GpObject const *best = nullptr;
  std::string present;
  for (GpObject const &object : module.objects) {
    present += (present.empty() ? "" : ", ") + object.level;
    std::optional<Level> const level = parseLevel(object.level);
    if (level && *level <= allowed && (!best || *level > *parseLevel(best->level)))
      best = &object;
  }
  if (!best)
    throw poplar::graph_object_load_error(
        path, base::textOf("it has code for ", present.empty() ? "nothing" : present,
                           "; this machine and POPLAR_ISA=", isa::name(isa::activeIsa()), " allow ",
                           name(allowed), " at most"));
  return *best;
}

/// The vertices of the file, ready to be registered.
POP_INLINE std::vector<codelet::Codelet> codeletsOf(GpFile const &file, std::string const &path) {
  std::vector<codelet::Codelet> codelets;
  for (GpModule const &module : file.modules) {
    GpObject const &variant = variantOf(module, path);
    LoadedObject const &loaded =
        loadObject({std::string(tagOf(*parseLevel(variant.level))), variant.bytes, {}}, path);
    for (codelet::Codelet codelet : loaded.codelets) {
      for (GpVertex const &vertex : module.vertices)
        if (vertex.name == codelet.name) {
          codelet.origin = vertex.origin;
          codelet.definition = vertex.definition;
        }
      codelets.push_back(std::move(codelet));
    }
  }
  return codelets;
}

/// Those whose name is known go first: if one is another definition, nothing has been added.
POP_INLINE bool registerAll(codelet::Registry &registry, std::vector<codelet::Codelet> codelets) {
  auto const firstNew =
      std::stable_partition(codelets.begin(), codelets.end(), [&](codelet::Codelet const &codelet) {
        return registry.find(codelet.name) != nullptr;
      });
  bool const anyNew = firstNew != codelets.end();
  for (codelet::Codelet &codelet : codelets)
    registry.add(std::move(codelet));
  return anyNew;
}

/// Before anything is compiled.
POP_INLINE void checkFile(SourceFile const &file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file.path, ignored))
    throw poplar::file_load_error(file.path);
  std::string const refusal = refusalOf(file);
  if (refusal.empty())
    return;
  if (file.type == poplar::CodeletFileType::Auto)
    base::fail<poplar::poplar_error>(WHERE, refusal);
  base::fail<poplar::graph_program_compilation_error>(WHERE, refusal);
}

} // namespace cottonwood::popc::detail

namespace cottonwood::popc {

POP_INLINE bool isCompiled(SourceFile const &file) {
  return file.type == poplar::CodeletFileType::Object && !file.path.ends_with(".o");
}

POP_INLINE std::string refusalOf(SourceFile const &file) {
  switch (file.type) {
  case poplar::CodeletFileType::PreprocessedAsmSource:
  case poplar::CodeletFileType::AsmSource:
    return base::textOf(
        base::quoted(file.path),
        ": assembly of the IPU has no meaning on this machine; give the C++ codelets instead");
  case poplar::CodeletFileType::IrSource:
    return base::textOf(
        base::quoted(file.path),
        ": IR does not say which classes are vertices; give the C++ codelets instead");
  case poplar::CodeletFileType::Auto:
    return base::textOf(base::quoted(file.path),
                        " has no ending that names a kind of codelet file (.cpp, .cc, .cxx, .C, "
                        ".c, .o, .gp)");
  default:
    return {};
  }
}

POP_INLINE bool addCodelets(codelet::Registry &registry, SourceRequest const &given,
                            std::string &diagnostics) {
  SourceRequest request = given;
  std::vector<codelet::Codelet> codelets;
  auto const add = [&](std::vector<codelet::Codelet> more) {
    std::move(more.begin(), more.end(), std::back_inserter(codelets));
  };
  for (SourceFile &file : request.files) {
    if (file.type == poplar::CodeletFileType::Auto)
      file.type = poplar::getCodeletFileType(file.path.c_str());
    detail::checkFile(file);
  }
  auto const sources =
      std::stable_partition(request.files.begin(), request.files.end(), isCompiled);
  for (auto file = request.files.begin(); file != sources; ++file)
    add(detail::codeletsOf(parseGp(readFile(file->path).value_or(""), file->path), file->path));
  request.files.erase(request.files.begin(), sources);
  if (!request.files.empty() || request.text) {
    CacheEntry const entry = detail::compileThroughCache(request);
    diagnostics = entry.diagnostics;
    std::string const path = request.text ? "the text" : request.files.front().path;
    add(detail::codeletsOf(parseGp(entry.gp, path), path));
  }
  return detail::registerAll(registry, std::move(codelets));
}

} // namespace cottonwood::popc
