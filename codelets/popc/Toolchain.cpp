#include <codelets/popc/Toolchain.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/popc/Files.hpp>
#include <poplar/impl/popc/Installation.hpp>
#include <poplar/impl/popc/Process.hpp>

#include <cstdio>

namespace cottonwood::popc {

namespace fs = std::filesystem;

Toolchain::Toolchain(fs::path const &path)
    : compiler(path.empty() ? findCompiler().path : path), headers(headerFolder()),
      version(runProcess({compiler, "--version"}, "popc").output),
      isClang(version.find("clang version") != std::string::npos) {}

namespace {

Words commonFlags(Toolchain const &tools, Level level) {
  Words flags{"-O3",
              // fmas only where they are written: results do not depend on the level
              "-ffp-contract=off", "-fPIC", "-fvisibility=hidden",
              "-march=" + std::string(name(level)), "-D__POPC__=1"};
  if (!tools.isClang)
    flags.insert(flags.end(), {"-fno-gnu-unique", "-Wno-attributes", "-Wno-unknown-pragmas"});
  else
    flags.insert(flags.end(), {"-Wno-unknown-attributes", "-Wno-ignored-attributes",
                               "-Wno-unused-command-line-argument"}); // -l where nothing is linked
  return flags;
}

Words headerFlags(fs::path const &headers) {
  Words flags{"-isystem", headers, "-isystem", headers / "poplar/device"};
  for (char const *const folder : {"poplibs", "cottonwood"}) // the source tree; an installed one
    if (std::error_code ignored; fs::is_directory(headers / folder, ignored))
      flags.insert(flags.end(), {"-isystem", headers / folder});
  return flags;
}

Words cppFlags(bool isClang) {
  Words flags{"-x", "c++", "-std=c++17"};
  if (!isClang) // g++ alone rejects a member that changes what a name meant before it
    flags.push_back("-fpermissive");
  return flags;
}

} // namespace

UserFlags::UserFlags(Toolchain const &tools, Words const &flags, fs::path const &folder) {
  std::string text;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    std::string const kind = flags[i].substr(0, 2);
    bool const isMacro = kind == "-D" || kind == "-U";
    bool const isSplit = isMacro && flags[i].size() == 2 && i + 1 < flags.size();
    std::string const macro = isSplit ? flags[i + 1] : isMacro ? flags[i].substr(2) : "";
    if (macro.empty() || macro[0] == '_') {
      others_.push_back(flags[i]);
      continue;
    }
    i += isSplit ? 1 : 0;
    std::size_t const equals = macro.find('=');
    std::string const name = macro.substr(0, equals);
    std::string const value = equals == std::string::npos ? "1" : macro.substr(equals + 1);
    text += kind == "-U"
                ? "#undef " + macro + "\n"
                : base::textOf("#define ", name, " ", value.substr(0, value.find('\n')), "\n");
  }
  if (text.empty())
    return;
  fs::path const file = folder / "macros.h";
  writeFile(file, text, "popc");
  cpp_ = tools.include(tools.headers / "poplar/Vertex.hpp") + tools.include(file);
  c_ = tools.include(file);
}

Words sourceFlags(Toolchain const &tools, UserFlags const &user, Level level, bool isC,
                  Words const &before) {
  Words const flags = commonFlags(tools, level) + headerFlags(tools.headers);
  if (isC)
    return flags + Words{"-x", "c"} + user.forC();
  return flags + cppFlags(tools.isClang) + tools.include(tools.own("Prelude.hpp")) + before +
         user.forCpp();
}

std::string runCompiler(Toolchain const &tools, Words const &arguments, bool isVerbose) {
  Words const command = Words{tools.compiler} + arguments;
  if (isVerbose) {
    std::string line;
    for (std::string const &word : command)
      line += (line.empty() ? "" : " ") + word;
    std::fprintf(stderr, "%s\n", line.c_str());
  }
  ProcessResult const result = runProcess(command, "popc");
  if (result.status != 0)
    throw CompileError{result.errors.empty() ? base::textOf(tools.compiler.string(), ": exit code ",
                                                            result.status, "\n")
                                             : result.errors};
  return result.errors;
}

} // namespace cottonwood::popc
