// Lists of vectors as one edge, in every layout.
#include <poplar/Vertex.hpp>

using namespace poplar;

/// out[i][j] = in[i][j] + 10 i + both[i][0]; both[i][0] becomes the size of the row; sizes: rows,
/// then elements
template <typename T, VectorListLayout L> class Lists : public Vertex {
public:
  Input<VectorList<T, L>> in;
  Output<VectorList<T, L, 8>> out;
  InOut<VectorList<T, L, 4, true>> both;
  Output<Vector<unsigned, VectorLayout::ONE_PTR>> sizes;

  void compute() {
    unsigned elements = 0;
    for (unsigned i = 0; i < in.size(); ++i) {
      const auto &row = in[i];
      for (unsigned j = 0; j < row.size(); ++j)
        out[i][j] = static_cast<T>(row[j] + T(10 * i) + both[i][0]);
      *(&both[i][0]) = static_cast<T>(row.size());
    }
    for (auto row : in)
      elements += static_cast<unsigned>(row.size());
    sizes[0] = static_cast<unsigned>(in.size());
    sizes[1] = elements;
  }
};

#define LAYOUT(L) template class Lists<float, VectorListLayout::L>;
LAYOUT(ONE_PTR)
LAYOUT(SCALED_PTR32)
LAYOUT(SCALED_PTR64)
LAYOUT(SCALED_PTR128)
LAYOUT(DELTAN)
LAYOUT(DELTANELEMENTS)
LAYOUT(COMPACT_DELTAN)
template class Lists<half, VectorListLayout::DELTAN>;
template class Lists<unsigned short, VectorListLayout::DELTANELEMENTS>;
template class Lists<int, VectorListLayout::COMPACT_DELTAN>;
