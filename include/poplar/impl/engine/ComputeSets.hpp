// Compute sets of a loaded executable: vertices with their code and state, run on one thread or
// several.
#pragma once

#include <poplar/impl/base/Mix.hpp>
#include <poplar/impl/codelet/Abi.hpp>
#include <poplar/impl/engine/MoveRunner.hpp>
#include <poplar/impl/engine/VertexFailure.hpp>
#include <poplar/impl/lower/ExecutableData.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

// Kept out of the loop over plain vertices. The two words together are a warning of GCC.
#if defined(POPLAR_HEADER_ONLY)
#define POP_OUT_OF_LINE
#else
#define POP_OUT_OF_LINE [[gnu::noinline]]
#endif

namespace cottonwood::engine {

class ComputeSets {
public:
  /// Resolves the codelets of the executable.
  /// \throws poplar::graph_object_load_error  a codelet is not known in this process.
  ComputeSets(lower::ExecutableData const &executable, std::byte *arena);

  /// Runs body(), within which all runs of this object happen.
  /// \throws application_runtime_error  a vertex failed; the text says which and where.
  template <class Body> void guard(Body &&body) {
    auto const guarded = [&](FailureSink &sink) {
      sink_ = &sink;
      body();
    };
    if (!runGuarded(failure_, guarded))
      raiseRunning(failure_);
  }
  /// Runs all vertices of the set; their order and the number of threads do not show in results. An
  /// exception of a vertex comes out after all threads have stopped.
  /// \throws application_runtime_error  a vertex failed; the text says which and where.
  void run(std::uint32_t set, unsigned maxThreads);
  /// The same; true if every compute() returned true.
  bool runWithExit(std::uint32_t set, unsigned maxThreads);
  /// Runs the compute sets of a strand plan, strand by strand. False if they are better run one
  /// after the other on so many threads; nothing has run then.
  /// \throws application_runtime_error  a vertex failed; the text says which and where.
  bool runStrands(std::uint32_t plan, unsigned maxThreads);
  /// From now on a vertex that raises one of these FloatFlags fails.
  void watchFloatFlags(unsigned flags) { watchedFlags_ = flags; }
  /// Starts the keys of the random numbers of vertices anew.
  void setRandomSeed(std::uint64_t seed, std::uint32_t replica);
  /// `engineTest::Scale, vertex 3 of compute set 'scale', on tile 2`
  std::string describe(std::uint32_t set, std::uint32_t call) const;

private:
  /// One vertex. 32 bytes: two in a cache line.
  struct Call {
    codelet::Entry entry;
    void *state;
    std::uint32_t tile;
    std::uint32_t staging;  ///< NONE if there is none
    std::uint32_t contexts; ///< worker contexts: 1, or 6 of a MultiVertex
  };
  struct Set {
    Call const *calls = nullptr;
    std::uint32_t numCalls = 0;
    std::uint32_t numContexts = 0; ///< of all calls together
    bool hasStaging = false;
    bool splitContexts = false; ///< few calls: the contexts of one are dealt to several threads
    float nanoseconds = 0;      ///< estimated time of all calls on one thread
    std::uint32_t runs = 0;
  };

  /// What the threads of one parallel run have to know, in one cache line.
  struct alignas(64) Job;
  struct StrandJob;

  /// What the key of random numbers grows by from one execution to the next. Vertices add their
  /// index: n executions of up to v vertices have keys of their own while n * v < 2^62.
  static constexpr std::uint64_t KEY_STEP = base::GOLDEN_STEP;

  bool runSet(Set &set, unsigned maxThreads);
  bool runSerial(Set const &set) const {
    bool const all = runCalls(set, 0, set.numCalls, *sink_);
    sink_->call = FailureSink::NONE;
    return all;
  }
  bool runCalls(Set const &set, std::uint32_t begin, std::uint32_t end, FailureSink &sink) const;
  bool runContexts(Set const &set, std::uint32_t begin, std::uint32_t end, FailureSink &sink) const;
  void introduce(Call const &call, std::uint32_t i, FailureSink &sink) const;
  bool enter(Call const &call, unsigned worker, FailureSink &sink) const;
  bool enterEach(Call const &call, unsigned begin, unsigned end, FailureSink &sink) const;
  POP_OUT_OF_LINE bool enterWatched(Call const &call, unsigned worker, FailureSink &sink) const;
  POP_OUT_OF_LINE bool runWhole(Call const &call, FailureSink &sink) const;
  struct CallRange {
    std::uint32_t begin, end;
    std::uint32_t size() const { return end - begin; }
  };
  static CallRange strandCalls(lower::StrandPlan const &plan, std::size_t strand, std::size_t s);
  static void fetchBehind(Set const &set, std::uint32_t i);
  void showNext(lower::StrandPlan const &plan, std::size_t strand, std::size_t s,
                FailureSink &sink) const;
  void runPlanned(lower::StrandPlan const &plan, std::size_t s, CallRange range,
                  FailureSink &sink) const;
  void runStrand(lower::StrandPlan const &plan, std::size_t strand, FailureSink &sink) const;
  void begin(std::uint32_t set);
  bool runParallel(Set &set, unsigned numSlices, unsigned maxThreads, bool timed) const;
  void gather(Set const &set) const;
  void scatter(Set const &set) const;
  bool measured(Set &set) const;
  [[noreturn]] void raise(Set const &set, VertexFailure const &failure) const;
  [[noreturn]] void raiseRunning(VertexFailure failure) const;

  lower::ExecutableData const *executable_;
  std::byte *arena_;
  MoveRunner moves_;
  std::vector<Call> calls_;
  std::vector<Set> sets_;
  unsigned watchedFlags_ = 0;
  // Of the thread that runs the engine.
  FailureSink *sink_ = nullptr;
  VertexFailure failure_;
  std::uint32_t running_ = 0;                         ///< the set in work
  lower::StrandPlan const *runningStrands_ = nullptr; ///< null: the set is in work alone
  std::uint64_t key_ = 0;                             ///< of the random numbers of its vertex 0
};

} // namespace cottonwood::engine

#undef POP_OUT_OF_LINE
