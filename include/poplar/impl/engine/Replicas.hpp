// The replicas of a loaded executable: one arena and one interpreter each.
//
// A replicated graph is lowered once. Everything in the executable (addresses, plans, vertex
// tables, instructions) is that of one replica, and all replicas run it, each on an arena of its
// own: so lowering costs nothing for a replica, and a graph of one replica runs as if there were no
// others. What differs between replicas is the contents of the arenas, which start equal but for
// the constants of ExecutableData::replicaIndices.
//
// Replicas run one after another, in the order of their indices, each up to its next rendezvous: a
// cross-replica copy, a global sync, or the end of the program. There the data are exchanged and
// all go on. The threads of the host share the work within compute sets and copies, never replicas,
// so host effects (callbacks, prints) have one order. Control flow is each replica's own:
// predicates may differ as long as all meet at the same rendezvous.
//
// (Graph::createReplicatedGraph is another matter: there variables and vertices exist several times
// in one graph; see impl/graph/ReplicaGroups.hpp.)
#pragma once

#include <poplar/impl/engine/Arena.hpp>
#include <poplar/impl/engine/HostFunctions.hpp>
#include <poplar/impl/engine/Interpreter.hpp>
#include <poplar/impl/engine/RemoteStore.hpp>
#include <poplar/impl/engine/Streams.hpp>
#include <poplar/impl/lower/ExecutableData.hpp>

#include <atomic>
#include <deque>
#include <vector>

namespace cottonwood::engine {

class Replicas {
public:
  /// Fills the arenas with what they hold after load.
  Replicas(lower::ExecutableData const &executable, std::vector<StreamConnection> &streams,
           std::vector<HostFunctions> &functions, std::atomic<bool> const &stop);
  Replicas(Replicas const &) = delete;
  Replicas &operator=(Replicas const &) = delete;

  /// Runs one program on all replicas to its end, or until `stop` is set and a loop turns.
  /// \throws poplar::control_program_error  two replicas are at different rendezvous.
  void run(std::uint32_t program, RunSettings const &settings);

  std::byte *arena(std::size_t replica) const { return replicas_[replica].arena.data(); }
  RemoteStore &remote(std::size_t replica) { return replicas_[replica].remote; }
  std::size_t size() const { return replicas_.size(); }
  /// Of replica 0, which stands for all in profiles.
  StepRecorder &recorder() { return replicas_.front().interpreter.recorder(); }
  StepRecorder const &recorder() const { return replicas_.front().interpreter.recorder(); }
  void setRecording(bool on);
  /// Records the order of at most so many steps.
  void setTracing(bool on, std::uint64_t maxSteps);
  /// Of the random numbers of vertices, which differ between replicas.
  void setRandomSeed(std::uint64_t seed);
  void resetRecording();

private:
  struct Replica {
    Replica(lower::ExecutableData const &executable, std::uint32_t index,
            std::vector<StreamConnection> &streams, HostFunctions &functions,
            std::atomic<bool> const &stop);
    Arena arena;
    RemoteStore remote;
    Interpreter interpreter;
    Pause pause = Pause::End; ///< where it stands
  };

  bool advanceAll(RunSettings const &settings);
  void meet(RunSettings const &settings);
  std::string place(Replica const &replica) const;

  lower::ExecutableData const *executable_;
  MoveRunner moves_;
  std::deque<Replica> replicas_;
};

} // namespace cottonwood::engine
