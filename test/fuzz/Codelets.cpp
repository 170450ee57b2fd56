// Files of codelets with bytes changed behind their checksum, and lines of compile flags: each is
// taken as it stands or refused with the exception for it. No code of such a file is run.
#include "Fuzz.hpp"

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Digest.hpp>
#include <poplar/impl/popc/GpFile.hpp>
#include <poplar/impl/popc/Words.hpp>

#include <string>
#include <vector>

using namespace cottonwood::popc;
using fuzz::below;
using fuzz::expect;
using fuzz::oneIn;
using fuzz::Random;

namespace {

std::string anyText(Random &random, std::string const &letters) {
  std::string text;
  for (std::size_t n = below(random, 12); n != 0; --n)
    text += letters[below(random, letters.size())];
  return text;
}

GpFile anyFile(Random &random) {
  GpFile file;
  for (std::size_t n = below(random, 3); n != 0; --n) {
    GpModule &module = file.modules.emplace_back();
    module.sources.push_back(anyText(random, "ab/.cp \"\\"));
    module.compiler = anyText(random, "clang 14.\n");
    module.flags.push_back(anyText(random, "-DX='\"= "));
    for (std::size_t m = below(random, 3); m != 0; --m)
      module.vertices.push_back({anyText(random, "V<,>:ab"), anyText(random, "a:1"), random()});
    for (std::size_t m = below(random, 3); m != 0; --m)
      module.objects.push_back({anyText(random, "x86-64v234"), anyText(random, "\x7f"
                                                                               "ELF\n")});
  }
  return file;
}

void checkFile(Random &random) {
  std::string bytes = storedGp(anyFile(random));
  expect(storedGp(parseGp(bytes, "fuzz.gp")) == bytes, "a file is another one after reading");
  // Where the manifest's length and digest are, and what follows (GpFile.hpp).
  constexpr std::size_t DIGEST_AT = 24, BODY_AT = 56;
  for (std::size_t changes = 1 + below(random, 4); changes != 0; --changes) {
    std::size_t const at = below(random, bytes.size());
    if (oneIn(random, 4))
      bytes.erase(at, 1 + below(random, 8));
    else
      bytes[at] =
          oneIn(random, 2) ? "{}[]\",:0-9eE"[below(random, 12)] : static_cast<char>(random());
    if (bytes.size() <= BODY_AT)
      break;
    if (!oneIn(random, 8))
      bytes.replace(DIGEST_AT, BODY_AT - DIGEST_AT,
                    cottonwood::base::digestOf(std::string_view(bytes).substr(BODY_AT)));
  }
  try {
    std::size_t total = 0;
    for (GpModule const &module : parseGp(bytes, "fuzz.gp").modules)
      for (GpObject const &object : module.objects)
        total += object.bytes.size();
    expect(total <= bytes.size(), "objects are longer than the file");
  } catch (poplar::graph_object_load_error const &) {
  }
}

void checkWords(Random &random) {
  std::string const line = anyText(random, "ab '\"\\$`\n\t-");
  try {
    std::vector<std::string> const words = splitWords(line, "fuzz");
    std::string quoted;
    for (std::string const &word : words) {
      quoted += " '";
      for (char const c : word)
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
      quoted += '\'';
    }
    expect(splitWords(quoted, "fuzz") == words, "words change when they are quoted: " + line);
  } catch (poplar::poplar_error const &) {
  }
}

} // namespace

int main(int argc, char **argv) {
  return fuzz::run("codelets", argc, argv, [](Random &random) {
    checkFile(random);
    checkWords(random);
  });
}
