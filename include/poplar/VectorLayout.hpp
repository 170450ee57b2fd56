// How a vertex field holds a vector or a list of vectors, as the field's type says.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_VECTORLAYOUT_HPP
#define POPLAR_VECTORLAYOUT_HPP

namespace poplar {

/// SPAN and SHORT_SPAN hold a pointer and a size, the others a pointer alone. All pointers are full
/// ones here.
enum class VectorLayout : unsigned {
  NOT_A_VECTOR,
  SPAN,
  SHORT_SPAN,
  ONE_PTR,
  SCALED_PTR32,
  SCALED_PTR64,
  SCALED_PTR128,
  COMPACT_PTR
};

/// Every list layout is held alike: a pointer to rows (each a pointer and a size) and their number.
enum class VectorListLayout : unsigned {
  NOT_A_VECTOR,
  ONE_PTR,
  SCALED_PTR32,
  SCALED_PTR64,
  SCALED_PTR128,
  DELTAN,
  DELTANELEMENTS,
  COMPACT_DELTAN
};

} // namespace poplar

#endif
