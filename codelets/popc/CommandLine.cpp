#include <codelets/popc/CommandLine.hpp>

#include <codelets/popc/Compile.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Digest.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/Version.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

namespace cottonwood::popc {

namespace {

template <class... A> [[noreturn]] void refuse(A const &...parts) {
  base::fail<poplar::poplar_error>("popc", parts..., "; popc --help lists the options");
}

/// All are compiled alike, for the host.
constexpr std::array<std::string_view, 4> TARGETS{"cpu", "ipu1", "ipu2", "ipu21"};

void checkTarget(std::string_view target) {
  std::string_view const arch = target.substr(0, target.find(':'));
  if (std::find(TARGETS.begin(), TARGETS.end(), arch) == TARGETS.end())
    refuse("target '", target, "' is unknown; there are cpu, ipu1, ipu2 and ipu21");
}

/// A list of targets, or JSON: [{"name": "ipu2:cpp", "arch": "ipu2", "compile-flags": ["-DX"]}].
/// Everything is compiled once, with the flags of cpu if it is among them, else of the first.
void readTargets(std::string const &text, std::vector<std::string> &flags) {
  if (text.empty() || text[0] != '[') {
    for (std::size_t begin = 0; begin <= text.size();) {
      std::size_t const end = std::min(text.find(',', begin), text.size());
      checkTarget(std::string_view(text).substr(begin, end - begin));
      begin = end + 1;
    }
    return;
  }
  try {
    std::optional<std::vector<std::string>> chosen;
    for (nlohmann::json const &target : nlohmann::json::parse(text)) {
      std::string const name = target.value("name", std::string());
      std::string const arch = target.value("arch", name);
      checkTarget(arch);
      if (!chosen || arch == "cpu")
        chosen = target.value("compile-flags", std::vector<std::string>());
    }
    if (!chosen)
      refuse("--target names no target");
    flags.insert(flags.end(), chosen->begin(), chosen->end());
  } catch (nlohmann::json::exception const &error) {
    refuse("--target '", text, "': ", error.what());
  }
}

std::vector<Level> readLevels(std::string const &text) {
  std::vector<Level> levels;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t const end = std::min(text.find(',', begin), text.size());
    std::string const word = text.substr(begin, end - begin);
    std::optional<Level> const level = parseLevel(word);
    if (!level)
      refuse("variant '", word, "' is unknown; there are x86-64-v2, x86-64-v3 and x86-64-v4");
    if (std::find(levels.begin(), levels.end(), *level) == levels.end())
      levels.push_back(*level);
    begin = end + 1;
  }
  return levels;
}

/// `--word`, `-word`, `--word=value` or `-word=value`: the word without its dashes.
std::string_view wordOf(std::string_view argument) {
  argument.remove_prefix(argument.starts_with("--") ? 2 : 1);
  return argument.substr(0, argument.find('='));
}

class Parser {
public:
  explicit Parser(std::vector<std::string> const &arguments) : arguments_(arguments) {}

  CommandLine run() {
    bool onlyInputs = false;
    for (; at_ < arguments_.size(); ++at_) {
      std::string const &argument = arguments_[at_];
      if (argument == "--" && !onlyInputs)
        onlyInputs = true;
      else if (onlyInputs || argument.size() < 2 || argument[0] != '-')
        addInput(argument);
      else if (!readLong(argument) && !readShort(argument))
        refuse("unknown option '", argument, "'");
    }
    return std::move(line_);
  }

private:
  /// The value behind the `=`, else the next argument.
  std::string value(std::string const &argument) {
    if (std::size_t const equals = argument.find('='); equals != std::string::npos)
      return argument.substr(equals + 1);
    return next(argument);
  }
  std::string next(std::string const &argument) {
    if (at_ + 1 == arguments_.size())
      refuse("option '", argument, "' lacks its value");
    return arguments_[++at_];
  }

  void addInput(std::string path) {
    poplar::CodeletFileType type = language_;
    if (type == poplar::CodeletFileType::Auto)
      type = poplar::getCodeletFileType(path.c_str());
    line_.inputs.push_back({std::move(path), type});
  }

  static poplar::CodeletFileType languageFrom(std::string const &name) {
    if (name == "c++")
      return poplar::CodeletFileType::CppSource;
    if (name == "c")
      return poplar::CodeletFileType::CSource;
    if (name != "none")
      refuse("-x '", name, "' is unknown; there are c++, c and none");
    return poplar::CodeletFileType::Auto;
  }

  bool readLong(std::string const &argument) {
    std::string_view const word = wordOf(argument);
    if (argument == "-h" || word == "help")
      line_.action = CommandLine::Action::Help;
    else if (word == "version")
      line_.action = CommandLine::Action::Version;
    else if (word == "list-targets")
      line_.action = CommandLine::Action::ListTargets;
    else if (word == "target" || word == "targets")
      readTargets(value(argument), line_.flags);
    else if (word == "variants")
      line_.levels = readLevels(value(argument));
    else if (word == "dependencies")
      line_.dependencies = value(argument);
    else if (word == "compiler")
      line_.compiler = value(argument);
    else if (word == "input") // whatever it begins with
      addInput(next(argument));
    else if (word == "verbose" || argument == "-v")
      line_.isVerbose = true;
    else if (word == "times")
      line_.isTimed = true;
    else if (word == "S")
      line_.isAssembly = true;
    else if (word == "emit-llvm")
      line_.isIr = true;
    else if (word == "output")
      line_.output = value(argument);
    else
      return false;
    return true;
  }

