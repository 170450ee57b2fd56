#include "Options.hpp"

#include <algorithm>
#include <charconv>

namespace fashion {
namespace {

struct Entry {
  char const *name;
  char const *value; ///< what stands behind the option; empty: nothing
  char const *help;
  void (*set)(Options &, std::string const &value);
};

/// Thrown by `set`; the caller adds the option's name and the value.
struct NotAllowed {
  std::string allowed;
};

template <class T> T wholeNumber(std::string const &text, T least, T most) {
  T value{};
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
    throw NotAllowed{"a whole number from " + std::to_string(least) + " to " +
                     std::to_string(most)};
  return value;
}

template <class T>
T oneOf(std::string const &text, std::vector<std::pair<char const *, T>> const &words) {
  std::string allowed;
  for (auto const &[word, value] : words) {
    if (text == word)
      return value;
    allowed += (allowed.empty() ? "" : ", ") + std::string(word);
  }
  throw NotAllowed{allowed};
}

std::string path(std::string const &text) {
  if (text.empty())
    throw NotAllowed{"a path that is not empty"};
  return text;
}

Entry const ENTRIES[] = {
    {"--device", "cpu|ipu-model", "where to run (cpu); the IPU Model takes a subset of the images",
     [](Options &o, std::string const &v) {
       o.device =
           oneOf<DeviceKind>(v, {{"cpu", DeviceKind::CPU}, {"ipu-model", DeviceKind::IPU_MODEL}});
     }},
    {"--type", "float|half", "numbers to compute with (float); half keeps float master weights",
     [](Options &o, std::string const &v) {
       o.type = oneOf<NumberKind>(v, {{"float", NumberKind::FLOAT}, {"half", NumberKind::HALF}});
     }},
    {"--workers", "N", "engine threads; results do not depend on it (one a core)",
     [](Options &o, std::string const &v) { o.workers = wholeNumber(v, 1u, 1024u); }},
    {"--epochs", "N", "passes over the training images; 0 only tests",
     [](Options &o, std::string const &v) { o.epochs = wholeNumber(v, 0u, 10000u); }},
    {"--images", "N", "train with the first N images",
     [](Options &o, std::string const &v) {
       o.images = wholeNumber<std::size_t>(v, 1, 1000000000);
     }},
    {"--seed", "N", "for the first weights and the order of images (1)",
     [](Options &o, std::string const &v) {
       o.seed = wholeNumber<std::uint64_t>(v, 0, UINT64_MAX);
     }},
    {"--save", "FILE", "write the trained weights",
     [](Options &o, std::string const &v) { o.save = path(v); }},
    {"--load", "FILE", "start from saved weights; without --epochs, only test them",
     [](Options &o, std::string const &v) { o.load = path(v); }},
    {"--data", "DIR", "folder of the IDX files (/usr/share/datasets/fashion-mnist)",
     [](Options &o, std::string const &v) { o.data = path(v); }},
    {"--help", "", "this text", [](Options &o, std::string const &) { o.help = true; }},
};

Entry const &find(std::string const &name) {
  std::string names;
  for (Entry const &entry : ENTRIES) {
    if (name == entry.name)
      return entry;
    names += std::string(" ") + entry.name;
  }
  throw UsageError("unknown option '" + name + "'; allowed:" + names);
}

void apply(Options &options, Entry const &entry, std::string const &value) {
  try {
    entry.set(options, value);
  } catch (NotAllowed const &e) {
    throw UsageError(std::string(entry.name) + " has value '" + value + "'; allowed: " + e.allowed);
  }
}

} // namespace

Options parseOptions(std::vector<std::string> const &arguments) {
  Options options;
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    std::string const &argument = arguments[i];
    std::size_t const equals = argument.find('=');
    Entry const &entry = find(argument.substr(0, equals));
    bool const takesValue = *entry.value != '\0';
    if (equals != std::string::npos && takesValue)
      apply(options, entry, argument.substr(equals + 1));
    else if (equals != std::string::npos)
      throw UsageError(std::string(entry.name) + " takes no value");
    else if (takesValue && i + 1 == arguments.size())
      throw UsageError(std::string(entry.name) + " needs a value: " + entry.value);
    else
      apply(options, entry, takesValue ? arguments[++i] : std::string());
  }
  return options;
}

std::string helpText() {
  std::string text =
      "usage: fashion [options]\n\nTrains a small network on Fashion-MNIST: 10 kinds "
      "of clothes in 28 x 28 pixels.\n\n";
  for (Entry const &entry : ENTRIES) {
    std::string left = std::string("  ") + entry.name + " " + entry.value;
    left.resize(std::max<std::size_t>(left.size() + 2, 26), ' ');
    text += left + entry.help + "\n";
  }
  return text;
}

} // namespace fashion
