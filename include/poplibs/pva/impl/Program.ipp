// Body of <pva/Program.hpp>.
#pragma once

#include <pva/Program.hpp>

#include <pva/Compilation.hpp>

#include <poplar/impl/lower/CodeBytes.hpp>
#include <poplar/impl/profile/ReportData.hpp>

namespace pva::detail {

/// One figure of a step's costs for all tiles.
template <class F>
std::vector<std::uint64_t> costsByTile(ReportHandle const &report, std::uint32_t step, F &&figure) {
  std::vector<std::uint64_t> byTile(report->target.numTiles());
  for (cottonwood::lower::TileCost const &cost : report->costs->of(step))
    byTile[cost.tile] = figure(cost);
  return byTile;
}

/// What a program is made of: steps of a leaf stand for the leaf itself.
POP_INLINE void appendChildren(ReportHandle const &report, std::uint32_t program,
                               std::vector<Program> &children) {
  cottonwood::profile::ProgramFacts const &facts = report->programs[program];
  for (std::uint32_t const step : facts.steps)
    if (report->steps[step].kind != cottonwood::lower::StepKind::Control)
      children.emplace_back(report, step, true);
  for (std::uint32_t const child : facts.children) {
    cottonwood::profile::ProgramFacts const &inner = report->programs[child];
    if (inner.children.empty() && inner.callee == cottonwood::profile::NONE && !inner.steps.empty())
      appendChildren(report, child, children);
    else
      children.emplace_back(report, child, false);
  }
  if (facts.callee != cottonwood::profile::NONE)
    children.emplace_back(report, facts.callee, false);
}

} // namespace pva::detail

