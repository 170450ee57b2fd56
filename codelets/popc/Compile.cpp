#include <codelets/popc/Compile.hpp>

#include <codelets/popc/Tail.hpp>
#include <codelets/popc/Toolchain.hpp>
#include <codelets/popc/VertexFinder.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Digest.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/popc/Files.hpp>
#include <poplar/impl/popc/Object.hpp>
#include <poplar/impl/popc/Process.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <future>
#include <map>
#include <mutex>
#include <set>

namespace cottonwood::popc {

namespace {

namespace fs = std::filesystem;

/// The result of work(); says on the standard error how long that took if `isTimed`.
template <class Work> auto timed(bool isTimed, std::string const &step, Work const &work) {
  auto const start = std::chrono::steady_clock::now();
  auto result = work();
  std::chrono::duration<double> const seconds = std::chrono::steady_clock::now() - start;
  if (isTimed)
    std::fprintf(stderr, "popc: %.6f s: %s\n", seconds.count(), step.c_str());
  return result;
}

class Job {
public:
  explicit Job(CompileRequest const &request)
      : request_(request), tools_(timed(request.isTimed, "compiler's version",
                                        [&] { return Toolchain(request.compiler); })),
        flags_(tools_, request.flags, folder_.path()) {}

  CompileResult run() {
    CompileResult result;
    result.module.compiler = tools_.versionLine();
    result.module.flags = request_.flags;
    for (std::size_t i = 0; i < request_.sources.size(); ++i) {
      result.module.sources.push_back(request_.sources[i].path);
      inspect(i, result);
    }
    // Levels side by side: they take as long as one where there are cores for them.
    std::vector<std::future<GpObject>> objects;
    for (Level const level : request_.levels)
      objects.push_back(
          std::async(request_.levels.size() > 1 ? std::launch::async : std::launch::deferred,
                     [this, level] { return objectFor(level); }));
    for (std::future<GpObject> &object : objects)
      result.module.objects.push_back(object.get());
    std::erase_if(result.module.vertices,
                  [&](GpVertex const &vertex) { return dropped_.count(vertex.name) != 0; });
    result.dependencies.assign(dependencies_.begin(), dependencies_.end());
    return result;
  }

private:
  std::string temporary(std::string const &name) const { return folder_.path() / name; }

  std::string compile(Words const &arguments) const {
    return runCompiler(tools_, arguments, request_.isVerbose);
  }

  /// The first compilation: diagnostics, files read, vertex classes.
  void inspect(std::size_t i, CompileResult &result) {
    SourceFile const &source = request_.sources[i];
    std::vector<FoundVertex> &vertices = vertices_.emplace_back();
    if (source.type == poplar::CodeletFileType::Object) {
      dependencies_.insert(source.path);
      return;
    }
    bool const isC = source.type == poplar::CodeletFileType::CSource;
    std::string const object = temporary(base::textOf("inspect", i, ".o"));
    std::string const list = temporary(base::textOf("inspect", i, ".d"));
    Words arguments = sourceFlags(tools_, flags_, request_.levels.front(), isC) +
                      Words{"-O0", "-g", "-gdwarf-4", "-fno-eliminate-unused-debug-types"};
    if (tools_.isClang)
      arguments = arguments + Words{"-gno-simple-template-names", "-fstandalone-debug"};
    arguments = arguments + Words{"-MD", "-MF", list, "-c", "-o", object, asInput(source.path)};
    result.diagnostics +=
        timed(request_.isTimed, "first compilation", [&] { return compile(arguments); });
    addDependencies(readFile(list).value_or(""));
    std::erase_if(dependencies_, [&](std::string const &file) {
      return file.starts_with(folder_.path().string() + "/");
    });
    if (isC)
      return;
    vertices = timed(request_.isTimed, "debug information", [&] { return findVertices(object); });
    for (FoundVertex const &vertex : vertices)
      if (isNew(vertex, result.module))
        result.module.vertices.push_back({vertex.name, originOf(vertex), definitionOf(vertex)});
  }

