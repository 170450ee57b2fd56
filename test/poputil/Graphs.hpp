// Small IPU graphs, and messages of errors.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poputil/exceptions.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace graphs {

using Mapping = poplar::Graph::TileToTensorMapping;
using Shape = std::vector<std::size_t>;

inline poplar::Device modelOf(unsigned ipus, unsigned tilesPerIpu) {
  poplar::IPUModel model;
  model.numIPUs = ipus;
  model.tilesPerIPU = tilesPerIpu;
  return model.createDevice();
}

/// The text of the error that f throws; empty if it throws none.
template <class F> std::string messageOf(F const &f) {
  try {
    f();
  } catch (poputil::poplibs_error const &error) {
    CHECK(error.type == "poplibs_error");
    return error.what();
  }
  return "";
}

} // namespace graphs
