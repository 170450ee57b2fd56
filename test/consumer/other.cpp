// A second translation unit, so that nothing in the headers may be defined twice. Directives before
// them, as a header of a project may have, make no name in them ambiguous.
namespace poplar {
namespace program {}
} // namespace poplar
using namespace poplar;
using namespace poplar::program;

#include <poplar/Engine.hpp>
#include <popops/ElementWise.hpp>

std::size_t elementsOf(const poplar::Tensor &tensor) { return tensor.numElements(); }
