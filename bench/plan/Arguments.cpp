#include <bench/plan/Arguments.hpp>

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <vector>

namespace cottonwood::plan {

namespace {

std::uint64_t number(std::string const &what, std::string_view text) {
  std::uint64_t value = 0;
  auto const [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size())
    throw ArgumentError(what + ": '" + std::string(text) + "' is not a number");
  return value;
}

std::vector<std::uint64_t> sizes(std::string const &what, std::string_view text) {
  std::vector<std::uint64_t> values;
  for (std::size_t at = 0; at <= text.size();) {
    std::size_t const end = std::min(text.find('x', at), text.size());
    values.push_back(number(what, text.substr(at, end - at)));
    at = end + 1;
  }
  return values;
}

void oneOf(std::string const &what, std::string const &value,
           std::initializer_list<char const *> allowed) {
  std::string list;
  for (char const *one : allowed) {
    if (value == one)
      return;
    list += (list.empty() ? "" : ", ") + std::string(one);
  }
  throw ArgumentError(what + " is '" + value + "'; allowed: " + list);
}

class Parser {
public:
  explicit Parser(std::span<char const *const> words) : words_(words) {}

  Arguments run() {
    auto const asksHelp = [](std::string_view word) { return word == "--help" || word == "-h"; };
    if (std::any_of(words_.begin(), words_.end(), asksHelp) || words_.empty())
      return args_;
    std::string const command = words_[at_++];
    if (command == "help")
      return args_;
    oneOf("the command", command,
          {"matmul", "chain", "conv", "reduce", "embedding", "elementwise", "cast", "copy", "table",
           "help"});
    args_.command = command == "matmul"        ? Arguments::Command::MatMul
                    : command == "chain"       ? Arguments::Command::Chain
                    : command == "conv"        ? Arguments::Command::Conv
                    : command == "reduce"      ? Arguments::Command::Reduce
                    : command == "embedding"   ? Arguments::Command::Embedding
                    : command == "elementwise" ? Arguments::Command::Elementwise
                    : command == "cast"        ? Arguments::Command::Cast
                    : command == "copy"        ? Arguments::Command::Copy
                                               : Arguments::Command::Table;
    if (args_.command != Arguments::Command::Table)
      problem(command);
    while (at_ < words_.size())
      option(words_[at_++]);
    if (args_.command == Arguments::Command::Conv)
      finishConv();
    if (args_.command == Arguments::Command::Reduce)
      finishReduce();
    if (args_.command == Arguments::Command::Embedding && args_.shape.embedding->indices == 0)
      throw ArgumentError("embedding needs --indices NUMBER, above 0");
    if (args_.shape.elements)
      finishElements(*args_.shape.elements);
    if (args_.shape.conversion)
      finishConversion(*args_.shape.conversion);
    if (args_.shape.movement)
      finishMovement(*args_.shape.movement);
    if (args_.shape.isArray() && (args_.published || args_.sweep || !args_.constraints.empty()))
      throw ArgumentError("--charges, --sweep and --constraints are for matmul and conv");
    if (!args_.chain.empty() && (args_.published || args_.sweep || !args_.constraints.empty()))
      throw ArgumentError("--charges, --sweep and --constraints are for matmul and conv");
    if (!args_.chain.empty() && !args_.output.empty() && args_.output != args_.type)
      throw ArgumentError("--output of a chain must be the type of the operands");
    if (args_.output.empty())
      args_.output = args_.type;
    if (args_.type == "float")
      args_.partials = "float";
    return args_;
  }

private:
  void problem(std::string const &command) {
    if (at_ == words_.size() || std::string_view(words_[at_]).starts_with("--"))
      throw ArgumentError(command + " needs a problem, for example " +
                          (command == "matmul"      ? "900x600x300"
                           : command == "chain"     ? "128x768x3072x768"
                           : command == "conv"      ? "4x64x56x56 --out 64 --kernel 3x3 --padding 1"
                           : command == "reduce"    ? "1000x1000 --dims 0"
                           : command == "embedding" ? "100000x64 --indices 1000"
                           : command == "cast"      ? "1000x1000 --to float"
                           : command == "copy"      ? "1000x1000 --transpose"
                                                    : "1000x1000 --op add --with 1000"));
    std::string const text = words_[at_++];
    auto const values = sizes("the problem", text);
    for (std::uint64_t const value : values)
      if (value == 0)
        throw ArgumentError("the problem: '" + text + "' has a size of 0; nothing is planned");
    args_.shape.name = command + " " + text;
    if (command == "matmul") {
      if (values.size() != 3 && values.size() != 4)
        throw ArgumentError("the problem: '" + text + "' is not [Gx]MxKxN");
      std::size_t const g = values.size() - 3;
      args_.shape.product = Product{g ? values[0] : 1, values[g], values[g + 1], values[g + 2]};
      return;
    }
    if (command == "chain") {
      if (values.size() < 4)
        throw ArgumentError("the problem: '" + text + "' is not MxKxNxN[xN...]");
      args_.chain = values;
      return;
    }
    if (command == "reduce") {
      args_.shape.reduction = Reduction();
      sizes_ = values;
      return;
    }
    if (command == "embedding") {
      if (values.size() != 2)
        throw ArgumentError("the problem: '" + text + "' is not ENTRIESxCOLUMNS");
      args_.shape.embedding = Embedding{values[0], values[1], 0, false};
      return;
    }
    if (command == "elementwise" || command == "cast" || command == "copy") {
      if (command == "cast")
        args_.shape.conversion.emplace().shape = values;
      else if (command == "copy")
        args_.shape.movement.emplace().shape = values;
      else
        args_.shape.elements.emplace().shape = values;
      return;
    }
    if (values.size() < 3)
      throw ArgumentError("the problem: '" + text + "' is not BATCHxCHANNELSxSIZE[xSIZE...]");
    Convolution conv;
    conv.batch = values[0], conv.inChannels = values[1];
    conv.field.assign(values.begin() + 2, values.end());
    args_.shape.conv = conv;
  }

