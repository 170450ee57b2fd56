#pragma once
// What the kinds of programs are made with: a node, and operands that were checked. `where` begins
// the text of an error.

#include <memory>
#include <string_view>

#include <poplar/DebugContext.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/impl/program/Node.hpp>

namespace cottonwood::program::detail {

std::shared_ptr<Node> makeNode(NodeKind kind, poplar::DebugContext const &debugContext);

/// Adds an operand; all operands must belong to one graph.
/// \throws poplar_error  an invalid tensor, or one of another graph.
void addView(std::string_view where, Node &node, std::string_view what,
             poplar::Tensor const &tensor);

/// Adds a predicate: one element of BOOL or an integer type.
/// \throws control_program_error  it is not.
void addPredicate(std::string_view where, Node &node, poplar::Tensor const &tensor);

/// Of a node that shows views[0], if that is QUARTER: its bytes, and behind them that of its
/// metadata, become the last view.
void addWithMetadata(Node &node);

} // namespace cottonwood::program::detail
