#pragma once
#include <poplar/Program.hpp>

#include <ostream>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/graph/HandleAccess.hpp>
#include <poplar/impl/graph/ViewText.hpp>
#include <poplar/impl/program/Access.hpp>

// dumpProgram.

namespace cottonwood::program {

namespace detail {

class ProgramPrinter {
public:
  ProgramPrinter(graph::GraphData const *graph, std::ostream &out) : graph_(graph), out_(out) {}

  void print(NodePtr const &node, std::size_t depth) {
    out_ << std::string(2 * depth, ' ');
    if (!node) {
      out_ << "(empty)\n";
      return;
    }
    out_ << kindName(node->kind);
    if (!node->name.empty())
      out_ << " '" << node->name << '\'';
    operands(*node);
    out_ << '\n';
    for (std::size_t i = 0; i < node->children.size(); ++i) {
      if (node->kind == NodeKind::Switch)
        caseLabel(*node, i, depth + 1);
      print(node->children[i], depth + (node->kind == NodeKind::Switch ? 2 : 1));
    }
  }

private:
  void operands(Node const &node) {
    bool const isOurs = graph_ && (node.graph == 0 || node.graph == graph_->id());
    if (node.kind == NodeKind::Execute && isOurs && node.id < graph_->numComputeSets())
      out_ << ": compute set " << node.id << " '" << graph_->computeSet(node.id).name << "', "
           << graph_->computeSet(node.id).vertices.size() << " vertices";
    if ((node.kind == NodeKind::StreamToDevice || node.kind == NodeKind::StreamToHost) && isOurs &&
        node.id < graph_->numStreams())
      out_ << ": stream '" << graph_->stream(node.id).handle << '\'';
    bool const remote =
        node.kind == NodeKind::RemoteToDevice || node.kind == NodeKind::RemoteToHost;
    if (remote && isOurs && node.id < graph_->remoteBuffers().size())
      out_ << ": remote buffer '" << graph_->remoteBuffers()[node.id]->handle << '\'';
    if (node.kind == NodeKind::HostCall && isOurs && node.id < graph_->hostFunctions().size())
      out_ << ": host function '" << graph_->hostFunctions()[node.id].handle << '\'';
    if (node.kind == NodeKind::Error || node.kind == NodeKind::Abort)
      out_ << ": \"" << node.print->title << '"';
    if (node.kind == NodeKind::Call)
      out_ << ": function " << node.id;
    if (node.kind == NodeKind::Repeat)
      out_ << ": " << node.count << " times";
    for (graph::View const &view : node.views)
      out_ << (&view == node.views.data() ? ": " : " -> ") << view.type().toString()
           << graph::shapeBraces(view.shape()) << ' ' << graph::namesText(view);
    if (node.kind == NodeKind::CrossReplicaCopy)
      out_ << ", from replicas " << base::listText(std::span(node.cases));
  }

  void caseLabel(Node const &node, std::size_t i, std::size_t depth) {
    out_ << std::string(2 * depth, ' ');
    if (i < node.cases.size())
      out_ << "case " << node.cases[i] << '\n';
    else
      out_ << (node.switchDefault == SwitchDefault::Body ? "default\n" : "default: an error\n");
  }

  graph::GraphData const *graph_;
  std::ostream &out_;
};

} // namespace detail

} // namespace cottonwood::program

namespace poplar::program {

POP_INLINE void dumpProgram(Graph const &graph, Program const &program, std::ostream &out) {
  cottonwood::program::detail::ProgramPrinter(cottonwood::graph::HandleAccess::data(graph).get(),
                                              out)
      .print(cottonwood::program::Access::node(program), 0);
}

} // namespace poplar::program
