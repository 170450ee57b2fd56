#pragma once
#include <poplar/Graph.hpp>

#include <algorithm>
#include <ostream>
#include <poplar/ProfileValue.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/graph/Checks.hpp>
#include <poplar/impl/graph/GraphData.hpp>
#include <poplar/impl/program/Access.hpp>
#include <sstream>
#include <unordered_set>

// Graphs for people and their tools: pictures in Graphviz's DOT, and a list of what there is.

namespace cottonwood::graph::detail {

/// What programs use, in the order in which they first do; all compute sets if there are none.
class UsedByPrograms {
public:
  UsedByPrograms(GraphData const &graph, poplar::ArrayRef<poplar::program::Program> programs)
      : graph_(graph) {
    for (poplar::program::Program const &program : programs)
      visit(program::Access::node(program));
    for (ComputeSetId id = 0; programs.empty() && id < graph.numComputeSets(); ++id)
      steps_.push_back({nullptr, id});
  }
  /// A copy, or a compute set where the copy is null.
  struct Step {
    program::Node const *copy;
    ComputeSetId computeSet;
  };
  std::vector<Step> const &steps() const { return steps_; }

private:
  void visit(program::NodePtr const &pointer) {
    using program::NodeKind;
    if (!pointer || !seen_.insert(pointer.get()).second)
      return;
    program::Node const &node = *pointer;
    if (node.graph != 0 && node.graph != graph_.id())
      base::fail<poplar::poplar_error>("Graph", program::kindName(node.kind), " program ",
                                       base::quoted(node.name), " belongs to another graph");
    if (node.kind == NodeKind::Execute && computeSets_.insert(node.id).second)
      steps_.push_back({nullptr, node.id});
    if (node.kind == NodeKind::Copy || node.kind == NodeKind::CrossReplicaCopy ||
        node.kind == NodeKind::StreamToDevice || node.kind == NodeKind::StreamToHost)
      steps_.push_back({&node, 0});
    if (node.kind == NodeKind::Call && node.id < graph_.numFunctions())
      visit(graph_.function(node.id));
    for (program::NodePtr const &child : node.children)
      visit(child);
  }

