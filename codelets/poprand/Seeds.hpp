/// \file Seeds.hpp
/// The state of the generators of a tile: a row of four words for each worker context. Operations
/// without a seed take the first row of their tile: key, and words 2 and 3 of the counters.
///
/// Vertices
///   poprand::SetSeed       row r = Philox of the key `seed` at counter (firstRow + r, 0, modifier,
///                          2^32 - 1), a bijection: no two rows are equal
///   poprand::AdvanceSeed   words 2 and 3 of every row, as one number, grow by 1
/// Fields
///   state      Output (AdvanceSeed: InOut) <Vector<unsigned, SPAN>>, 4 words a row
///   seed       Input<Vector<unsigned, ONE_PTR>>, 2 words
///   modifier, firstRow   unsigned
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/poprand/Philox.hpp>

namespace cottonwood::vertices {

template <class Tag> class SetSeed : public poplar::Vertex {
public:
  poplar::Output<poplar::Vector<unsigned, poplar::VectorLayout::SPAN>> state;
  poplar::Input<poplar::Vector<unsigned, poplar::VectorLayout::ONE_PTR>> seed;
  unsigned modifier, firstRow;

  bool compute() {
    using U = simd<std::uint32_t, isa::scalar>;
    unsigned *const words = state.data();
    for (unsigned row = 0; row < state.size() / 4; ++row) {
      // Draws have 0 in the last word, so that they never share a counter with seeds.
      U c0{firstRow + row}, c1{0u}, c2{modifier}, c3{0xffffffffu};
      kernels::philox(c0, c1, c2, c3, seed[0], seed[1]);
      c0.store(words + 4 * row);
      c1.store(words + 4 * row + 1);
      c2.store(words + 4 * row + 2);
      c3.store(words + 4 * row + 3);
    }
    return true;
  }
};

template <class Tag> class AdvanceSeed : public poplar::Vertex {
public:
  poplar::InOut<poplar::Vector<unsigned, poplar::VectorLayout::SPAN>> state;

  bool compute() {
    unsigned *const words = state.data();
    for (unsigned i = 2; i < state.size(); i += 4)
      if (++words[i] == 0)
        ++words[i + 1];
    return true;
  }
};

struct SeedsFamily {
  static constexpr bool MOVES_BYTES = true;
  template <class Tag> using Vertices = VertexList<SetSeed<Tag>, AdvanceSeed<Tag>>;
  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices
