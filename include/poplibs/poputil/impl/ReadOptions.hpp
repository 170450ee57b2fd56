// How the libraries read the options of their functions.
#pragma once

#include <poputil/OptionParsing.hpp>

#include <poplar/impl/base/Error.hpp>

namespace cottonwood::poputil {

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
