// A second translation unit, so that nothing in the headers may be defined twice.
#include <poplar/Engine.hpp>
#include <popops/ElementWise.hpp>

std::size_t elementsOf(const poplar::Tensor &tensor) { return tensor.numElements(); }
