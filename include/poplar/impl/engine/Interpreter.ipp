// Body of Interpreter.hpp.
#pragma once

#include <poplar/impl/engine/Interpreter.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/engine/FloatEnvironment.hpp>
#include <poplar/impl/engine/NanWatch.hpp>
#include <poplar/impl/engine/OptionTable.hpp>
#include <poplar/impl/engine/PrintFormat.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ostream>

namespace cottonwood::engine {

POP_INLINE Interpreter::Interpreter(lower::ExecutableData const &executable, std::byte *arena,
                                    std::uint32_t replica, HostLinks const &host,
                                    std::atomic<bool> const &stop)
    : executable_(&executable), arena_(arena), replica_(replica), host_(host), stop_(&stop),
      tiled_(executable.target.getTargetType() != poplar::TargetType::CPU), moves_(executable),
      computeSets_(executable, arena), recorder_(executable.bsp) {
  poplar::OptionFlags const &options = executable.options;
  unsigned watched = 0;
  if (flagOption(options, "debug.floatPointOpException"))
    watched = FloatFlags::INVALID | FloatFlags::DIVIDE_BY_ZERO | FloatFlags::OVERFLOWS;
  if (flagOption(options, "debug.nanOverflowException"))
    watched |= FloatFlags::OVERFLOWS;
  computeSets_.watchFloatFlags(watched);
}

POP_INLINE std::int32_t Interpreter::control(lower::Instruction const &instruction) const {
  if (instruction.width == 1)
    return static_cast<std::uint8_t>(arena_[instruction.b]);
  std::int32_t value = 0;
  std::memcpy(&value, arena_ + instruction.b, sizeof value);
  return value;
}

POP_INLINE bool Interpreter::predicate(lower::Instruction const &instruction) const {
  std::uint64_t value = 0; // any byte that is not 0 is true
  std::memcpy(&value, arena_ + instruction.b, instruction.width);
  return value != 0;
}

POP_INLINE std::uint32_t Interpreter::switchTarget(lower::Instruction const &instruction) const {
  lower::SwitchTable const &table = executable_->switches[instruction.a];
  std::int32_t const value = control(instruction);
  auto const found =
      std::lower_bound(table.cases.begin(), table.cases.end(), value,
                       [](auto const &entry, std::int32_t key) { return entry.first < key; });
  return found != table.cases.end() && found->first == value ? found->second : table.otherwise;
}

POP_INLINE void Interpreter::stream(lower::Instruction const &instruction,
                                    RunSettings const &settings) {
  lower::StreamPlan const &plan = executable_->streams[instruction.a];
  StreamConnection &connection = host_.streams[instruction.a];
  std::uint32_t const replica = replica_ * plan.channels + instruction.channel;
  if (!connection.connected(replica))
    base::fail<poplar::stream_connection_error>(
        "Engine::run", "stream '", plan.handle, "' ",
        connection.numReplicas() > 1 ? base::textOf("of replica ", replica, " ") : std::string(),
        "is not connected; call connectStream or connectStreamToCallback "
        "before the program that uses it runs");
  lower::MovePlan const &moves = executable_->plans[instruction.b];
  if (instruction.op == lower::Op::StreamIn)
    connection.read(replica, moves, moves_, arena_, settings.maxThreads, settings.streams);
  else
    connection.write(replica, moves, moves_, arena_, settings.maxThreads, settings.streams);
}

POP_INLINE void Interpreter::checkEqual(lower::Instruction const &instruction) const {
  lower::MovePlan const &plan = executable_->plans[instruction.a];
  std::vector<std::byte> values(plan.totalBytes);
  moves_.runInline(plan, arena_, values.data());
  std::size_t const size = instruction.width;
  for (std::size_t at = size; at < values.size(); at += size)
    if (std::memcmp(values.data(), values.data() + at, size) != 0)
      base::fail<poplar::control_program_error>(
          "Engine::run", "a predicate differs between replica 0 and replica ", at / size,
          " of a graph made with createReplicatedGraph, which branch together");
}

POP_INLINE bool Interpreter::execute(std::uint32_t set, bool withExit,
                                     RunSettings const &settings) {
  if (settings.simulated)
    settings.simulated->check(*executable_, set);
  bool all = true;
  if (withExit)
    all = computeSets_.runWithExit(set, settings.maxThreads);
  else
    computeSets_.run(set, settings.maxThreads);
  if (executable_->watched.empty()) [[likely]]
    return all;
  if (auto const nan = findNan(*executable_, set, arena_))
    base::fail<poplar::application_runtime_error>(
        "Engine::run", "NaN in field '", nan->output->field, "' of ",
        computeSets_.describe(
            set, nan->output->call -
                     static_cast<std::uint32_t>(executable_->computeSets[set].firstCall)),
        ": ", elementText(*executable_, nan->offset));
  return all;
}

/// The compute sets of a strand plan at once; false if they have to run one by one.
POP_INLINE bool Interpreter::executeStrands(lower::Instruction const &instruction,
                                            RunSettings const &settings) {
  return !settings.simulated &&
         computeSets_.runStrands(static_cast<std::uint32_t>(instruction.b - 1),
                                 settings.maxThreads);
}

POP_INLINE void Interpreter::endRun(lower::AbortPlan const &plan) const {
  std::string text = plan.kind;
  if (!plan.name.empty())
    text += base::textOf(" ", base::quoted(plan.name));
  if (!plan.message.empty())
    text += base::textOf(": ", plan.message);
  if (plan.print != lower::NONE)
    text += base::textOf(": ", textOf(executable_->prints[plan.print]));
  base::fail<poplar::application_runtime_error>("Engine::run", text);
}

POP_INLINE std::string Interpreter::textOf(lower::PrintPlan const &plan) const {
  std::vector<std::byte> data(plan.bytes);
  moves_.runInline(plan.plan, arena_, data.data());
  return tensorText(plan.type, plan.shape, data.data(), plan.spec.format);
}

POP_INLINE void Interpreter::print(lower::PrintPlan const &plan, std::ostream &out) const {
  if (!plan.spec.title.empty()) {
    out << plan.spec.title;
    if (executable_->numReplicas > 1)
      out << "_replica_" << replica_;
    out << ": ";
  }
  out << textOf(plan) << '\n' << std::flush;
}

/// Modelled cycles on tiled targets; elsewhere the host's time in cycles of the target.
POP_INLINE std::uint64_t Interpreter::clock() const {
  if (tiled_)
    return recorder_.clock();
  auto const now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration<double>(now).count() *
                                    executable_->target.getTileClockFrequency());
}