  GraphData const &graph_;
  std::vector<Step> steps_;
  std::unordered_set<program::Node const *> seen_;
  std::unordered_set<ComputeSetId> computeSets_;
};

/// Text between quotes in DOT.
POP_INLINE std::string dotText(std::string_view text) {
  std::string result;
  for (char const c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result;
}

/// Writes variables when they are first named, and the edges from and to them.
class DotWriter {
public:
  DotWriter(GraphData const &graph, std::ostream &out) : graph_(graph), out_(out) {}

  void edges(std::string const &name, Region const &region, bool reads, bool writes,
             std::string_view label) {
    std::unordered_set<VarId> vars;
    if (region.view)
      region.view->forEachBlockUnordered(
          [&](StridedBlock const &block) { vars.insert(block.var); });
    else if (region.run.size != 0)
      vars.insert(region.run.var);
    std::vector<VarId> const sorted = inOrder(vars);
    for (VarId const var : sorted) {
      std::string const node = variable(var);
      std::string const suffix =
          label.empty() ? std::string(";\n") : base::textOf(" [label=\"", dotText(label), "\"];\n");
      if (reads)
        once(base::textOf("  ", node, " -> ", name, suffix));
      if (writes)
        once(base::textOf("  ", name, " -> ", node, suffix));
    }
  }

private:
  static std::vector<VarId> inOrder(std::unordered_set<VarId> const &vars) {
    std::vector<VarId> sorted(vars.begin(), vars.end());
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }
  std::string variable(VarId id) {
    bool const constant = GraphData::isConstant(id);
    std::string const node = base::textOf(constant ? "c" : "t", id & ~kConstantBit);
    if (declared_.insert(id).second) {
      Variable const &var = graph_.variable(id);
      out_ << "  " << node << " [label=\"" << dotText(var.name) << "\\n"
           << var.type << ' ' << base::shapeText(var.shape) << "\", shape=ellipse"
           << (constant ? ", style=dashed];\n" : "];\n");
    }
    return node;
  }
  void once(std::string line) {
    if (lines_.insert(line).second)
      out_ << line;
  }

  GraphData const &graph_;
  std::ostream &out_;
  std::unordered_set<VarId> declared_;
  std::unordered_set<std::string> lines_;
};

POP_INLINE void writeCopy(program::Node const &copy, std::string const &node, DotWriter &dot,
                          GraphData const &graph, std::ostream &out) {
  using program::NodeKind;
  bool const isStream =
      copy.kind == NodeKind::StreamToDevice || copy.kind == NodeKind::StreamToHost;
  out << "  " << node << " [label=\"" << program::kindName(copy.kind) << ' '
      << dotText(isStream ? graph.stream(copy.id).handle : copy.name) << "\", shape=hexagon];\n";
  bool const writesFirst = copy.kind == NodeKind::StreamToDevice;
  dot.edges(node, {{}, &copy.views[0]}, !writesFirst, writesFirst, "");
  if (copy.views.size() > 1)
    dot.edges(node, {{}, &copy.views[1]}, false, true, "");
}

} // namespace cottonwood::graph::detail

namespace poplar {

POP_INLINE void Graph::outputComputeGraph(std::ostream &outputStream,
                                          ArrayRef<program::Program> progs) const {
  using namespace cottonwood::graph;
  GraphData const &graph = data("Graph::outputComputeGraph");
  detail::UsedByPrograms const used(graph, progs);
  detail::DotWriter dot(graph, outputStream);
  outputStream << "digraph compute {\n";
  std::string before;
  std::size_t number = 0;
  for (detail::UsedByPrograms::Step const &step : used.steps()) {
    std::string const node = cottonwood::base::textOf("s", number++);
    if (step.copy) {
      detail::writeCopy(*step.copy, node, dot, graph, outputStream);
    } else {
      ComputeSetData const &set = graph.computeSet(step.computeSet);
      outputStream << "  " << node << " [label=\"" << detail::dotText(set.name) << "\\n"
                   << set.vertices.size() << (set.vertices.size() == 1 ? " vertex" : " vertices")
                   << "\", shape=box];\n";
      for (VertexId const vertex : set.vertices)
        graph.forEachRegion(vertex, [&](unsigned field, std::size_t, Region const &region) {
          cottonwood::codelet::Field const &f = graph.codeletOf(vertex).fields[field];
          dot.edges(node, region, f.isRead(), f.isWritten(), "");
        });
    }
    if (!before.empty())
      outputStream << "  " << before << " -> " << node << " [style=dotted];\n";
    before = node;
  }
  outputStream << "}\n";
}

POP_INLINE void Graph::outputVertexGraph(std::ostream &outputStream,
                                         ArrayRef<program::Program> progs) const {
  using namespace cottonwood::graph;
  GraphData const &graph = data("Graph::outputVertexGraph");
  detail::UsedByPrograms const used(graph, progs);
  detail::DotWriter dot(graph, outputStream);
  outputStream << "digraph vertices {\n";
  for (detail::UsedByPrograms::Step const &step : used.steps()) {
    if (step.copy)
      continue;
    ComputeSetData const &set = graph.computeSet(step.computeSet);
    outputStream << "  subgraph cluster_" << step.computeSet << " {\n    label=\""
                 << detail::dotText(set.name) << "\";\n";
    for (VertexId const vertex : set.vertices) {
      outputStream << "    v" << vertex << " [label=\""
                   << detail::dotText(graph.codeletOf(vertex).name);
      if (graph.vertex(vertex).tile != kNoTile)
        outputStream << "\\ntile " << graph.vertex(vertex).tile;
      outputStream << "\", shape=box];\n";
    }
    outputStream << "  }\n";
    for (VertexId const vertex : set.vertices)
      graph.forEachRegion(vertex, [&](unsigned field, std::size_t, Region const &region) {
        cottonwood::codelet::Field const &f = graph.codeletOf(vertex).fields[field];
        dot.edges(cottonwood::base::textOf("v", vertex), region, f.isRead(), f.isWritten(), f.name);
      });
  }
  outputStream << "}\n";
}

POP_INLINE void Graph::serialize(std::ostream &out, ArrayRef<program::Program> progs,
                                 SerializationFormat format) const {
  using namespace cottonwood::graph;
  char const *const where = "Graph::serialize";
  GraphData const &graph = data(where);
  cottonwood::graph::requireFormat(where, format);
  ProfileValue::Vector variables, computeSets, programs;
  for (std::size_t i = 0; i < graph.numVariables(); ++i) {
    Variable const &variable = graph.variable(static_cast<VarId>(i));
    variables.push_back(ProfileValue::Map{
        {"name", variable.name},
        {"type", std::string(variable.type.toString())},
        {"shape", ProfileValue::Vector(variable.shape.begin(), variable.shape.end())}});
  }
  for (ComputeSetId id = 0; id < graph.numComputeSets(); ++id) {
    ProfileValue::Vector vertices;
    for (VertexId const vertex : graph.computeSet(id).vertices)
      vertices.push_back(
          ProfileValue::Map{{"type", graph.codeletOf(vertex).name},
                            {"tile", graph.vertex(vertex).tile == kNoTile
                                         ? std::int64_t{-1}
                                         : std::int64_t{graph.vertex(vertex).tile}}});
    computeSets.push_back(
        ProfileValue::Map{{"name", graph.computeSet(id).name}, {"vertices", vertices}});
  }
  for (program::Program const &program : progs) {
    std::ostringstream text;
    program::dumpProgram(*this, program, text);
    programs.push_back(text.str());
  }
  ProfileValue const all(ProfileValue::Map{{"target", toString(target_.getTargetType())},
                                           {"tiles", graph.numTiles()},
                                           {"replicas", graph.numReplicas()},
                                           {"variables", variables},
                                           {"computeSets", computeSets},
                                           {"programs", programs}});
  if (format == SerializationFormat::JSON)
    serializeToJSON(out, all, true);
  else
    serializeToCBOR(out, all);
}

// ---- What only the hardware has

POP_INLINE VertexRef Graph::addExternalExchangeVertex(ComputeSet, StringRef vertexType, unsigned,
                                                      bool, bool) {
  cottonwood::base::fail<poplar_error>(
      "Graph::addExternalExchangeVertex", "'", vertexType,
      "' would drive the exchange of the hardware, which this machine does not have; "
      "program::CrossReplicaCopy and Copy move data between replicas and IPUs");
}

POP_INLINE Tensor Graph::addExternalVariable(Type const &, ArrayRef<std::size_t>, StringRef name,
                                             DebugContext const &) {
  cottonwood::base::fail<poplar_error>(
      "Graph::addExternalVariable", "'", name,
      "' would be defined by another module, and modules are not linked with each other; use "
      "addVariable");
}

POP_INLINE void Graph::setInitialValue(Tensor const &, std::map<unsigned, unsigned> const &values) {
  cottonwood::base::fail<poplar_error>(
      "Graph::setInitialValue", "a map of ", values.size(),
      " values is not available; give one value, or one for each element as ArrayRef");
}

POP_INLINE void Graph::addCodeletPlaceholder(std::istream &, StringRef) {
  cottonwood::base::fail<poplar_error>(
      "Graph::addCodeletPlaceholder",
      "codelets without code are not available; POPLAR_VERTEX registers a vertex class");
}

} // namespace poplar