  static bool isNew(FoundVertex const &vertex, GpModule const &module) {
    return std::none_of(module.vertices.begin(), module.vertices.end(),
                        [&](GpVertex const &other) { return other.name == vertex.name; });
  }

  static std::string originOf(FoundVertex const &vertex) {
    return base::textOf(vertex.file, ":", vertex.line);
  }

  /// The same for the same class in the same file compiled with the same flags, wherever the file
  /// is included; flags that say nothing of the meaning do not count.
  std::uint64_t definitionOf(FoundVertex const &vertex) {
    auto const [known, isNew] = contents_.try_emplace(vertex.file);
    if (isNew)
      known->second = base::digestOf(readFile(vertex.file).value_or(""));
    base::Digest digest;
    digest.addText(known->second).addNumber(vertex.line);
    for (std::size_t i = 0; i < request_.flags.size(); ++i) {
      std::string const &flag = request_.flags[i];
      if (flag == "-I" || flag == "-isystem") {
        ++i;
        continue;
      }
      if (!flag.starts_with("-I") && !flag.starts_with("-W") && !flag.starts_with("-g"))
        digest.addText(flag);
    }
    return digest.word();
  }

  /// A rule as -MD writes it: `target: file file \`, blanks in names behind a backslash.
  void addDependencies(std::string const &rule) {
    std::string name;
    auto const finish = [&] {
      if (!name.empty())
        dependencies_.insert(name);
      name.clear();
    };
    for (std::size_t i = rule.find(": ") + 1; i < rule.size(); ++i) {
      char const c = rule[i], next = i + 1 < rule.size() ? rule[i + 1] : '\n';
      if (c == '\\' && (next == ' ' || next == '#' || next == '\\'))
        name += rule[++i];
      else if (c == '$' && next == '$')
        name += rule[++i];
      else if (c == '\n')
        break; // the end of the rule: continued lines end in a backslash
      else if (c == '\\' && next == '\n')
        ++i, finish();
      else if (c == ' ')
        finish();
      else
        name += c;
    }
    finish();
  }

  // ---- The second compilation

  GpObject objectFor(Level level) const {
    Words objects;
    for (std::size_t i = 0; i < request_.sources.size(); ++i)
      objects.push_back(timed(request_.isTimed, base::textOf("compilation for ", name(level)),
                              [&] { return optimised(i, level); }));
    std::string const shared = temporary(std::string(name(level)) + ".so");
    std::string const symbols = temporary(std::string(name(level)) + ".symbols");
    writeFile(symbols, "{ global: " POP_OBJECT_TABLE_NAME "; local: *; };\n", "popc");
    // -Bsymbolic and the list of symbols: nothing of this object can be replaced by what the
    // program or another object has under the same name. What is never used goes, and with it
    // what a program that is its own codelet source would need of its libraries. Libraries that
    // nothing is needed of are left out, which is quicker to link and to load; so those that the
    // user names stand behind what needs them.
    Words const arguments{"-shared",
                          "-o",
                          shared,
                          "-Wl,-Bsymbolic",
                          "-Wl,--gc-sections",
                          "-Wl,--as-needed",
                          "-Wl,--version-script=" + symbols};
    Words libraries;
    for (std::string const &flag : request_.flags)
      if (flag.starts_with("-fsanitize") || flag.starts_with("-l") || flag.starts_with("-L") ||
          flag.starts_with("-Wl,") || flag == "-g")
        libraries.push_back(flag);
    timed(request_.isTimed, base::textOf("linking for ", name(level)),
          [&] { return compile(arguments + objects + libraries); });
    std::optional<std::string> bytes = readFile(shared);
    if (!bytes)
      base::fail<poplar::graph_object_creation_error>("popc", "the compiler left no object");
    return {std::string(name(level)), std::move(*bytes)};
  }

