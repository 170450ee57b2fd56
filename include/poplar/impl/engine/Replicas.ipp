// Body of Replicas.hpp.
#pragma once

#include <poplar/impl/engine/Replicas.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>

#include <algorithm>
#include <cstring>

namespace cottonwood::engine::detail {

/// Writes a pattern `repeats` times: by doubling what is there already.
POP_INLINE void fill(std::byte *to, std::byte const *pattern, std::uint64_t bytes,
                     std::uint64_t repeats) {
  std::uint64_t const total = bytes * repeats;
  std::memcpy(to, pattern, bytes);
  for (std::uint64_t done = bytes; done < total;) {
    std::uint64_t const step = std::min(done, total - done);
    std::memcpy(to + done, to, step);
    done += step;
  }
}

/// Turns the arena offsets in the state images into addresses.
POP_INLINE void relocate(lower::ExecutableData const &executable, std::byte *arena) {
  std::byte *const states = arena + executable.statesBegin;
  for (std::size_t i = 0; i < executable.relocations.size(); ++i)
    for (std::uint64_t bits = executable.relocations[i]; bits != 0; bits &= bits - 1) {
      std::byte *const word = states + (i * 64 + static_cast<std::size_t>(__builtin_ctzll(bits))) *
                                           sizeof(std::uint64_t);
      std::uint64_t offset;
      std::memcpy(&offset, word, sizeof offset);
      std::byte *const address = arena + offset;
      std::memcpy(word, &address, sizeof address);
    }
}

/// Memory shared by liveness is filled with NaNs in debug builds, up to this many bytes.
inline constexpr std::uint64_t MAX_POISON_BYTES = std::uint64_t{16} << 20;

POP_INLINE Arena filledArena(lower::ExecutableData const &executable, std::uint32_t replica) {
  Arena arena(executable.arenaBytes);
#if !defined(NDEBUG)
  // Nothing may read what its program has not written: such reads shall be seen.
  std::memset(arena.data() + executable.sharedBegin, 0xff,
              std::min(executable.variableBytes - executable.sharedBegin, MAX_POISON_BYTES));
#endif
  for (lower::InitialData const &data : executable.initial)
    fill(arena.data() + data.offset, executable.blob.data() + data.blobOffset, data.blobBytes,
         data.repeats);
  for (lower::ReplicaIndex const &index : executable.replicaIndices) {
    std::uint32_t value;
    std::memcpy(&value, arena.data() + index.offset, sizeof value);
    value += index.scale * replica;
    std::memcpy(arena.data() + index.offset, &value, sizeof value);
  }
  if (!executable.states.empty())
    std::memcpy(arena.data() + executable.statesBegin, executable.states.data(),
                executable.states.size());
  relocate(executable, arena.data());
  return arena;
}

} // namespace cottonwood::engine::detail

namespace cottonwood::engine {

POP_INLINE Replicas::Replica::Replica(lower::ExecutableData const &executable, std::uint32_t index,
                                      std::vector<StreamConnection> &streams,
                                      HostFunctions &functions, std::atomic<bool> const &stop)
    : arena(detail::filledArena(executable, index)), remote(executable, executable.numReplicas),
      interpreter(executable, arena.data(), index, HostLinks{streams, functions, remote}, stop) {}

POP_INLINE Replicas::Replicas(lower::ExecutableData const &executable,
                              std::vector<StreamConnection> &streams,
                              std::vector<HostFunctions> &functions, std::atomic<bool> const &stop)
    : executable_(&executable), moves_(executable) {
  for (std::uint32_t index = 0; index < executable.numReplicas; ++index)
    replicas_.emplace_back(executable, index, streams, functions[index], stop);
}

POP_INLINE void Replicas::run(std::uint32_t program, RunSettings const &settings) {
  for (Replica &replica : replicas_) {
    replica.interpreter.start(program);
    replica.pause = Pause::Ready;
  }
  while (advanceAll(settings))
    meet(settings);
}

/// Every replica to its next rendezvous. \returns false if that is the end of the program for all.
POP_INLINE bool Replicas::advanceAll(RunSettings const &settings) {
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = 0; i < replicas_.size(); ++i) {
      Replica &replica = replicas_[i];
      if (replica.pause != Pause::Ready)
        continue;
      replica.pause = replica.interpreter.resume(settings);
      again = again || replica.pause == Pause::Ready;
    }
  }
  Replica const &first = replicas_.front();
  for (std::size_t i = 1; i < replicas_.size(); ++i) {
    Replica const &other = replicas_[i];
    bool const together =
        other.pause == first.pause &&
        (first.pause == Pause::End || other.interpreter.at() == first.interpreter.at());
    if (!together && first.pause != Pause::Stopped && other.pause != Pause::Stopped)
      base::fail<poplar::control_program_error>(
          "Engine::run", "replica 0 is at ", place(first), ", replica ", i, " at ", place(other),
          "; all replicas must come to the same cross-replica copies and global syncs");
  }
  return std::all_of(replicas_.begin(), replicas_.end(),
                     [](Replica const &replica) { return replica.pause == Pause::Rendezvous; });
}

/// What happens when all have arrived.
POP_INLINE void Replicas::meet(RunSettings const &settings) {
  lower::Instruction const &now = executable_->instructions[replicas_.front().interpreter.at()];
  if (now.op == lower::Op::CrossReplicaCopy) {
    lower::CrossReplicaPlan const &copy = executable_->crossReplicaPlans[now.a];
    for (std::size_t to = 0; to < replicas_.size(); ++to)
      moves_.run(copy.plan, arena(copy.sources[to]), arena(to), settings.maxThreads);
  }
  std::uint64_t latest = 0;
  for (Replica const &replica : replicas_)
    latest = std::max(latest, replica.interpreter.recorder().clock());
  for (Replica &replica : replicas_) {
    replica.interpreter.recorder().waitUntil(latest);
    replica.pause = Pause::Ready;
  }
}

POP_INLINE std::string Replicas::place(Replica const &replica) const {
  if (replica.pause != Pause::Rendezvous)
    return "the end of the program";
  lower::Instruction const &now = executable_->instructions[replica.interpreter.at()];
  if (now.op == lower::Op::GlobalSync)
    return base::textOf("a global Sync (instruction ", replica.interpreter.at(), ")");
  return base::textOf("CrossReplicaCopy ", base::quoted(executable_->crossReplicaPlans[now.a].name),
                      " (instruction ", replica.interpreter.at(), ")");
}

POP_INLINE void Replicas::setRecording(bool on) {
  for (Replica &replica : replicas_)
    replica.interpreter.recorder().setRecording(on);
}

POP_INLINE void Replicas::setTracing(bool on, std::uint64_t maxSteps) {
  for (Replica &replica : replicas_) {
    replica.interpreter.recorder().setMaxTraced(maxSteps);
    replica.interpreter.recorder().setTracing(on && &replica == &replicas_.front());
  }
}

POP_INLINE void Replicas::setRandomSeed(std::uint64_t seed) {
  for (Replica &replica : replicas_)
    replica.interpreter.setRandomSeed(seed);
}

POP_INLINE void Replicas::resetRecording() {
  for (Replica &replica : replicas_)
    replica.interpreter.recorder().reset();
}

} // namespace cottonwood::engine