POP_INLINE void Interpreter::writeClock(lower::Instruction const &instruction,
                                        std::uint64_t cycles) {
  std::byte bytes[sizeof cycles]; // low word first
  for (std::size_t i = 0; i < sizeof cycles; ++i)
    bytes[i] = static_cast<std::byte>(cycles >> (8 * i));
  moves_.runInline(executable_->plans[instruction.a], bytes, arena_);
}

POP_INLINE void Interpreter::start(std::uint32_t program) {
  turns_.clear();
  returns_.clear();
  clockStarts_.clear();
  at_ = executable_->entryPoints[program];
}

POP_INLINE Pause Interpreter::resume(RunSettings const &settings) {
  Pause pause = Pause::End;
  computeSets_.guard([&] { pause = runInstructions(settings); });
  return pause;
}

// A vertex that fails leaves this function, and all it calls, without destructors: none of them
// keeps an object that has one while vertices run on this thread.
POP_INLINE Pause Interpreter::runInstructions(RunSettings const &settings) {
  using lower::Op;
  lower::Instruction const *const code = executable_->instructions.data();
  unsigned const threads = settings.maxThreads;
  for (std::uint32_t at = at_;;) {
    lower::Instruction const &now = code[at++];
    if (now.step != lower::NONE)
      recorder_.account(now.step);
    switch (now.op) {
    case Op::End:
      return Pause::End;
    case Op::Step:
      break;
    case Op::Execute:
      if (now.b != 0 && executeStrands(now, settings))
        at += static_cast<std::uint32_t>(executable_->strands[now.b - 1].sets.size()) - 1;
      else
        execute(now.a, false, settings);
      break;
    case Op::ExecuteWithExit:
      arena_[now.b] = static_cast<std::byte>(execute(now.a, true, settings));
      break;
    case Op::Copy:
      moves_.run(executable_->plans[now.a], arena_, arena_, threads);
      break;
    case Op::StreamIn:
    case Op::StreamOut:
      stream(now, settings);
      if (host_.streams[now.a].isFarAhead(replica_ * executable_->streams[now.a].channels)) {
        at_ = at;
        return Pause::Ready;
      }
      break;
    case Op::CheckEqual:
      checkEqual(now);
      break;
    case Op::CrossReplicaCopy:
    case Op::GlobalSync:
      at_ = at;
      return Pause::Rendezvous;
    case Op::LoopBegin:
      turns_.push_back(now.b);
      break;
    case Op::LoopEnd:
      if (--turns_.back() == 0)
        turns_.pop_back();
      else
        at = now.a;
      if (stop_->load(std::memory_order_relaxed))
        return Pause::Stopped;
      break;
    case Op::Jump:
      at = now.a;
      if (stop_->load(std::memory_order_relaxed))
        return Pause::Stopped;
      break;
    case Op::JumpIfTrue:
      if (predicate(now))
        at = now.a;
      break;
    case Op::JumpIfFalse:
      if (!predicate(now))
        at = now.a;
      break;
    case Op::Switch:
      at = switchTarget(now);
      break;
    case Op::Call:
      returns_.push_back(at);
      at = now.a;
      break;
    case Op::Return:
      at = returns_.back();
      returns_.pop_back();
      break;
    case Op::Print:
      print(executable_->prints[now.a], *settings.print);
      break;
    case Op::ClockBegin:
      clockStarts_.push_back(clock());
      break;
    case Op::ClockEnd:
      // Never zero: clients divide by it.
      writeClock(now, std::max<std::uint64_t>(1, clock() - clockStarts_.back()));
      clockStarts_.pop_back();
      break;
    case Op::ClockStamp:
      writeClock(now, clock());
      break;
    case Op::RemoteIn:
      host_.remote.read(executable_->remoteCopies[now.a], moves_, arena_, threads);
      break;
    case Op::RemoteOut:
      host_.remote.write(executable_->remoteCopies[now.a], moves_, arena_, threads);
      break;
    case Op::HostCall:
      host_.functions.call(executable_->hostCalls[now.a], moves_, arena_, threads);
      break;
    case Op::Abort:
      endRun(executable_->aborts[now.a]);
    case Op::BoundsError:
      base::fail<poplar::application_runtime_error>(
          "Engine::run", "Switch ", base::quoted(executable_->switches[now.a].name),
          ": control = ", control(now),
          " matches no case, and the program promised bounds checking");
    }
  }
}

} // namespace cottonwood::engine