  /// The path of the object of source i.
  std::string optimised(std::size_t i, Level level) const {
    SourceFile const &source = request_.sources[i];
    if (source.type == poplar::CodeletFileType::Object)
      return source.path;
    std::string const stem = temporary(base::textOf(name(level), ".", i));
    Words const output{"-ffunction-sections", "-fdata-sections", "-w", "-c", "-o", stem + ".o"};
    if (source.type == poplar::CodeletFileType::CSource) {
      compile(sourceFlags(tools_, flags_, level, true) + output + Words{asInput(source.path)});
      return stem + ".o";
    }
    Words const flags =
        sourceFlags(tools_, flags_, level, false, tools_.include(tools_.own("Export.hpp")));
    auto const attempt = [&](std::vector<FoundVertex> const &vertices, Words const &how) {
      writeFile(stem + ".cpp", exportText(vertices), "popc");
      // The source is included by the command line, so that it is called as the user calls it and
      // its own includes are found beside it.
      compile(flags + including(source.path, stem + ".source") + how + Words{stem + ".cpp"});
    };
    std::vector<FoundVertex> const &all = vertices_[i];
    try {
      attempt(all, output);
    } catch (CompileError const &) {
      // One may be no vertex that the source asks for, but an implicit instance whose compute()
      // does not compile. An error of the source itself has been found before.
      std::vector<FoundVertex> good;
      for (FoundVertex const &vertex : all)
        if (!vertex.isDoubtful || compiles([&] { attempt({vertex}, {"-w", "-fsyntax-only"}); }))
          good.push_back(vertex);
      if (good.size() == all.size())
        throw;
      attempt(good, output);
      std::lock_guard const lock(mutex_);
      for (FoundVertex const &vertex : all)
        if (std::none_of(good.begin(), good.end(),
                         [&](FoundVertex const &kept) { return kept.name == vertex.name; }))
          dropped_.insert(vertex.name);
    }
    return stem + ".o";
  }

  template <class Attempt> static bool compiles(Attempt &&attempt) {
    try {
      attempt();
      return true;
    } catch (CompileError const &) {
      return false;
    }
  }

  /// Flags that include the source. With a folder, so that no other file of that name on the
  /// include path is meant; by another name if its own cannot stand between quotation marks.
  Words including(std::string const &path, std::string const &link) const {
    if (path.find_first_of("\"\n") == std::string::npos)
      return tools_.include(path.find('/') == std::string::npos ? "./" + path : path);
    std::error_code error;
    fs::remove(link, error);
    fs::create_symlink(fs::absolute(path), link);
    return tools_.include(link) + Words{"-iquote", fs::absolute(path).parent_path(),
                                        "-fmacro-prefix-map=" + link + "=" + path};
  }

  CompileRequest const &request_;
  Toolchain const tools_;
  TemporaryFolder const folder_;
  UserFlags const flags_;
  std::vector<std::vector<FoundVertex>> vertices_; ///< by source
  std::set<std::string> dependencies_;
  std::map<std::string, std::string> contents_; ///< digests by path
  mutable std::mutex mutex_;
  mutable std::set<std::string> dropped_; ///< doubtful vertices that do not compile
};

} // namespace

CompileResult compileModule(CompileRequest const &request) { return Job(request).run(); }

std::string compilerVersion() { return Toolchain({}).version; }

std::string compileToText(CompileRequest const &request, std::vector<std::string> const &kind) {
  Toolchain const tools(request.compiler);
  TemporaryFolder const folder;
  SourceFile const &source = request.sources.front();
  std::string const output = folder.path() / "text";
  UserFlags const flags(tools, request.flags, folder.path());
  bool const isC = source.type == poplar::CodeletFileType::CSource;
  Words const arguments = sourceFlags(tools, flags, request.levels.back(), isC) + kind +
                          Words{"-o", output, asInput(source.path)};
  std::fputs(runCompiler(tools, arguments, request.isVerbose).c_str(), stderr);
  return readFile(output).value_or("");
}

} // namespace cottonwood::popc
