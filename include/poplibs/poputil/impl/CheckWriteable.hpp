// The check of what functions write in place.
#pragma once

#include <poputil/exceptions.hpp>

#include <poplar/Tensor.hpp>
#include <poplar/impl/base/Error.hpp>

#include <string_view>

namespace cottonwood::poputil {

/// \param what  names the tensor: "'t'"
/// \throws poputil::poplibs_error  t has aliases or constants; begins with `function`
inline void checkWriteable(char const *function, std::string_view what, ::poplar::Tensor const &t) {
  if (!t.isParallelWriteable())
    base::fail<::poputil::poplibs_error>(function, what, " of shape ", base::shapeText(t.shape()),
                                         " must be writeable in parallel, but it contains ",
                                         t.containsAliases() ? "aliases" : "constants");
}

} // namespace cottonwood::poputil
