// How a product on plain memory is cut into parts that kernels compute.
#pragma once

#include <codelets/poplin/MatMulArgs.hpp>
#include <poplin/impl/RawKernels.hpp>

#include <poplar/impl/base/ThreadPool.hpp>

#include <exception>
#include <mutex>

namespace cottonwood::poplin {

/// A part of one product of a RawMatMul: rows [i, i + m) and columns [j, j + n) of its result, or
/// of its transposed result, which is what is computed if C's columns are contiguous.
struct RawPart {
  std::size_t g = 0, i = 0, j = 0;
  std::size_t m = 0, n = 0, k = 0;
  RawMatrix a, b, c; ///< data: the first element that the part reads or writes
  void *out = nullptr;
  bool accumulate = false, transposed = false;
  kernels::MatMulBlocking blocking;
  float *workspace = nullptr;
};

/// Calls run(context, part) for all parts, on threads of the pool where options and size ask for
/// more than one.
/// \param where  the function's name in messages
POP_API void forEachRawPart(char const *where, RawMatMul const &product,
                            void (*run)(void const *context, RawPart const &part),
                            void const *context);

/// Kernel arguments of a part.
template <class In, class Out> kernels::MatMulArgs<In, Out> argsOf(RawPart const &part) {
  kernels::MatMulArgs<In, Out> args{};
  args.m = part.m, args.n = part.n, args.k = part.k;
  args.a = {static_cast<const In *>(part.a.data), part.a.row, part.a.column};
  args.b = {static_cast<const In *>(part.b.data), part.b.row, part.b.column};
  args.bPanel = part.b.panel;
  args.c = static_cast<Out *>(part.out), args.cRow = part.c.row;
  args.accumulate = part.accumulate;
  return args;
}

/// slice(i) for all i < slices, on at most `threads` threads. Rethrows what the first of them
/// threw.
template <class F> void runSlices(std::size_t slices, unsigned threads, F const &slice) {
  if (slices == 1)
    return slice(0);
  std::exception_ptr failure;
  std::mutex mutex;
  auto body = [&](unsigned index) {
    try {
      slice(index);
    } catch (...) {
      std::lock_guard const lock(mutex);
      failure = failure ? failure : std::current_exception();
    }
  };
  base::parallelFor(static_cast<unsigned>(slices), threads, body);
  if (failure)
    std::rethrow_exception(failure);
}

/// Scratch of this thread, at least so many floats; the next call may take it away.
POP_API float *threadScratch(std::size_t floats);

} // namespace cottonwood::poplin
