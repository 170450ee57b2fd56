// Executes the instructions of a loaded executable.
#pragma once

#include <poplar/impl/engine/ComputeSets.hpp>
#include <poplar/impl/engine/HostFunctions.hpp>
#include <poplar/impl/engine/MoveRunner.hpp>
#include <poplar/impl/engine/RemoteStore.hpp>
#include <poplar/impl/engine/SimulatedErrors.hpp>
#include <poplar/impl/engine/StepRecorder.hpp>
#include <poplar/impl/engine/Streams.hpp>
#include <poplar/impl/lower/ExecutableData.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <vector>

namespace cottonwood::engine {

/// What a run may differ in from the one before.
struct RunSettings {
  unsigned maxThreads = 1;
  StreamSettings streams;
  std::ostream *print = nullptr;
  SimulatedErrors const *simulated = nullptr; ///< null: none
};

/// The host's side of what programs do, on one replica.
struct HostLinks {
  std::vector<StreamConnection> &streams; ///< connections by stream number
  HostFunctions &functions;
  RemoteStore &remote;
};

/// Why an interpreter has stopped executing.
enum class Pause : std::uint8_t {
  Ready,      ///< it has not: it may go on
  Rendezvous, ///< at an instruction that all replicas execute together
  End,        ///< of the program
  Stopped,    ///< `stop` is set
};

/// Executes the instructions for one replica.
class Interpreter {
public:
  /// `arena` holds the loaded data.
  Interpreter(lower::ExecutableData const &executable, std::byte *arena, std::uint32_t replica,
              HostLinks const &host, std::atomic<bool> const &stop);

  void start(std::uint32_t program);
  void setRandomSeed(std::uint64_t seed) { computeSets_.setRandomSeed(seed, replica_); }
  /// Goes on to the next rendezvous, to the end, or until `stop` is set and a loop turns. Ready: to
  /// let the others catch up.
  Pause resume(RunSettings const &settings);
  /// The instruction of the rendezvous.
  std::uint32_t at() const { return at_ - 1; }
  StepRecorder &recorder() { return recorder_; }
  StepRecorder const &recorder() const { return recorder_; }

private:
  Pause runInstructions(RunSettings const &settings);
  bool execute(std::uint32_t set, bool withExit, RunSettings const &settings);
  bool executeStrands(lower::Instruction const &instruction, RunSettings const &settings);
  [[noreturn]] void endRun(lower::AbortPlan const &plan) const;
  std::string textOf(lower::PrintPlan const &plan) const;
  bool predicate(lower::Instruction const &instruction) const;
  std::uint32_t switchTarget(lower::Instruction const &instruction) const;
  std::int32_t control(lower::Instruction const &instruction) const;
  void checkEqual(lower::Instruction const &instruction) const;
  void stream(lower::Instruction const &instruction, RunSettings const &settings);
  void print(lower::PrintPlan const &plan, std::ostream &out) const;
  std::uint64_t clock() const;
  void writeClock(lower::Instruction const &instruction, std::uint64_t cycles);

  lower::ExecutableData const *executable_;
  std::byte *arena_;
  std::uint32_t replica_;
  HostLinks host_;
  std::atomic<bool> const *stop_;
  bool tiled_;
  MoveRunner moves_;
  ComputeSets computeSets_;
  StepRecorder recorder_;
  std::uint32_t at_ = 0;               ///< the next instruction
  std::vector<std::uint64_t> turns_;   ///< left, of the loops we are in
  std::vector<std::uint32_t> returns_; ///< of the functions we are in
  std::vector<std::uint64_t> clockStarts_;
};

} // namespace cottonwood::engine
