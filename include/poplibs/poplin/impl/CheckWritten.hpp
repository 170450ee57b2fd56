// The check of what products and convolutions write.
#pragma once

#include <poputil/exceptions.hpp>

#include <poplar/Tensor.hpp>
#include <poplar/impl/base/Error.hpp>

namespace cottonwood::poplin {

/// \throws poputil::poplibs_error  t has aliases or constants; begins with `where`
inline void checkWritten(char const *where, ::poplar::Tensor const &t, char const *name) {
  if (!t.isParallelWriteable())
    base::fail<::poputil::poplibs_error>(
        where, "'", name, "' of shape ", base::shapeText(t.shape()),
        " cannot be written: it contains ", t.containsAliases() ? "aliases" : "constants");
}

} // namespace cottonwood::poplin