  std::string value(std::string const &option) {
    if (at_ == words_.size())
      throw ArgumentError(option + " needs a value");
    return words_[at_++];
  }

  void option(std::string const &name) {
    if (name == "--json")
      args_.json = true;
    else if (name == "--sweep")
      args_.sweep = true;
    else if (name == "--target")
      args_.target = value(name);
    else if (name == "--type" || name == "--output" || name == "--partials") {
      std::string &type = name == "--type"     ? args_.type
                          : name == "--output" ? args_.output
                                               : args_.partials;
      oneOf(name, type = value(name), {"half", "float"});
    } else if (name == "--memory") {
      memory(value(name));
    } else if (name == "--constraints") {
      args_.constraints = value(name);
    } else if (name == "--alternatives") {
      args_.alternatives = number(name, value(name));
    } else if (name == "--charges") {
      std::string const charges = value(name);
      oneOf(name, charges, {"modelled", "published"});
      args_.published = charges == "published";
    } else if (name == "--only") {
      args_.only = value(name);
    } else if (name == "--dims" && args_.shape.reduction) {
      dims_ = sizes(name, value(name));
    } else if (name == "--indices" && args_.shape.embedding) {
      args_.shape.embedding->indices = number(name, value(name));
    } else if (name == "--update" && args_.shape.embedding) {
      args_.shape.embedding->update = true;
    } else if (!elementOption(name) && !conversionOption(name) && !movementOption(name) &&
               !convOption(name)) {
      throw ArgumentError("there is no option '" + name + "'; see poplar-plan help");
    }
  }

  void memory(std::string const &text) {
    char *end = nullptr;
    args_.proportion = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || *end != '\0' || !(args_.proportion >= 0))
      throw ArgumentError("--memory is '" + text + "'; it must be a number from 0");
  }

  Mapping mapping(std::string const &name) {
    std::string const text = value(name);
    oneOf(name, text, {"linear", "one", "turned", "cyclic"});
    return text == "linear"   ? Mapping::Linear
           : text == "one"    ? Mapping::One
           : text == "turned" ? Mapping::Turned
                              : Mapping::Cyclic;
  }

  bool elementOption(std::string const &name) {
    if (!args_.shape.elements)
      return false;
    Elements &elements = *args_.shape.elements;
    if (name == "--op")
      elements.op = value(name);
    else if (name == "--with")
      elements.other = sizes(name, value(name));
    else if (name == "--in-place")
      elements.inPlace = true;
    else if (name == "--mapping")
      elements.mapping = mapping(name);
    else if (name == "--with-mapping")
      elements.otherMapping = mapping(name);
    else
      return false;
    return true;
  }

  bool conversionOption(std::string const &name) {
    if (!args_.shape.conversion)
      return false;
    Conversion &conversion = *args_.shape.conversion;
    if (name == "--to")
      oneOf(name, conversion.to = value(name), {"half", "float", "int", "uchar"});
    else if (name == "--mapping")
      conversion.mapping = mapping(name);
    else if (name == "--result-mapping")
      conversion.resultMapping = mapping(name);
    else
      return false;
    return true;
  }

  bool movementOption(std::string const &name) {
    if (!args_.shape.movement)
      return false;
    Movement &movement = *args_.shape.movement;
    if (name == "--transpose")
      movement.transposed = true;
    else if (name == "--mapping")
      movement.mapping = mapping(name);
    else if (name == "--result-mapping")
      movement.resultMapping = mapping(name);
    else
      return false;
    return true;
  }