  bool readShort(std::string const &argument) {
    std::string_view const rest = std::string_view(argument).substr(2);
    switch (argument[1]) {
    case 'o':
      line_.output = rest.empty() ? next(argument) : std::string(rest);
      return true;
    case 'x':
      language_ = languageFrom(rest.empty() ? next(argument) : std::string(rest));
      return true;
    case 'X':
      line_.flags.push_back(rest.empty() ? next(argument) : std::string(rest));
      return true;
    case 'I':
    case 'D':
    case 'U':
    case 'L':
      if (!rest.empty())
        line_.flags.push_back(argument);
      else
        line_.flags.push_back(argument + next(argument));
      return true;
    case 'i': // -include and -isystem
      if (argument != "-include" && argument != "-isystem" && argument != "-iquote")
        return false;
      line_.flags.push_back(argument);
      line_.flags.push_back(next(argument));
      return true;
    case 'O':
    case 'g':
    case 'W':
    case 'w':
    case 'f':
    case 'm':
    case 'l':
    case 's': // -std=
      if (argument[1] == 's' && !argument.starts_with("-std="))
        return false;
      line_.flags.push_back(argument);
      return true;
    case '-':
      if (!argument.starts_with("--std="))
        return false;
      line_.flags.push_back(argument.substr(1));
      return true;
    default:
      return false;
    }
  }

  std::vector<std::string> const &arguments_;
  std::size_t at_ = 0;
  poplar::CodeletFileType language_ = poplar::CodeletFileType::Auto;
  CommandLine line_;
};

} // namespace

CommandLine parseCommandLine(std::vector<std::string> const &arguments) {
  return Parser(arguments).run();
}

char const *helpText() {
  return "usage: popc [OPTIONS] INPUT...\n"
         "\n"
         "Compiles codelets for Graph::addCodelets. Inputs are C++ or C sources (.cpp .cc .cxx .C "
         ".c),\n"
         "objects (.o) to be linked to them, and files of codelets (.gp) to be joined.\n"
         "\n"
         "  -o FILE                 the file of codelets to write; else the first input's name "
         "with\n"
         "                          .gp, in the current folder\n"
         "  -O0 -O1 -O2 -O3 -Os -Oz optimisation; -O3 if not given\n"
         "  -g                      debug information\n"
         "  -I DIR  -D NAME[=VALUE]  -U NAME  -include FILE  -isystem DIR\n"
         "                          as for every C++ compiler; the blank may be left out\n"
         "  -std=STANDARD           c++17 if not given\n"
         "  -W... -f... -m... -w    handed to the compiler\n"
         "  -X OPTION               handed to the compiler, whatever it is\n"
         "  -x LANGUAGE             c++ or c: what the inputs behind it are; none: by their "
         "endings\n"
         "  --input FILE            an input, also one whose name begins with a dash\n"
         "  --compiler PATH         the C++ compiler to use\n"
         "  --target LIST           cpu, ipu1, ipu2, ipu21, or their JSON form with compile "
         "flags;\n"
         "                          all are compiled alike, for the host\n"
         "  --list-targets          the targets, one a line\n"
         "  --variants LIST         of x86-64-v2, x86-64-v3, x86-64-v4; all of them if not given\n"
         "  -S                      write assembly text of one source\n"
         "  --emit-llvm             write IR text of one source (clang only)\n"
         "  --dependencies FILE     list every file that was read, one a line\n"
         "  -v, --verbose           show the compiler's command lines\n"
         "  --times                 show how long each step took\n"
         "  --version               versions of this command and of the compiler\n"
         "  -h, --help              this text\n"
         "\n"
         "Long options take one dash or two, their values after a blank or =. The compiler is\n"
         "$POPC_CXX, else the first of clang++-19, -16, -15, -14, clang++ and g++ in PATH.\n"
         "Floating-point contraction is off; -ffp-contract=fast turns it on.\n";
}

std::string versionText() {
  std::string const release = base::RELEASE;
  std::string compiler;
  try {
    compiler = compilerVersion();
    compiler = compiler.substr(0, compiler.find('\n'));
  } catch (poplar::poplar_error const &error) {
    compiler = error.what();
  }
  std::string text =
      base::textOf("POPLAR version ", base::API_VERSION, " (",
                   base::digestOf(release).substr(0, 16), ")\n", release, "\n", compiler, "\n");
  // Build scripts ask which clang the language is that of.
  if (compiler.find("clang version") == std::string::npos)
    text += "the language of clang version 16.0.0\n";
  return text;
}

char const *targetsText() { return "cpu\nipu1\nipu2\nipu21\n"; }

} // namespace cottonwood::popc
