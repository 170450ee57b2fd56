// Body of VertexFailure.hpp.
#pragma once

#include <poplar/impl/engine/VertexFailure.hpp>

#include <csignal>
#include <cstdlib>
#include <utility>

#include <dlfcn.h>
#include <unistd.h>

namespace cottonwood::engine::detail {

inline thread_local FailureSink *threadSink = nullptr;

/// Leaves the vertex that this thread runs.
[[noreturn]] POP_INLINE void leaveFailed(FailureSink &sink, VertexFailure failure) {
  failure.call = sink.call;
  *sink.failure = std::move(failure);
  std::longjmp(sink.back, 1);
}

/// The next definition of a function of the C library behind this one; null if there is none.
template <class Function> Function *nextDefinition(char const *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

} // namespace cottonwood::engine::detail

namespace cottonwood::engine {

POP_INLINE void enterVertices(FailureSink &sink) {
  sink.context.failure = &sink;
  sink.outer = std::exchange(detail::threadSink, &sink);
}
POP_INLINE void leaveVertices(FailureSink &sink) { detail::threadSink = sink.outer; }

POP_INLINE codelet::VertexContext *runningVertex() noexcept {
  FailureSink *const sink = detail::threadSink;
  return sink && sink->call != FailureSink::NONE ? &sink->context : nullptr;
}

POP_INLINE void failVertex(FailureSink &sink, unsigned raised) {
  VertexFailure failure;
  failure.kind = VertexFailure::Kind::FloatingPoint;
  failure.raised = raised;
  detail::leaveFailed(sink, std::move(failure));
}

} // namespace cottonwood::engine

#if defined(__GLIBC__)

// Weak, so that a statically linked C library may have its own. Visible in header-only programs,
// too, for codelets that are loaded at run time.
extern "C" __attribute__((weak, visibility("default"))) void
__assert_fail(char const *expression, char const *file, unsigned line,
              char const *function) noexcept {
  using namespace cottonwood::engine;
  if (detail::threadSink && detail::threadSink->call != FailureSink::NONE) {
    VertexFailure failure;
    failure.kind = VertexFailure::Kind::Assertion;
    failure.expression = expression ? expression : "";
    failure.file = file ? file : "";
    failure.function = function ? function : "";
    failure.line = line;
    detail::leaveFailed(*detail::threadSink, std::move(failure));
  }
  using Function = void(char const *, char const *, unsigned, char const *);
  if (auto *const next = detail::nextDefinition<Function>("__assert_fail"))
    next(expression, file, line, function);
  std::abort();
}

extern "C" __attribute__((weak, visibility("default"))) void abort() noexcept {
  using namespace cottonwood::engine;
  if (detail::threadSink && detail::threadSink->call != FailureSink::NONE) {
    VertexFailure failure;
    failure.kind = VertexFailure::Kind::Abort;
    detail::leaveFailed(*detail::threadSink, std::move(failure));
  }
  if (auto *const next = detail::nextDefinition<void()>("abort"))
    next();
  std::raise(SIGABRT);
  _exit(127);
}

#endif
