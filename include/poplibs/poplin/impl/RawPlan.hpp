// A product on plain memory as planners and kernels see it.
#pragma once

#include <planners/poplin/MatMulCpu.hpp>
#include <poplin/impl/MatMulOperand.hpp>
#include <poplin/impl/RawParts.hpp>

namespace cottonwood::poplin {

/// A product whose C has contiguous rows, sorted out for kernels.
struct RawProblem {
  RawMatMul product;
  StridedOperand a, b; ///< strides only
  bool transposed = false;
  planner::MatMulProblem problem;
};

/// \throws poplar::poplar_error  strides of C that kernels cannot write to.
POP_API RawProblem rawProblem(char const *where, RawMatMul product);

/// What plans depend on besides the problem: this machine with so many threads.
POP_API planner::MatMulCpu rawCpu(unsigned threads);

/// Calls run(context, part) for all parts of a plan, on at most `threads` threads.
POP_API void runRawPlan(RawProblem const &problem, planner::MatMulPlan const &plan,
                        unsigned threads, void (*run)(void const *context, RawPart const &part),
                        void const *context);

/// Runs a part with the kernels of the library.
POP_API void runRawPart(void const *, RawPart const &part);

} // namespace cottonwood::poplin
