#pragma once

#include <poplin/ConvParams.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <istream>
#include <limits>
#include <ostream>

namespace cottonwood::poplin::detail {

template <class... A> [[noreturn]] void failConvText(A const &...parts) {
  base::fail<::poputil::poplibs_error>("poplin::ConvParams", parts...);
}

/// Reads the members of one JSON object; what is left in the end was misspelt.
class ConvObjectReader {
public:
  ConvObjectReader(nlohmann::json object, std::string path)
      : object_(std::move(object)), path_(std::move(path)) {
    if (!object_.is_object())
      failConvText("the value of '", path_, "' is not an object: ", object_.dump());
  }

  /// \returns  false if there is no such key.
  template <class T> bool read(char const *key, T &value) {
    auto const found = object_.find(key);
    if (found == object_.end())
      return false;
    if (!fits(*found, value))
      failConvText("'", key, "' is ", found->dump(), "; it must be ", wanted(value));
    value = found->get<T>();
    object_.erase(found);
    return true;
  }

  bool readType(char const *key, ::poplar::Type &type) {
    std::string name;
    if (!read(key, name))
      return false;
    for (auto const &known : {::poplar::FLOAT, ::poplar::HALF, ::poplar::QUARTER})
      if (name == std::string(known.toString()))
        return type = known, true;
    failConvText("'", key, "' is \"", name, "\"; it must be \"float\", \"half\" or \"quarter\"");
  }

  nlohmann::json take(char const *key) {
    nlohmann::json value = object_.value(key, nlohmann::json::object());
    object_.erase(key);
    return value;
  }

  void finish() const {
    if (!object_.empty())
      failConvText("'", object_.begin().key(), "' is not a member of ", path_);
  }

private:
  static bool fits(nlohmann::json const &value, std::string const &) { return value.is_string(); }
  static bool fits(nlohmann::json const &value, bool) { return value.is_boolean(); }
  template <class T>
  requires std::is_unsigned_v<T>
  static bool fits(nlohmann::json const &value, T) {
    return value.is_number_unsigned() &&
           value.get<std::uint64_t>() <= std::numeric_limits<T>::max();
  }
  template <class T> static bool fits(nlohmann::json const &value, std::vector<T> const &) {
    return value.is_array() && std::all_of(value.begin(), value.end(),
                                           [](auto const &element) { return fits(element, T{}); });
  }
  static char const *wanted(std::string const &) { return "a text"; }
  static char const *wanted(std::vector<bool> const &) { return "a list of true and false"; }
  template <class T> static char const *wanted(std::vector<T> const &) {
    return "a list of integers from 0";
  }
  static char const *wanted(std::size_t) { return "an integer from 0"; }

  nlohmann::json object_;
  std::string path_;
};

/// The one description of a transform's members, for both directions.
template <class Transform, class Visit> void visitInputTransform(Transform &t, Visit const &visit) {
  visit("truncationLower", t.truncationLower);
  visit("truncationUpper", t.truncationUpper);
  visit("dilation", t.dilation);
  visit("paddingLower", t.paddingLower);
  visit("paddingUpper", t.paddingUpper);
  visit("flip", t.flip);
}
template <class Transform, class Visit>
void visitOutputTransform(Transform &t, Visit const &visit) {
  visit("truncationLower", t.truncationLower);
  visit("truncationUpper", t.truncationUpper);
  visit("stride", t.stride);
  visit("paddingLower", t.paddingLower);
  visit("paddingUpper", t.paddingUpper);
}

POP_INLINE void checkFieldDims(char const *key, std::size_t size, std::size_t dims) {
  if (size != dims)
    failConvText("'", key, "' has ", size, " elements, 'inputFieldShape' has ", dims,
                 "; they must be equal");
}

POP_INLINE ::poplin::ConvParams convFromJson(nlohmann::json json) {
  ConvObjectReader reader(std::move(json), "ConvParams");
  ::poplar::Type in = ::poplar::FLOAT, out = ::poplar::FLOAT;
  if (reader.readType("dataType", in))
    out = in;
  reader.readType("inputType", in);
  reader.readType("outputType", out);
  std::size_t batch = 1, groups = 1, inChans = 1, outChans = 1;
  std::vector<std::size_t> field, kernel;
  reader.read("batchSize", batch);
  reader.read("numConvGroups", groups);
  reader.read("inputChannelsPerConvGroup", inChans);
  reader.read("outputChannelsPerConvGroup", outChans);
  reader.read("inputFieldShape", field);
  if (!reader.read("kernelShape", kernel))
    kernel.assign(field.size(), 1);
  checkFieldDims("kernelShape", kernel.size(), field.size());
  ::poplin::ConvParams params(in, out, batch, field, kernel, inChans, outChans, groups);
  auto const into = [&](ConvObjectReader &from) {
    return [&from, &field](char const *key, auto &values) {
      if (from.read(key, values))
        checkFieldDims(key, values.size(), field.size());
    };
  };
  ConvObjectReader input(reader.take("inputTransform"), "inputTransform");
  visitInputTransform(params.inputTransform, into(input));
  input.finish();
  ConvObjectReader weights(reader.take("kernelTransform"), "kernelTransform");
  visitInputTransform(params.kernelTransform, into(weights));
  weights.finish();
  ConvObjectReader output(reader.take("outputTransform"), "outputTransform");
  visitOutputTransform(params.outputTransform, into(output));
  output.finish();
  reader.finish();
  return params;
}

/// One line a member.
class ConvWriter {
public:
  explicit ConvWriter(std::ostream &os) : os_(os) { os_ << "{"; }

  void line(char const *key, nlohmann::ordered_json const &value) {
    os_ << (first_ ? "\n  \"" : ",\n  \"") << key << "\": " << value.dump();
    first_ = false;
  }
  void type(char const *key, ::poplar::Type const &type) {
    line(key, std::string(type.toString()));
  }
  void close() { os_ << "\n}"; }

private:
  std::ostream &os_;
  bool first_ = true;
};

} // namespace cottonwood::poplin::detail

namespace poplin {

POP_INLINE std::ostream &operator<<(std::ostream &os, ConvParams const &p) {
  using namespace cottonwood::poplin::detail;
  ConvWriter writer(os);
  writer.type("inputType", p.inputType);
  writer.type("outputType", p.outputType);
  writer.line("batchSize", p.batchSize);
  writer.line("inputFieldShape", p.inputFieldShape);
  writer.line("kernelShape", p.kernelShape);
  writer.line("inputChannelsPerConvGroup", p.inputChannelsPerConvGroup);
  writer.line("outputChannelsPerConvGroup", p.outputChannelsPerConvGroup);
  writer.line("numConvGroups", p.numConvGroups);
  nlohmann::ordered_json input, kernel, output;
  visitInputTransform(p.inputTransform, [&](auto key, auto const &v) { input[key] = v; });
  visitInputTransform(p.kernelTransform, [&](auto key, auto const &v) { kernel[key] = v; });
  visitOutputTransform(p.outputTransform, [&](auto key, auto const &v) { output[key] = v; });
  writer.line("inputTransform", input);
  writer.line("kernelTransform", kernel);
  writer.line("outputTransform", output);
  writer.close();
  return os;
}

POP_INLINE std::istream &operator>>(std::istream &is, ConvParams &p) {
  nlohmann::json json;
  try {
    is >> json;
  } catch (nlohmann::json::exception const &error) {
    cottonwood::poplin::detail::failConvText("no JSON object: ", error.what());
  }
  p = cottonwood::poplin::detail::convFromJson(std::move(json));
  return is;
}

} // namespace poplin
