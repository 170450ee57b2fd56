#include "AmxProbe.hpp"

#include <codelets/arch/Amx.hpp>

#include <utility>

namespace cottonwood::test {

namespace {

// Another combination of tiles than the neighbouring 0, 1, 2 shows operands in the wrong field.
constexpr int C = 3, A = 6, B = 4;

template <class Tag, bool HALF>
void dot(const void *before, const void *a, const void *b, void *c) {
  arch::Tiles<Tag> tiles;
  tiles.template zero<C>();
  if (before)
    tiles.template load<C>(before, arch::TILE_ROW_BYTES);
  tiles.template load<A>(a, arch::TILE_ROW_BYTES);
  tiles.template load<B>(b, arch::TILE_ROW_BYTES);
  if constexpr (HALF)
    tiles.template dotHalf<C, A, B>();
  else
    tiles.template dotBfloat<C, A, B>();
  tiles.keepAwake();
  tiles.template store<C>(c, arch::TILE_ROW_BYTES);
}

template <class Tag> void turn(const void *from, void *to, std::size_t stride) {
  arch::Tiles<Tag> tiles;
  const auto *in = static_cast<const unsigned char *>(from);
  auto *out = static_cast<unsigned char *>(to);
  const std::size_t tile = stride * arch::TILE_ROWS;
  [&]<int... T>(std::integer_sequence<int, T...>) {
    (tiles.template load<T>(in + T * tile, stride), ...);
    (tiles.template store<T>(out + (7 - T) * tile, stride), ...);
  }
  (std::make_integer_sequence<int, 8>());
}

} // namespace

template <class Tag> AmxProbe amxProbe() {
  AmxProbe probe{&dot<Tag, false>, nullptr, &turn<Tag>};
  if constexpr (Tag::TILES == isa::Tiles::Half)
    probe.dotHalf = &dot<Tag, true>;
  return probe;
}
template AmxProbe amxProbe<isa::POP_ISA>();

} // namespace cottonwood::test
