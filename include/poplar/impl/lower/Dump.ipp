// Body of Dump.hpp.
#pragma once

#include <poplar/impl/lower/Dump.hpp>

#include <poplar/impl/base/Log.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>

namespace cottonwood::lower::detail {

/// Lines of one list that a dump shows.
inline constexpr std::size_t MAX_DUMP_LINES = 10000;

POP_INLINE char const *opName(Op op) {
  static constexpr char const *NAMES[] = {"End",        "Step",
                                          "Execute",    "ExecuteWithExit",
                                          "Copy",       "StreamIn",
                                          "StreamOut",  "LoopBegin",
                                          "LoopEnd",    "Jump",
                                          "JumpIfTrue", "JumpIfFalse",
                                          "Switch",     "Call",
                                          "Return",     "Print",
                                          "ClockBegin", "ClockEnd",
                                          "ClockStamp", "BoundsError",
                                          "CheckEqual", "CrossReplicaCopy",
                                          "GlobalSync", "RemoteIn",
                                          "RemoteOut",  "HostCall",
                                          "Abort"};
  return NAMES[static_cast<std::size_t>(op)];
}

POP_INLINE char const *stepName(StepKind kind) {
  static constexpr char const *NAMES[] = {"Compute",   "Exchange", "OnTileCopy", "StreamIn",
                                          "StreamOut", "Sync",     "Control",    "GlobalExchange"};
  static_assert(std::size(NAMES) == NUM_STEP_KINDS);
  return NAMES[static_cast<std::size_t>(kind)];
}

POP_INLINE std::string planText(ExecutableData const &executable, std::uint32_t plan) {
  MovePlan const &moves = executable.plans[plan];
  return base::textOf(" ", moves.count, moves.count == 1 ? " move, " : " moves, ", moves.totalBytes,
                      " bytes");
}

POP_INLINE std::string operandText(ExecutableData const &executable,
                                   Instruction const &instruction) {
  switch (instruction.op) {
  case Op::Execute:
  case Op::ExecuteWithExit: {
    std::string const name =
        executable.computeSets.empty() ? "" : executable.computeSets[instruction.a].name;
    if (instruction.op == Op::ExecuteWithExit || instruction.b == 0)
      return base::textOf(" '", name, "'");
    StrandPlan const &plan = executable.strands[instruction.b - 1];
    return base::textOf(" '", name, "', ", plan.numStrands(), " strands of ", plan.sets.size(),
                        " compute sets");
  }
  case Op::Copy:
  case Op::ClockEnd:
  case Op::ClockStamp:
    return planText(executable, instruction.a);
  case Op::StreamIn:
  case Op::StreamOut:
    return base::textOf(" '", executable.streams[instruction.a].handle, "'",
                        planText(executable, static_cast<std::uint32_t>(instruction.b)));
  case Op::LoopBegin:
    return base::textOf(" ", instruction.b, " turns");
  case Op::LoopEnd:
  case Op::Jump:
  case Op::Call:
    return base::textOf(" to ", instruction.a);
  case Op::JumpIfTrue:
  case Op::JumpIfFalse:
    return base::textOf(" at ", instruction.b, " to ", instruction.a);
  case Op::Switch: {
    SwitchTable const &table = executable.switches[instruction.a];
    std::string text = base::textOf(" at ", instruction.b, ":");
    for (auto const &[value, target] : table.cases)
      text += base::textOf(" ", value, " to ", target, ",");
    return text + base::textOf(" else to ", table.otherwise);
  }
  case Op::CrossReplicaCopy:
    return base::textOf(" '", executable.crossReplicaPlans[instruction.a].name, "'");
  case Op::RemoteIn:
  case Op::RemoteOut: {
    RemoteCopy const &copy = executable.remoteCopies[instruction.a];
    return base::textOf(" '", executable.remoteBuffers[copy.buffer].handle, "' ", copy.numRows,
                        copy.numRows == 1 ? " row" : " rows");
  }
  case Op::HostCall:
    return base::textOf(
        " '", executable.hostFunctions[executable.hostCalls[instruction.a].function].handle, "'");
  case Op::Abort:
    return base::textOf(" '", executable.aborts[instruction.a].message, "'");
  case Op::Print:
    return base::textOf(" '", executable.prints[instruction.a].spec.title, "'");
  default:
    return {};
  }
}

/// Appends `line(i)` for i below n, cut at MAX_DUMP_LINES.
template <class F>
void appendLines(std::string &text, std::string_view title, std::size_t n, F &&line) {
  if (n == 0)
    return;
  text += base::textOf(title, " (", n, "):\n");
  for (std::size_t i = 0; i < std::min(n, MAX_DUMP_LINES); ++i)
    text += base::textOf("  ", line(i), "\n");
  if (n > MAX_DUMP_LINES)
    text += base::textOf("  ... ", n - MAX_DUMP_LINES, " more\n");
}

POP_INLINE std::string variableLine(VariableInfo const &variable) {
  return base::textOf("[", variable.offset, ", ", variable.offset + variable.bytes, ") ",
                      variable.type, " '", variable.name, "'",
                      variable.constant ? " constant"
                                        : (variable.alwaysLive ? " always live" : " shared"));
}

POP_INLINE std::string stepLine(BspStep const &step) {
  return base::textOf(stepName(step.kind), " '", step.name, "' ", step.maxCycles, " cycles on ",
                      step.numCosts, " tiles");
}

POP_INLINE std::string callLine(ExecutableData const &executable, VertexCall const &call) {
  std::string text = base::textOf(executable.codelets[call.codelet].name, " on tile ", call.tile,
                                  ", state at ", call.state);
  if (call.staging != NONE) {
    Staging const &staging = executable.stagings[call.staging];
    text += base::textOf(", gathers ", staging.gather.totalBytes, " bytes, scatters ",
                         staging.scatter.totalBytes);
  }
  return text;
}

} // namespace cottonwood::lower::detail

