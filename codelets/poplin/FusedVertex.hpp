/// \file FusedVertex.hpp
/// Products and convolutions with bias and activation: the vertices of EpilogueVertex.hpp with the
/// one epilogue that the library instantiates itself.
#pragma once

#include <codelets/poplin/EpilogueVertex.hpp>

namespace cottonwood::vertices {

/// The order of the registry's table.
struct FusedFamily {
  template <class Tag>
  using Vertices = JoinLists<MatMulWithVertices<Tag, kernels::BiasActivation>,
                             ConvWithVertices<Tag, kernels::BiasActivation>,
                             FinishVertices<Tag, kernels::BiasActivation>>;

  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices
