// popc: codelets to files that Graph::addCodelets loads.
#include <codelets/popc/CommandLine.hpp>
#include <codelets/popc/Compile.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/popc/Files.hpp>
#include <poplar/impl/popc/GpFile.hpp>
#include <poplar/impl/popc/Sources.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace cottonwood;
using namespace cottonwood::popc;

/// \throws poplar::poplar_error  the input is nothing that can be compiled
void check(SourceFile const &input) {
  std::string const &path = input.path;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    throw poplar::file_load_error(path);
  if (std::string const refusal = refusalOf(input); !refusal.empty())
    base::fail<poplar::poplar_error>("popc", refusal);
}

void write(std::string const &path, std::string const &bytes) {
  if (path == "-") {
    std::fwrite(bytes.data(), 1, bytes.size(), stdout);
    return;
  }
  writeFile(path, bytes, "popc");
}

/// Where the result goes: as asked, else the first input's name with another ending.
std::string outputOf(CommandLine const &line, char const *ending) {
  if (!line.output.empty())
    return line.output;
  return std::filesystem::path(line.inputs.front().path)
      .filename()
      .replace_extension(ending)
      .string();
}

void writeText(CommandLine const &line, CompileRequest const &request) {
  if (request.sources.size() != 1 || line.inputs.size() != 1)
    base::fail<poplar::poplar_error>("popc", "-S and --emit-llvm take one source, not ",
                                     line.inputs.size());
  std::vector<std::string> kind{"-S"};
  if (line.isIr)
    kind.push_back("-emit-llvm");
  write(outputOf(line, line.isIr ? ".ll" : ".s"), compileToText(request, kind));
}

void compile(CommandLine const &line) {
  if (line.inputs.empty())
    base::fail<poplar::poplar_error>("popc", "no input; popc --help lists the options");
  GpFile file;
  CompileRequest request;
  std::string dependencies;
  for (SourceFile const &input : line.inputs) {
    check(input);
    if (!isCompiled(input)) {
      request.sources.push_back(input);
      continue;
    }
    std::optional<std::string> const bytes = readFile(input.path);
    if (!bytes)
      throw poplar::file_load_error(input.path);
    for (GpModule &module : parseGp(*bytes, input.path).modules)
      file.modules.push_back(std::move(module));
    dependencies += input.path + "\n";
  }
  request.compiler = line.compiler;
  request.flags = line.flags;
  request.levels = line.levels;
  request.isVerbose = line.isVerbose;
  request.isTimed = line.isTimed;
  if (line.isAssembly || line.isIr) {
    writeText(line, request);
    return;
  }
  if (!request.sources.empty()) {
    CompileResult result = compileModule(request);
    std::fputs(result.diagnostics.c_str(), stderr);
    for (std::string const &path : result.dependencies)
      dependencies += path + "\n";
    file.modules.push_back(std::move(result.module));
  }
  write(outputOf(line, ".gp"), storedGp(file));
  if (!line.dependencies.empty())
    write(line.dependencies, dependencies);
}

} // namespace

int main(int count, char **values) try {
  CommandLine const line = parseCommandLine({values + 1, values + count});
  switch (line.action) {
  case CommandLine::Action::Help:
    std::fputs(helpText(), stdout);
    break;
  case CommandLine::Action::Version:
    std::fputs(versionText().c_str(), stdout);
    break;
  case CommandLine::Action::ListTargets:
    std::fputs(targetsText(), stdout);
    break;
  case CommandLine::Action::Compile:
    compile(line);
    break;
  }
  return 0;
} catch (CompileError const &error) {
  std::fputs(error.diagnostics.c_str(), stderr);
  return 1;
} catch (std::exception const &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