namespace cottonwood::lower {

POP_INLINE std::string instructionText(ExecutableData const &executable) {
  std::string text;
  detail::appendLines(text, "instructions", executable.instructions.size(), [&](std::size_t i) {
    Instruction const &instruction = executable.instructions[i];
    std::string line = base::textOf(i, ": ", detail::opName(instruction.op),
                                    detail::operandText(executable, instruction));
    if (instruction.step != NONE)
      line += base::textOf("  step ", instruction.step);
    return line;
  });
  return text;
}

POP_INLINE std::string dumpText(Context const &context) {
  ExecutableData const &out = context.out;
  std::string text = base::textOf("programs: ", context.programs.size(), "\n");
  detail::appendLines(text, "compute sets", context.computeSets.size(), [&](std::size_t i) {
    graph::ComputeSetData const &set = context.graph.computeSet(context.computeSets[i]);
    return base::textOf("'", set.name, "' of ", set.vertices.size(), " vertices");
  });
  if (out.variables.empty())
    detail::appendLines(text, "lifetimes", context.lifetimes.size(), [&](std::size_t i) {
      Lifetime const &life = context.lifetimes[i];
      std::string const name = context.graph.describe(context.vars.id(i));
      return life.alwaysLive ? name + " always live"
                             : (life.used() ? base::textOf(name, " ", life.begin, " to ", life.end)
                                            : name + " unused");
    });
  detail::appendLines(text, "variables", out.variables.size(),
                      [&](std::size_t i) { return detail::variableLine(out.variables[i]); });
  detail::appendLines(text, "steps", out.bsp.steps.size(),
                      [&](std::size_t i) { return detail::stepLine(out.bsp.steps[i]); });
  detail::appendLines(text, "vertices", out.calls.size(),
                      [&](std::size_t i) { return detail::callLine(out, out.calls[i]); });
  return text + instructionText(out);
}

POP_INLINE void dumpAfterPass(Context const &context, unsigned number, std::string_view pass,
                              double seconds) {
  using base::LogLevel;
  if (base::logEnabled("ENGINE", LogLevel::Debug))
    base::logLine("ENGINE", LogLevel::Debug,
                  base::textOf("lowering: after ", pass, " (",
                               static_cast<std::uint64_t>(seconds * 1e6), " us)"));
  bool const trace = base::logEnabled("ENGINE", LogLevel::Trace);
  if (!trace && context.options.dump.empty())
    return;
  std::string const text = dumpText(context);
  if (trace)
    base::logLine("ENGINE", LogLevel::Trace, text);
  std::string const &where = context.options.dump;
  if (where.empty())
    return;
  if (where == "stdout" || where == "stderr") {
    (where == "stdout" ? std::cout : std::cerr) << "== after " << pass << "\n"
                                                << text << std::flush;
    return;
  }
  std::string const path = base::textOf(where, number < 10 ? "/0" : "/", number, "-", pass, ".txt");
  std::ofstream file(path);
  if (!(file << text))
    throw poplar::file_load_error(path);
}

} // namespace cottonwood::lower