namespace pva {

POP_INLINE std::string Program::type() const {
  return isStep_ ? cottonwood::profile::nameOf(report_->steps[index_].kind)
                 : cottonwood::profile::nameOf(report_->programs[index_].kind);
}
POP_INLINE std::string Program::name() const {
  return isStep_ ? report_->steps[index_].name : report_->programs[index_].name;
}
POP_INLINE std::uint64_t Program::id() const {
  return isStep_ ? report_->programs.size() + index_ : index_;
}
POP_INLINE std::uint64_t Program::repeatCount() const {
  return isStep_ ? 0 : report_->programs[index_].count;
}
POP_INLINE std::vector<Program> Program::children() const {
  std::vector<Program> children;
  if (!isStep_)
    detail::appendChildren(report_, index_, children);
  return children;
}
POP_INLINE std::vector<Var> Program::vars() const {
  std::uint32_t const owner = isStep_ ? report_->steps[index_].program : index_;
  std::vector<Var> vars;
  if (owner == cottonwood::profile::NONE || !report_->hasLoweredVariables)
    return vars;
  for (std::uint32_t const index : report_->programs[owner].variables) {
    cottonwood::profile::VariableFacts const &variable = report_->variables[index];
    vars.emplace_back(variable.name, variable.bytes, variable.alwaysLive);
  }
  return vars;
}
POP_INLINE std::vector<std::uint64_t> Program::codeBytesByTile() const {
  std::vector<std::uint32_t> const own{index_};
  std::vector<std::uint64_t> bytes(report_->target.numTiles());
  for (std::uint32_t const step : isStep_ ? own : report_->programs[index_].steps) {
    for (std::uint64_t &tile : bytes)
      tile += cottonwood::lower::CONTROL_CODE_A_STEP;
    for (cottonwood::lower::TileCost const &cost : report_->costs->of(step))
      bytes[cost.tile] += cottonwood::lower::exchangeCodeBytes(cost);
  }
  return bytes;
}

POP_INLINE void Program::accept(ProgramVisitor &visitor) const {
  std::string const type = this->type();
  if (type == "OnTileExecute")
    visitor.visitOnTileExecute(OnTileExecuteProgram(*this));
  else if (type == "DoExchange")
    visitor.visitDoExchange(DoExchangeProgram(*this));
  else if (type == "GlobalExchange")
    visitor.visitGlobalExchange(GlobalExchangeProgram(*this));
  else if (type == "OnTileCopy")
    visitor.visitOnTileCopy(OnTileCopyProgram(*this));
  else if (type == "StreamCopyMid")
    visitor.visitStreamCopyMid(StreamCopyMidProgram(*this));
  else if (type == "Sync")
    visitor.visitSync(SyncProgram(*this));
  else if (type == "Sequence")
    visitor.visitSequence(SequenceProgram(*this));
  else if (type == "Repeat")
    visitor.visitRepeat(RepeatProgram(*this));
  else if (type == "Call")
    visitor.visitCall(CallProgram(*this));
  else if (type == "If")
    visitor.visitIf(IfProgram(*this));
  else if (type == "Switch")
    visitor.visitSwitch(SwitchProgram(*this));
  else
    visitor.visitProgram(*this);
}

POP_INLINE ComputeSet OnTileExecuteProgram::computeset() const {
  return ComputeSet(report_, report_->steps[index_].computeSet);
}

POP_INLINE ProgramVisitor::~ProgramVisitor() = default;
POP_INLINE void ProgramVisitor::visitProgram(Program const &) {}
#define PVA_VISIT(Name, Class)                                                                     \
  POP_INLINE void ProgramVisitor::visit##Name(Class const &program) { visitProgram(program); }
PVA_VISIT(OnTileExecute, OnTileExecuteProgram)
PVA_VISIT(DoExchange, DoExchangeProgram)
PVA_VISIT(GlobalExchange, GlobalExchangeProgram)
PVA_VISIT(OnTileCopy, OnTileCopyProgram)
PVA_VISIT(StreamCopyBegin, Program)
PVA_VISIT(StreamCopyMid, StreamCopyMidProgram)
PVA_VISIT(StreamCopyEnd, Program)
PVA_VISIT(Sync, SyncProgram)
PVA_VISIT(SyncAns, Program)
PVA_VISIT(Sequence, SequenceProgram)
PVA_VISIT(Repeat, RepeatProgram)
PVA_VISIT(Call, CallProgram)
PVA_VISIT(If, IfProgram)
PVA_VISIT(Switch, SwitchProgram)
#undef PVA_VISIT

POP_INLINE std::string Step::type() const {
  return cottonwood::profile::nameOf(report_->steps[index_].kind);
}
POP_INLINE std::string Step::name() const { return report_->steps[index_].name; }
POP_INLINE std::uint64_t Step::cycles() const { return report_->steps[index_].cycles; }
POP_INLINE std::uint64_t Step::syncCycles() const { return report_->steps[index_].syncCycles; }
POP_INLINE std::uint64_t Step::activeTiles() const { return report_->steps[index_].activeTiles; }
POP_INLINE std::uint64_t Step::minCycles() const { return report_->steps[index_].minCycles; }
POP_INLINE double Step::meanCycles() const { return report_->steps[index_].meanCycles(); }
POP_INLINE std::uint64_t Step::maxCycles() const { return report_->steps[index_].maxCycles; }
POP_INLINE double Step::tileBalance() const { return report_->steps[index_].balance(); }
POP_INLINE std::uint64_t Step::bytesIn() const { return report_->steps[index_].bytesIn; }
POP_INLINE std::uint64_t Step::bytesOut() const { return report_->steps[index_].bytesOut; }
POP_INLINE std::vector<std::uint64_t> Step::cyclesByTile() const {
  return detail::costsByTile(report_, index_, [](auto const &cost) { return cost.cycles; });
}
POP_INLINE std::vector<std::uint64_t> Step::bytesInByTile() const {
  return detail::costsByTile(report_, index_, [](auto const &cost) { return cost.bytesIn; });
}
POP_INLINE std::vector<std::uint64_t> Step::bytesOutByTile() const {
  return detail::costsByTile(report_, index_, [](auto const &cost) { return cost.bytesOut; });
}

} // namespace pva
