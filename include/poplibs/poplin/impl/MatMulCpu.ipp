#pragma once

#include <poplin/impl/CpuEmitter.hpp>
#include <poplin/impl/MatMulEmit.hpp>
#include <poplin/impl/MatMulOperand.hpp>
#include <poplin/impl/MatMulPlanning.hpp>
#include <popops/Reduce.hpp>
#include <poputil/VertexTemplates.hpp>

#include <optional>
#include <vector>

namespace cottonwood::poplin {

namespace detail {

/// Emits one product as vertices on tile 0 that read their operands in place.
class CpuMatMulEmitter : CpuEmitter {
public:
  CpuMatMulEmitter(::poplar::Graph &graph, MatMulJob const &job, ::poplar::program::Sequence &prog,
                   ::poplar::DebugContext const &debugContext)
      : CpuEmitter(graph, prog, debugContext), job_(job), where_(job.where) {}

  void run() {
    chooseOutput();
    a_ = operand(job_.a, "a");
    b_ = rightOperand(job_.b, "b");
    straighten();
    addVertices();
    if (copyTo_.valid())
      prog_.add(::poplar::program::Copy(job_.out, copyTo_, false, debugContext_));
  }

private:
  static Tensor transposed(Tensor const &t) { return t.dimShuffle({0, 2, 1}); }

  /// Vertices write rows of the result. Where these are not contiguous but the columns are, the
  /// transposed product is computed, C^T = B^T * A^T; else the result is copied in the end.
  void chooseOutput() {
    Tensor const out = job_.out;
    if (takesRows(out))
      return;
    if (takesRows(transposed(out))) {
      transposed_ = true;
      std::swap(job_.a, job_.b);
      for (Tensor *t : {&job_.a, &job_.b, &job_.out})
        *t = transposed(*t);
      return;
    }
    copyTo_ = out;
    job_.out = variable(out.elementType(), out.shape(), "out");
  }

  /// Vertices can write rows of the result where they are; a single column as a whole only.
  bool takesRows(Tensor const &out) const {
    auto const strided = stridedOperand(graph_, out);
    if (!strided)
      return false;
    return out.dim(2) == 1 ? strided->row == 1 || out.dim(1) == 1 : strided->column == 1;
  }

  StridedOperand copied(Tensor const &t, char const *name) {
    Tensor const copy = variable(t.elementType(), t.shape(), name);
    prog_.add(::poplar::program::Copy(t, copy, false, debugContext_));
    return *stridedOperand(graph_, copy);
  }

  /// The operand in place, or a copy where it has no strides or lies between elements that are
  /// written at the same time.
  StridedOperand operand(Tensor const &t, char const *name) {
    auto strided = stridedOperand(graph_, t);
    if (strided && !strided->run.intersectsWith(job_.out))
      return *strided;
    return copied(t, name);
  }

  /// The same for B, which may lie in panels.
  StridedOperand rightOperand(Tensor const &t, char const *name) {
    auto panels = panelOperand(graph_, t);
    if (panels && !panels->run.intersectsWith(job_.out))
      return *panels;
    return operand(t, name);
  }

  /// A single row or column is worth a copy that makes it contiguous.
  void straighten() {
    std::size_t const m = job_.a.dim(1), k = job_.a.dim(2), n = job_.b.dim(2);
    if (m == 1 && k > 1 && a_.column != 1)
      a_ = copied(job_.a, "a");
    if (n == 1 && k > 1 && b_.row != 1)
      b_ = copied(job_.b, "b");
    normaliseLeft(a_, m, k);
    normaliseRight(b_, k, n);
  }

  void addVertices() {
    planner::MatMulProblem problem = job_.problem();
    problem.a = layoutOf(a_), problem.b = layoutOf(b_);
    plan_ = planMatMul(where_, graph_.getTarget(), problem, job_.options, job_.cache).plan;
    sums_ = job_.out;
    if (plan_.splitK != 1) {
      auto shape = job_.out.shape();
      shape.insert(shape.begin(), plan_.splitK);
      sums_ = variable(::poplar::FLOAT, shape, "partials");
    }
    auto const in = job_.a.elementType(), out = sums_.elementType();
    type_ = ::poputil::templateVertex("poplin::MatMul", in, out);
    if (job_.epilogue) {
      type_ = epilogueVertex("poplin::MatMulWith", in, out, *job_.epilogue);
      epilogue_.emplace(graph_, *job_.epilogue, job_.operands, job_.out, prog_, debugContext_);
    }
    cs_ = graph_.addComputeSet(debugContext_);
    using planner::detail::ceilDiv;
    // A vertex takes a single column as one region only, so that groups which are not contiguous
    // become vertices of their own.
    bool const wholeGroups = plan_.splitM == 1 && sums_.isContiguous();
    std::uint64_t const g = problem.n == 1 && !wholeGroups ? 1 : ceilDiv(problem.g, plan_.splitG),
                        m = ceilDiv(problem.m, plan_.splitM),
                        n = planner::cpuColumns(problem, plan_.splitN);
    for (std::uint64_t part = 0; part < plan_.splitK; ++part)
      for (std::uint64_t x = 0; x < problem.g; x += g)
        for (std::uint64_t i = 0; i < problem.m; i += m)
          for (std::uint64_t j = 0; j < problem.n; j += n)
            addVertex({x, i, j},
                      {std::min(x + g, problem.g), std::min(i + m, problem.m),
                       std::min(j + n, problem.n)},
                      part);
    prog_.add(::poplar::program::Execute(cs_, debugContext_));
    if (plan_.splitK != 1)
      ::popops::reduceWithOutput(graph_, sums_, job_.out, {0}, ::popops::Operation::ADD, prog_,
                                 debugContext_);
  }

