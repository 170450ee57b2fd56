// The face of arch::Tiles behind pointers, compiled once for each tag with tiles.
#pragma once

#include <codelets/arch/Isa.hpp>

#include <cstddef>

namespace cottonwood::test {

struct AmxProbe {
  /// c += a * b on tiles of 1024 bytes; a null `before` starts from zero.
  void (*dotBfloat)(const void *before, const void *a, const void *b, void *c);
  /// Null where the tag's tiles do not multiply halves.
  void (*dotHalf)(const void *before, const void *a, const void *b, void *c);
  /// Loads all eight tiles from rows `stride` bytes apart, one every `stride` * 16 bytes, and
  /// stores the last one first.
  void (*turn)(const void *from, void *to, std::size_t stride);
};

template <class Tag> AmxProbe amxProbe();

} // namespace cottonwood::test
