// Texts that should be JSON, and options with values that should be allowed: each is taken as it
// stands or refused with the exception for it.
#include "Fuzz.hpp"

#include <poplar/Device.hpp>
#include <poplar/EngineOptions.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Target.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/engine/OptionTable.hpp>

#include <sstream>
#include <string>
#include <vector>

using namespace poplar;
using fuzz::below;
using fuzz::expect;
using fuzz::oneIn;
using fuzz::Random;

namespace {

template <class T> T const &any(Random &random, std::vector<T> const &list) {
  return list[below(random, list.size())];
}

std::string optionName(Random &random) {
  auto const table = cottonwood::engine::optionTable();
  return std::string(table[below(random, table.size())].name);
}

std::string value(Random &random) {
  static std::vector<std::string> const VALUES{
      "true", "false", "0",   "-1",        "0x1F", "18446744073709551616",
      "1.5",  "1e400", "nan", "unlimited", "auto", "portable",
      "",     "any",   "ipu", "polling"};
  return any(random, VALUES);
}

/// A few bytes changed, left out or put in.
std::string damaged(Random &random, std::string text) {
  for (std::size_t changes = below(random, 4); changes != 0; --changes) {
    std::size_t const at = below(random, text.size() + 1);
    char const byte =
        oneIn(random, 2) ? "{}[]\",:\\u0e-\n"[below(random, 13)] : static_cast<char>(random());
    if (oneIn(random, 3) || at == text.size())
      text.insert(at, 1, byte);
    else if (oneIn(random, 2))
      text.erase(at, 1 + below(random, 3));
    else
      text[at] = byte;
  }
  return text;
}

std::string jsonText(Random &random) {
  std::string text = "{";
  for (std::size_t n = below(random, 4), i = 0; i < n; ++i) {
    std::string const word = value(random);
    bool const quoted = oneIn(random, 2);
    text += (i == 0 ? "\"" : ", \"") + optionName(random) +
            "\": " + (quoted || word.empty() ? '"' + word + '"' : word);
  }
  return text + "}";
}

/// What was read can be written and read again.
void checkJson(Random &random) {
  std::string const text = damaged(random, jsonText(random));
  OptionFlags flags{{"kept", "1"}};
  try {
    readJSON(StringRef(text), flags);
  } catch (parse_error const &) {
    return expect(flags == OptionFlags{{"kept", "1"}}, "a wrong text changed the options: " + text);
  }
  std::ostringstream written;
  written << flags;
  OptionFlags again;
  readJSON(StringRef(written.str()), again);
  expect(again == flags, "other options after writing and reading: " + text);
}

void checkEngineOptions(Random &random, Target const &target) {
  OptionFlags given;
  for (std::size_t n = 1 + below(random, 3); n != 0; --n)
    given.set(oneIn(random, 4) ? damaged(random, optionName(random)) : optionName(random),
              oneIn(random, 4) ? damaged(random, value(random)) : value(random));
  try {
    EngineOptions const options(given, target);
    for (auto const &[name, text] : given)
      expect(options.flags().at(name) == text, "option " + name + " has another value");
  } catch (invalid_option const &error) {
    expect(std::string(error.what()).find("option '") != std::string::npos,
           std::string("the error names no option: ") + error.what());
  }
}

void checkTargetOptions(Random &random) {
  static std::vector<std::string> const NAMES{"gatewayMode",       "instanceSize",
                                              "ipuLinkDomainSize", "ipuLinkTopology",
                                              "syncConfiguration", "sim.traceTiming"};
  OptionFlags given;
  given.set(damaged(random, any(random, NAMES)), damaged(random, value(random)));
  try {
    Target::createIPUTarget(1, "ipu2", given);
  } catch (invalid_option const &) {
  }
}

} // namespace

int main(int argc, char **argv) {
  Target const target = Device::createCPUDevice().getTarget();
  return fuzz::run("fuzz-options", argc, argv, [&](Random &random) {
    checkJson(random);
    checkEngineOptions(random, target);
    checkTargetOptions(random);
  });
}
