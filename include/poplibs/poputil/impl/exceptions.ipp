#pragma once

#include <poputil/exceptions.hpp>

namespace poputil {

POP_INLINE poplibs_error::poplibs_error(std::string const &s)
    : std::runtime_error(s), type("poplibs_error") {}

POP_INLINE poplibs_error::poplibs_error(char const *s)
    : std::runtime_error(s), type("poplibs_error") {}

// Out of line, so that compiled mode has one vtable and catching works across libraries.
POP_INLINE poplibs_error::~poplibs_error() = default;

} // namespace poputil
