// How the libraries read the options of their functions.
#pragma once

#include <poputil/OptionParsing.hpp>

#include <poplar/impl/base/Error.hpp>

#include <charconv>
#include <limits>

namespace cottonwood::poputil {

/// As OptionHandler::createWithDouble, of a text that is a number and nothing else: that one passes
/// over what follows, such as units.
inline ::poplibs::OptionHandler numberOption(double &output, double low, bool lowIsAllowed = true,
                                             double high = std::numeric_limits<double>::max()) {
  using ::poplibs::OptionHandler;
  auto const handler = OptionHandler::createWithDouble(output, low, lowIsAllowed, high);
  return OptionHandler([handler](::poplar::StringRef value) {
    double number = 0;
    char const *const last = value.data() + value.size();
    auto const [end, code] = std::from_chars(value.data(), last, number);
    if (code == std::errc::invalid_argument || end != last)
      throw ::poplar::invalid_option("Not a valid number");
    handler.parseValue(value);
  });
}

/// Gives every option to `spec`. Errors begin with `function`, the one that takes the options or,
/// where several do, the one they are named after.
/// \throws poplar::invalid_option  an unknown option, or a value its handler refuses
inline void readOptions(char const *function, ::poplibs::OptionSpec const &spec,
                        ::poplar::OptionFlags const &options) {
  for (auto const &[name, value] : options)
    try {
      spec.parse(name, value);
    } catch (::poplar::invalid_option const &error) {
      base::fail<::poplar::invalid_option>(function, error.what());
    }
}

} // namespace cottonwood::poputil
