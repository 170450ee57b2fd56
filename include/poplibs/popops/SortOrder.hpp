#include <popops/impl/Config.hpp>
#ifndef POPOPS_SORT_ORDER_HPP
#define POPOPS_SORT_ORDER_HPP

#include <iosfwd>

namespace popops {

enum class SortOrder { NONE, ASCENDING, DESCENDING };

/// Writes none, ascending or descending.
POP_API std::ostream &operator<<(std::ostream &os, SortOrder const &order);

} // namespace popops

#endif
