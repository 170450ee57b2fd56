// What the tests of compiled codelets share: one vertex type of a source file, tried on each
// device.
#pragma once

#include "test/conformance/Conformance.hpp"

#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <poplar/HalfFloat.hpp>
#include <stdexcept>

namespace popc {

/// Not the user's own cache; children keep what their parent says.
inline bool const hasOwnCache = ::setenv("POPLAR_CODELET_CACHE", POP_TEST_CACHE, 0) == 0;

using poplar::Tensor;
using poplar::Type;
/// Values of elements of any type: all that the tests use are exact as a double.
using Numbers = std::vector<double>;

/// Calls f with a value of the C++ type that holds elements of the type.
template <class F> void withType(Type const &type, F const &f) {
  if (type == poplar::FLOAT)
    f(float());
  else if (type == poplar::HALF)
    f(half());
  else if (type == poplar::BOOL)
    f(static_cast<unsigned char>(0));
  else if (type == poplar::CHAR || type == poplar::SIGNED_CHAR)
    f(static_cast<signed char>(0));
  else if (type == poplar::UNSIGNED_CHAR)
    f(static_cast<unsigned char>(0));
  else if (type == poplar::SHORT)
    f(short());
  else if (type == poplar::UNSIGNED_SHORT)
    f(static_cast<unsigned short>(0));
  else if (type == poplar::INT)
    f(int());
  else if (type == poplar::UNSIGNED_INT)
    f(0u);
  else if (type == poplar::LONGLONG)
    f(0ll);
  else if (type == poplar::UNSIGNED_LONGLONG)
    f(0ull);
  else
    throw std::logic_error("no test has elements of type " + type.toString());
}

/// A graph with the codelets of one file and one compute set.
class Trial {
public:
  /// \param file  below test/popc/codelets
  Trial(poplar::Device const &device, std::string const &file, std::string const &flags = "")
      : graph(device), device_(device), computeSet_(graph.addComputeSet("cs")) {
    add(file, flags);
  }
  void add(std::string const &file, std::string const &flags = "") {
    graph.addCodelets(POP_TEST_CODELETS "/" + file, poplar::CodeletFileType::Auto, flags);
  }

  /// A variable of rank 1 with these values, spread over the tiles.
  Tensor variable(Type const &type, Numbers const &values) {
    std::string const name = "v" + std::to_string(variables_.size());
    Tensor const t = conformance::variable(graph, type, {values.size()}, name);
    variables_.push_back({t, name, values});
    return t;
  }
  /// The same of n zeros.
  Tensor zeros(Type const &type, std::size_t n) { return variable(type, Numbers(n, 0)); }

  poplar::VertexRef vertex(std::string const &name,
                           poplar::ArrayRef<poplar::Graph::ConnectionDesc> connections,
                           unsigned tile = 0) {
    unsigned const numTiles = graph.getTarget().getNumTiles(); // 1 on a CPU
    INFO(name);
    REQUIRE(graph.hasCodelet(name));
    poplar::VertexRef const v = graph.addVertex(computeSet_, name, connections);
    graph.setTileMapping(v, tile < numTiles ? tile : numTiles - 1);
    return v;
  }

  /// The values are written before the first run only.
  void run(poplar::OptionFlags const &options = {}) {
    if (!engine_) {
      engine_ =
          std::make_unique<poplar::Engine>(graph, poplar::program::Execute(computeSet_), options);
      engine_->load(device_);
      for (Variable const &variable : variables_)
        write(variable);
    }
    engine_->run();
  }
  /// What a variable of this trial holds.
  Numbers read(Tensor const &t) const {
    for (Variable const &variable : variables_)
      if (variable.tensor == t)
        return read(variable);
    throw std::logic_error("not a variable of the trial");
  }

  poplar::Graph graph;

private:
  struct Variable {
    Tensor tensor;
    std::string name;
    Numbers values;
  };

  void write(Variable const &variable) const {
    withType(variable.tensor.elementType(), [&](auto zero) {
      std::vector<decltype(zero)> data;
      for (double value : variable.values)
        data.push_back(static_cast<decltype(zero)>(value));
      conformance::put(*engine_, variable.name, data);
    });
  }
  Numbers read(Variable const &variable) const {
    Numbers values;
    withType(variable.tensor.elementType(), [&](auto zero) {
      for (auto const &value :
           conformance::get<decltype(zero)>(*engine_, variable.name, variable.values.size()))
        values.push_back(static_cast<double>(value));
    });
    return values;
  }

  poplar::Device const &device_;
  poplar::ComputeSet computeSet_;
  std::vector<Variable> variables_;
  std::unique_ptr<poplar::Engine> engine_;
};

using conformance::onDevices;

} // namespace popc
