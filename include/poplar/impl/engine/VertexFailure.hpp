// Failures inside a running vertex: assertions, abort() and floating-point exceptions end the
// vertex and become data, which the engine turns into an exception when all threads have stopped.
//
// While a thread runs vertices, the C library's hooks for a failed assert() and for abort() lead
// here: the library defines both, and passes on what does not come from a vertex. The vertex is
// left by longjmp, without destructors; codelets hold nothing that needs one.
#pragma once

#include <poplar/impl/base/Config.hpp>
#include <poplar/impl/codelet/Abi.hpp>

#include <csetjmp>
#include <cstdint>

namespace cottonwood::engine {

struct VertexFailure {
  enum class Kind : std::uint8_t { None, Assertion, Abort, FloatingPoint };
  Kind kind = Kind::None;
  unsigned raised = 0;    ///< FloatingPoint: bits of FloatFlags
  std::uint32_t call = 0; ///< of the compute set
  // The compiler's own texts: nothing that a jump would leave behind.
  char const *expression = "", *file = "", *function = "";
  unsigned line = 0;
};

/// The vertices that a thread runs: where their failures go, whose address codelets get, and which
/// one runs now.
struct FailureSink {
  static constexpr std::uint32_t NONE = ~std::uint32_t{0};
  std::jmp_buf back;
  FailureSink *outer = nullptr; ///< the sink before, if a vertex runs inside another run
  std::uint32_t call = NONE;    ///< of its compute set: the vertex that runs now
  VertexFailure *failure = nullptr;
  codelet::VertexContext context{}; ///< of that vertex
};

/// Makes `sink` the thread's own, or takes it away.
void enterVertices(FailureSink &sink);
void leaveVertices(FailureSink &sink);
/// The context of the vertex that this thread runs, null if it runs none. Code that is loaded at
/// run time gets the address of this function.
POP_API codelet::VertexContext *runningVertex() noexcept;

/// Ends the vertex that runs in `sink`: it raised these FloatFlags.
[[noreturn]] void failVertex(FailureSink &sink, unsigned raised);

/// Not inlined, so that nothing of the caller's lives in registers that longjmp restores.
template <class Body> [[gnu::noinline]] bool jumpGuard(FailureSink &sink, Body &body) {
  if (setjmp(sink.back) != 0)
    return false;
  body(sink);
  return true;
}

/// Runs body(sink), which keeps sink.call up to date. False if a vertex failed: `failure` says how,
/// and nothing behind that vertex has run.
template <class Body> bool runGuarded(VertexFailure &failure, Body &&body) {
  struct Scope {
    FailureSink sink;
    explicit Scope(VertexFailure &failure) {
      sink.failure = &failure;
      enterVertices(sink);
    }
    ~Scope() { leaveVertices(sink); }
  } scope(failure);
  return jumpGuard(scope.sink, body);
}

} // namespace cottonwood::engine
