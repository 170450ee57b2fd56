// The tree of programs for the reports of tiled targets, grown while instructions are made.
#pragma once

#include <poplar/impl/lower/Context.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace cottonwood::lower::detail {

class ProgramTree {
public:
  explicit ProgramTree(Context &context)
      : context_(context), isTiled_(context.out.target.getTargetType() != poplar::TargetType::CPU),
        functions_(context.graph.numFunctions()) {}

  /// Adds a program to the one that is open, and opens it. Returns what leave() wants.
  std::uint32_t enter(program::Node const &node) {
    std::uint32_t const outer = open_;
    if (isTiled_)
      open_ = add(&node);
    return outer;
  }
  void leave(std::uint32_t outer) { open_ = outer; }
  /// An engine's program without a body.
  void addEmpty() {
    if (isTiled_)
      add(nullptr);
  }
  /// What follows is the body of a function.
  void beginFunction(graph::FunctionId id) {
    functions_[id] = static_cast<std::uint32_t>(context_.out.bsp.programs.size());
  }
  /// The open program executes the step.
  void addStep(std::uint32_t step) {
    if (open_ != NONE && step != context_.controlStep)
      steps_.emplace_back(open_, step);
  }
  /// Puts steps and functions in their places, when all programs are known.
  void finish() {
    BspProgram &bsp = context_.out.bsp;
    for (ProgramInfo &info : bsp.programs)
      if (info.callee != NONE)
        info.callee = functions_[info.callee];
    std::stable_sort(steps_.begin(), steps_.end(),
                     [](auto const &a, auto const &b) { return a.first < b.first; });
    for (auto const &[program, step] : steps_) {
      ProgramInfo &info = bsp.programs[program];
      if (info.numSteps++ == 0)
        info.firstStep = bsp.programSteps.size();
      bsp.programSteps.push_back(step);
    }
  }

private:
  std::uint32_t add(program::Node const *node) {
    ProgramInfo info;
    info.parent = open_;
    if (node) {
      info.kind = node->kind;
      info.name = node->name;
      if (node->kind == program::NodeKind::Call)
        info.callee = node->id; // a function, until finish()
      if (node->kind == program::NodeKind::Repeat)
        info.count = node->count;
    }
    context_.out.bsp.programs.push_back(std::move(info));
    context_.programNodes.push_back(node);
    return static_cast<std::uint32_t>(context_.out.bsp.programs.size() - 1);
  }

  Context &context_;
  bool const isTiled_;
  std::uint32_t open_ = NONE;                                  ///< in BspProgram::programs
  std::vector<std::pair<std::uint32_t, std::uint32_t>> steps_; ///< (program, step), in order
  std::vector<std::uint32_t> functions_;                       ///< by FunctionId: its body
};

} // namespace cottonwood::lower::detail
