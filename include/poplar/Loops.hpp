// The counter type of hardware loops.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_LOOPS_HPP
#define POPLAR_LOOPS_HPP

/// Holds the count of a loop. Global, and only in this header: codelets in the wild define the name
/// themselves.
using rptsize_t = unsigned;

#endif
