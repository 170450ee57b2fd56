#include <poputil/impl/Config.hpp>
#ifndef POPUTIL_EXCEPTIONS_HPP
#define POPUTIL_EXCEPTIONS_HPP

#include <stdexcept>
#include <string>

namespace poputil {

/// What every library function throws on arguments it cannot accept. The text names the function
/// and the values.
struct POP_API poplibs_error : std::runtime_error {
  std::string type; ///< always "poplibs_error"

  explicit poplibs_error(std::string const &s);
  explicit poplibs_error(char const *s);
  ~poplibs_error() override;
};

} // namespace poputil

#endif
