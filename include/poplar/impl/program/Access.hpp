#pragma once
// The tree inside a published Program.

#include <memory>
#include <utility>

#include <poplar/Program.hpp>
#include <poplar/impl/program/Node.hpp>

namespace cottonwood::program {

struct Access {
  static NodePtr const &node(poplar::program::Program const &program) { return program.node_; }
  static void setNode(poplar::program::Program &program, NodePtr node) {
    program.node_ = std::move(node);
  }

  /// The program's root for changes: a copy, unless nobody else shares it. The children stay
  /// shared.
  static Node &own(poplar::program::Program &program) {
    if (!program.node_)
      program.node_ = std::make_shared<Node>();
    else if (program.node_.use_count() != 1)
      program.node_ = std::make_shared<Node>(*program.node_);
    // Nodes are made as non-const objects; const keeps shared ones as they are.
    return const_cast<Node &>(*program.node_);
  }
};

} // namespace cottonwood::program
