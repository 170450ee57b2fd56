#pragma once

#include <codelets/poplin/ActiveKernels.hpp>
#include <poplin/impl/MatMulPlanning.hpp>
#include <poplin/impl/RawPlan.hpp>
#include <poputil/impl/BuiltinCodelets.hpp>

#include <poplar/impl/base/Error.hpp>

#include <utility>
#include <vector>

namespace cottonwood::poplin {

POP_INLINE planner::MatMulCpu rawCpu(unsigned threads) {
  // Never destroyed: destructors of static objects may call kernels.
  static auto const *const machineCpu = [] {
    model::Machine machine;
    machine.cpu = model::cpuFacts();
    return new planner::MatMulCpu(detail::cpuOf(machine));
  }();
  planner::MatMulCpu cpu = *machineCpu;
  cpu.threads = std::max(threads, 1U);
  cpu.wholeDepth = true;
  return cpu;
}

namespace detail {

/// Products smaller than this are computed by the calling thread: multiply-adds.
inline constexpr double RAW_SERIAL_WORK = 1 << 18;

POP_INLINE RawMatrix turned(RawMatrix m) {
  std::swap(m.rows, m.columns);
  std::swap(m.row, m.column);
  return m;
}

/// Kernels write contiguous rows, or one column at any distances.
POP_INLINE bool takesRawRows(RawMatrix const &c) { return c.columns == 1 || c.column == 1; }

POP_INLINE planner::MatMulType rawType(RawMatrix const &m) {
  return m.isHalf ? planner::MatMulType::HALF : planner::MatMulType::FLOAT;
}

/// C^T = B^T * A^T.
POP_INLINE void turnProduct(char const *where, RawMatMul &product) {
  RawMatrix const c = turned(product.c);
  if (!takesRawRows(c))
    base::fail<::poplar::poplar_error>(where, "the strides of c are ", product.c.row, " and ",
                                       product.c.column,
                                       "; one of them must be 1: its rows or its columns must be "
                                       "contiguous");
  if (product.b.panel != 0)
    base::fail<::poplar::poplar_error>(where, "the strides of c are ", product.c.row, " and ",
                                       product.c.column,
                                       "; products with a packed operand need contiguous rows");
  std::swap(product.a, product.b);
  product.a = turned(product.a), product.b = turned(product.b), product.c = c;
}

/// Parts of a product are computed at the same time: no two may write one element.
POP_INLINE void checkDistinct(char const *where, RawMatMul const &p) {
  // As rows that are contiguous, whichever way it was given.
  std::size_t const rows = p.c.rows, columns = p.c.columns;
  auto const distance = static_cast<std::size_t>(p.c.row < 0 ? -p.c.row : p.c.row);
  if (rows > 1 && distance < columns)
    base::fail<::poplar::poplar_error>(where, columns, " elements of c lie side by side, and ",
                                       rows, " times as many start ", distance,
                                       " elements apart; they must not overlap");
  if (p.batches > 1 && p.c.batch == 0 && rows != 0 && columns != 0)
    base::fail<::poplar::poplar_error>(where, "cBatch = 0 for ", p.batches,
                                       " products; each must have its own c");
}

POP_INLINE void checkRawSizes(char const *where, RawMatMul const &p) {
  auto const shape = [](RawMatrix const &m) {
    return base::textOf("[", m.rows, ", ", m.columns, "]");
  };
  if (p.a.columns != p.b.rows || p.c.rows != p.a.rows || p.c.columns != p.b.columns)
    base::fail<::poplar::poplar_error>(where, "a ", shape(p.a), ", b ", shape(p.b), " and c ",
                                       shape(p.c),
                                       " do not fit together; they must be [m, k], [k, n] and "
                                       "[m, n]");
  checkRaw(where, p.a, "a");
  checkRaw(where, p.b, "b");
  checkRaw(where, p.c, "c");
}

/// What a thread keeps from call to call.
struct RawThread {
  planner::MatMulProblem problem; ///< the last one that was planned
  unsigned threads = 0;
  planner::MatMulPlan plan;
  std::vector<float> scratch;
};
inline thread_local RawThread *rawThreadPointer = nullptr;

/// Where destructors of static objects call kernels, what the main thread kept is gone, and it gets
/// another that stays.
POP_INLINE RawThread &rawThread() {
  struct Owner {
    ~Owner() { delete std::exchange(rawThreadPointer, nullptr); }
  };
  if (!rawThreadPointer) {
    rawThreadPointer = new RawThread;
    static thread_local Owner const owner;
  }
  return *rawThreadPointer;
}

/// As the planner cuts it; the last answer of a thread is kept, because calls repeat.
POP_INLINE planner::MatMulPlan rawPlan(planner::MatMulProblem const &problem, unsigned threads) {
  double const work = static_cast<double>(problem.m) * static_cast<double>(problem.n) *
                      static_cast<double>(problem.k) * static_cast<double>(problem.g);
  if (threads <= 1 || work < RAW_SERIAL_WORK) {
    planner::MatMulPlan plan;
    planner::detail::chooseKernel(plan, problem, rawCpu(1));
    return plan;
  }
  RawThread &last = rawThread();
  if (last.threads != threads || !(last.problem == problem)) {
    last.plan = planner::planMatMulCpu(problem, rawCpu(threads)).plan;
    last.problem = problem, last.threads = threads;
  }
  return last.plan;
}

POP_INLINE const void *elementAt(RawMatrix const &m, std::ptrdiff_t offset) {
  if (!m.data)
    return nullptr;
  return static_cast<const char *>(m.data) + offset * (m.isHalf ? 2 : 4);
}

/// The part of one group, rows [i, i + m) and columns [j, j + n).
POP_INLINE RawPart rawPart(RawProblem const &p, std::size_t g, std::size_t i, std::size_t m,
                           std::size_t j, std::size_t n) {
  auto const at = [](std::size_t x) { return static_cast<std::ptrdiff_t>(x); };
  RawPart part;
  part.g = g, part.i = i, part.j = j, part.m = m, part.n = n, part.k = p.problem.k;
  part.a = p.product.a, part.b = p.product.b, part.c = p.product.c;
  part.a.row = p.a.row, part.a.column = p.a.column;
  part.b.row = p.b.row, part.b.column = p.b.column;
  std::ptrdiff_t const column =
      part.b.panel == 0 ? at(j) * part.b.column : at(j / kernels::MATMUL_PANEL) * part.b.panel;
  std::ptrdiff_t const cOffset = at(g) * part.c.batch + at(i) * part.c.row + at(j) * part.c.column;
  part.a.data = elementAt(part.a, at(g) * part.a.batch + at(i) * part.a.row);
  part.b.data = elementAt(part.b, at(g) * part.b.batch + column);
  part.c.data = elementAt(part.c, cOffset);
  part.out = static_cast<char *>(p.product.out) + cOffset * (part.c.isHalf ? 2 : 4);
  part.accumulate = p.product.accumulate, part.transposed = p.transposed;
  return part;
}

} // namespace detail

POP_INLINE RawProblem rawProblem(char const *where, RawMatMul product) {
  RawProblem p;
  if (!detail::takesRawRows(product.c)) {
    detail::turnProduct(where, product);
    p.transposed = true;
  }
  detail::checkDistinct(where, product);
  p.product = product;
  planner::MatMulProblem &problem = p.problem;
  problem.g = product.batches, problem.m = product.c.rows, problem.n = product.c.columns;
  problem.k = product.a.columns;
  problem.input = detail::rawType(product.a), problem.output = detail::rawType(product.c);
  p.a.row = product.a.row, p.a.column = product.a.column;
  p.b.row = product.b.row, p.b.column = product.b.column, p.b.panel = product.b.panel;
  normaliseLeft(p.a, problem.m, problem.k);
  if (p.b.panel == 0)
    normaliseRight(p.b, problem.k, problem.n);
  problem.a = layoutOf(p.a), problem.b = layoutOf(p.b);
  return p;
}

POP_INLINE void runRawPlan(RawProblem const &p, planner::MatMulPlan const &plan, unsigned threads,
                           void (*run)(void const *context, RawPart const &part),
                           void const *context) {
  using planner::detail::ceilDiv;
  planner::MatMulProblem const &problem = p.problem;
  std::size_t const m = ceilDiv(problem.m, plan.splitM), rowParts = ceilDiv(problem.m, m);
  std::size_t const n = planner::cpuColumns(problem, plan.splitN);
  std::size_t const columnParts = ceilDiv(problem.n, n), parts = rowParts * columnParts;
  auto const one = [&](std::size_t g, std::size_t x) {
    std::size_t const i = x / columnParts * m, j = x % columnParts * n;
    RawPart part =
        detail::rawPart(p, g, i, std::min(m, problem.m - i), j, std::min(n, problem.n - j));
    part.blocking = plan.blocking();
    part.workspace = threadScratch(kernels::matMulWorkspace(
        part.blocking, part.m, problem.k, part.n, problem.output == planner::MatMulType::FLOAT));
    run(context, part);
  };
  // A slice takes one part of some groups.
  std::size_t const groups = ceilDiv(problem.g, plan.splitG);
  std::size_t const groupParts = ceilDiv(problem.g, groups);
  runSlices(parts * groupParts, threads, [&](std::size_t index) {
    std::size_t const first = index / parts * groups;
    for (std::size_t g = first; g < std::min<std::size_t>(first + groups, problem.g); ++g)
      one(g, index % parts);
  });
}

POP_INLINE void forEachRawPart(char const *where, RawMatMul const &product,
                               void (*run)(void const *context, RawPart const &part),
                               void const *context) {
  detail::checkRawSizes(where, product);
  poputil::builtinIsa(); // the error of a set that the machine lacks
  if (product.c.rows == 0 || product.c.columns == 0 || product.batches == 0)
    return;
  RawProblem const p = rawProblem(where, product);
  unsigned const threads =
      product.threads == 0 ? base::threadBackend().numThreads() : product.threads;
  runRawPlan(p, detail::rawPlan(p.problem, threads), threads, run, context);
}

namespace detail {

template <class In, class Out>
void runRawKernel(kernels::MatMulFunction<In, Out> kernel, RawPart const &part) {
  kernel(argsOf<In, Out>(part), part.blocking, part.workspace);
}

} // namespace detail

POP_INLINE void runRawPart(void const *, RawPart const &part) {
  kernels::MatMulKernels const &table = kernels::activeMatMulKernels();
  using detail::runRawKernel;
  if (part.a.isHalf)
    return part.c.isHalf ? runRawKernel(table.halfToHalf, part)
                         : runRawKernel(table.halfToFloat, part);
  return part.c.isHalf ? runRawKernel(table.floatToHalf, part)
                       : runRawKernel(table.floatToFloat, part);
}

POP_INLINE void checkRaw(char const *where, RawMatrix const &m, char const *name) {
  if (!m.data && m.rows != 0 && m.columns != 0)
    base::fail<::poplar::poplar_error>(where, "'", name, "' of shape [", m.rows, ", ", m.columns,
                                       "] is a null pointer");
}

POP_INLINE std::size_t packedElements(char const *where, std::size_t rows, std::size_t columns) {
  std::size_t const panels = columns / RAW_PANEL + (columns % RAW_PANEL != 0 ? 1 : 0);
  std::size_t row = 0, elements = 0, bytes = 0;
  if (__builtin_mul_overflow(panels, RAW_PANEL, &row) ||
      __builtin_mul_overflow(row, rows, &elements) ||
      __builtin_mul_overflow(elements, sizeof(float) * 2, &bytes))
    base::fail<::poplar::poplar_error>(where, "'b' of shape [", rows, ", ", columns,
                                       "] has too many elements");
  return elements;
}

POP_INLINE float *threadScratch(std::size_t floats) {
  std::vector<float> &scratch = detail::rawThread().scratch;
  if (scratch.size() < floats)
    scratch.resize(floats);
  return scratch.data();
}

POP_INLINE void rawMatMul(RawMatMul const &product) {
  forEachRawPart("poplin::kernels::matMul", product, &runRawPart, nullptr);
}

} // namespace cottonwood::poplin