  /// The part [begin, end) of the result, or of a part of its sums.
  void addVertex(std::array<std::size_t, 3> begin, std::array<std::size_t, 3> end,
                 std::size_t part) {
    bool const whole = plan_.splitK == 1;
    Tensor const c = (whole ? sums_ : sums_[part]).slice(begin, end);
    std::size_t const depth = whole ? job_.a.dim(2) : planner::cpuDepth(job_.problem());
    std::size_t const first = part * depth;
    std::size_t const m = c.dim(1), k = std::min(depth, job_.a.dim(2) - first);
    auto const v = graph_.addVertex(cs_, type_, {{"a", a_.run}, {"b", b_.run}});
    auto const blocking = plan_.blocking();
    std::size_t const scratch =
        kernels::matMulWorkspace(blocking, m, k, c.dim(2), c.elementType() == ::poplar::FLOAT);
    graph_.connect(v["workspace"],
                   variable(::poplar::FLOAT, {std::max<std::size_t>(scratch, 1)}, "workspace"));
    connectOutput(v, c);
    auto const at = [](std::size_t x) { return static_cast<std::int64_t>(x); };
    setOperand(v, "a", a_,
               a_.offset + at(begin[0]) * a_.batch + at(begin[1]) * a_.row + at(first) * a_.column);
    std::int64_t const column =
        b_.panel == 0 ? at(begin[2]) * b_.column : at(begin[2] / kernels::MATMUL_PANEL) * b_.panel;
    setOperand(v, "b", b_, b_.offset + at(begin[0]) * b_.batch + at(first) * b_.row + column);
    set(v, "bPanel", b_.panel);
    set(v, "m", m), set(v, "n", c.dim(2)), set(v, "k", k), set(v, "batches", c.dim(0));
    set(v, "method", static_cast<std::size_t>(blocking.method));
    set(v, "blockRows", blocking.rows), set(v, "blockDepth", blocking.depth);
    set(v, "packA", blocking.packA), set(v, "packB", blocking.packB);
    set(v, "blockColumns", blocking.columns), set(v, "panelsA", blocking.panelsA);
    if (epilogue_)
      epilogue_->setFields(
          v, {number(begin[0]), number(begin[1]), number(begin[2]), transposed_ ? 1U : 0U});
    graph_.setTileMapping(v, 0);
  }

  static unsigned number(std::size_t x) { return static_cast<unsigned>(x); }

  void connectOutput(::poplar::VertexRef const &v, Tensor const &c) {
    if (c.isContiguous()) {
      graph_.setFieldSize(v["c"], 1);
      graph_.connect(v["c"][0], c.flatten());
      return;
    }
    Tensor const rows = c.flatten(0, 2);
    graph_.setFieldSize(v["c"], rows.dim(0));
    for (std::size_t i = 0; i != rows.dim(0); ++i)
      graph_.connect(v["c"][i], rows[i]);
  }

  void setOperand(::poplar::VertexRef const &v, std::string const &name,
                  StridedOperand const &operand, std::int64_t offset) {
    set(v, name + "Offset", offset), set(v, name + "Batch", operand.batch);
    set(v, name + "Row", operand.row), set(v, name + "Column", operand.column);
  }

  MatMulJob job_;
  Tensor sums_;             ///< what vertices write: the result, or [parts of K] of it
  Tensor copyTo_;           ///< invalid: the result is written in place
  bool transposed_ = false; ///< the transposed product is computed
  std::optional<EpilogueEmitter> epilogue_;
  char const *where_;
  StridedOperand a_, b_;
  planner::MatMulPlan plan_;
  std::string type_;
  ::poplar::ComputeSet cs_;
};

} // namespace detail

POP_INLINE void emitMatMulCpu(::poplar::Graph &graph, MatMulJob const &job,
                              ::poplar::program::Sequence &prog,
                              ::poplar::DebugContext const &debugContext) {
  detail::CpuMatMulEmitter(graph, job, prog, debugContext).run();
}

} // namespace cottonwood::poplin