  void finishMovement(Movement &movement) {
    if (movement.transposed && movement.shape.size() < 2)
      throw ArgumentError("--transpose: the problem has one dimension");
    if (!movement.transposed && !movement.resultMapping)
      throw ArgumentError("copy needs --transpose, --result-mapping WHERE or both");
    if (movement.transposed)
      args_.shape.name += ", transposed";
  }

  void finishElements(Elements &elements) {
    if (elements.op.empty())
      throw ArgumentError("elementwise needs --op NAME");
    bool fits = elements.other.size() <= elements.shape.size();
    for (std::size_t d = 1; fits && d <= elements.other.size(); ++d) {
      std::uint64_t const size = elements.other[elements.other.size() - d];
      fits = size == 1 || size == elements.shape[elements.shape.size() - d];
    }
    if (!fits)
      throw ArgumentError("--with does not fit the problem: its dimensions, counted from the last, "
                          "must be equal or 1");
    args_.shape.name += ", " + elements.op;
  }

  void finishConversion(Conversion &conversion) {
    if (conversion.to.empty())
      throw ArgumentError("cast needs --to TYPE");
    if (conversion.to == args_.type)
      throw ArgumentError("--to is " + conversion.to + ", as --type: that is no cast");
    conversion.from = args_.type;
    args_.shape.name += ", " + conversion.from + " to " + conversion.to;
  }

  bool convOption(std::string const &name) {
    if (!args_.shape.conv)
      return false;
    Convolution &conv = *args_.shape.conv;
    std::vector<std::uint64_t> *list = name == "--kernel"     ? &conv.kernel
                                       : name == "--stride"   ? &conv.stride
                                       : name == "--padding"  ? &conv.padding
                                       : name == "--dilation" ? &conv.dilation
                                                              : nullptr;
    if (list)
      *list = sizes(name, value(name));
    else if (name == "--out")
      conv.outChannels = number(name, value(name)), hasOut_ = true;
    else if (name == "--groups")
      conv.groups = number(name, value(name));
    else
      return false;
    return true;
  }

  void finishConv() {
    Convolution &conv = *args_.shape.conv;
    if (!hasOut_ || conv.kernel.empty())
      throw ArgumentError("conv needs --out CHANNELS and --kernel SIZE[xSIZE...]");
    std::size_t const dims = conv.field.size();
    auto const complete = [&](char const *name, std::vector<std::uint64_t> &list,
                              std::uint64_t standard) {
      if (list.empty())
        list.assign(1, standard);
      if (list.size() == 1)
        list.assign(dims, list[0]);
      if (list.size() != dims)
        throw ArgumentError(std::string(name) + " has " + std::to_string(list.size()) +
                            " sizes; the field has " + std::to_string(dims) + " dimensions");
    };
    complete("--kernel", conv.kernel, 1);
    complete("--stride", conv.stride, 1);
    complete("--padding", conv.padding, 0);
    complete("--dilation", conv.dilation, 1);
    if (conv.outChannels == 0)
      throw ArgumentError("--out is 0; nothing is planned");
    if (conv.groups == 0 || conv.inChannels % conv.groups != 0 ||
        conv.outChannels % conv.groups != 0)
      throw ArgumentError("--groups is " + std::to_string(conv.groups) +
                          "; it must divide the channels, " + std::to_string(conv.inChannels) +
                          " in and " + std::to_string(conv.outChannels) + " out");
  }

  void finishReduce() {
    if (dims_.empty())
      throw ArgumentError("reduce needs --dims DIM[xDIM...]");
    Reduction &reduction = *args_.shape.reduction;
    std::uint64_t *part = &reduction.outer;
    for (std::size_t d = 0; d != sizes_.size(); ++d) {
      bool const isReduced = std::find(dims_.begin(), dims_.end(), d) != dims_.end();
      if (isReduced && part == &reduction.outer)
        part = &reduction.reduced;
      else if (!isReduced && part == &reduction.reduced)
        part = &reduction.inner;
      if (isReduced && part == &reduction.inner)
        throw ArgumentError("--dims must be neighbours: others are reductions one after another");
      *part *= sizes_[d];
    }
    for (std::uint64_t const dim : dims_) {
      if (std::count(dims_.begin(), dims_.end(), dim) != 1)
        throw ArgumentError("--dims has " + std::to_string(dim) + " more than once");
      if (dim >= sizes_.size())
        throw ArgumentError("--dims has " + std::to_string(dim) + "; the problem has " +
                            std::to_string(sizes_.size()) + " dimensions");
    }
    args_.shape.name += ", dims";
    for (std::uint64_t const dim : dims_)
      args_.shape.name.append(" ").append(std::to_string(dim));
  }

  std::span<char const *const> words_;
  std::size_t at_ = 0;
  bool hasOut_ = false;
  std::vector<std::uint64_t> sizes_, dims_; ///< of a reduction
  Arguments args_;
};

} // namespace

Arguments parseArguments(std::span<char const *const> words) { return Parser(words).run(); }

} // namespace cottonwood::plan
