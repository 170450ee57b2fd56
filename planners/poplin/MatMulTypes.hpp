// A matrix product as planners see it: the problem, the machine and the plan.
#pragma once

#include "TileTypes.hpp"

#include <codelets/poplin/MatMulCost.hpp>

#include <cstdint>

namespace cottonwood::planner {

/// How an operand lies in memory, as far as kernels care.
enum class MatMulLayout : std::uint32_t {
  ROWS,    ///< values of one row side by side
  COLUMNS, ///< values of one column side by side
  STRIDED, ///< neither
  PANELS   ///< kernels::MATMUL_PANEL values of a row side by side, rows of a panel one by one
};
template <> struct EnumNames<MatMulLayout> {
  static constexpr std::string_view names[] = {"rows", "columns", "strided", "panels"};
};

template <> struct EnumNames<kernels::MatMulMethod> {
  static constexpr std::string_view names[] = {"blocked", "rows", "column", "dot", "amx6",
                                               "amx4",    "amx3", "amx1",   "fp16"};
};

/// C[g, m, n] = sum over k of A[g, m, k] * B[g, k, n]; all sizes above 0.
struct MatMulProblem {
  static constexpr std::string_view NAME = "matmul-problem";
  std::uint64_t g = 1, m = 1, k = 1, n = 1;
  MatMulType input = MatMulType::FLOAT, output = MatMulType::FLOAT, partials = MatMulType::FLOAT;
  MatMulLayout a = MatMulLayout::ROWS, b = MatMulLayout::ROWS;

  template <class Self, class Visit> static void fields(Self &self, Visit &&visit) {
    visit("g", self.g);
    visit("m", self.m);
    visit("k", self.k);
    visit("n", self.n);
    visit("input", self.input);
    visit("output", self.output);
    visit("partials", self.partials);
    visit("a", self.a);
    visit("b", self.b);
  }
  friend bool operator==(MatMulProblem const &, MatMulProblem const &) = default;
};

/// How the product is cut into vertices, and how a CPU kernel walks through each of them. Parts are
/// equal but for the last: part i of s takes the sizes [i * ceil(n / s), ...); columns on a CPU are
/// cut between whole vectors, see cpuColumns().
struct MatMulPlan {
  static constexpr std::string_view NAME = "matmul";
  std::uint64_t splitG = 1, splitM = 1, splitN = 1;
  std::uint64_t splitK = 1; ///< above 1: partial products are added afterwards
  kernels::MatMulMethod method = kernels::MatMulMethod::BLOCKED; ///< on CPUs
  std::uint32_t rows = 0, depth = 0;                             ///< on CPUs: MatMulBlocking
  bool packA = false, packB = false;                             ///< on CPUs
  std::uint32_t columns = 0;                                     ///< on CPUs
  bool panelsA = false;                                          ///< on CPUs

  template <class Self, class Visit> static void fields(Self &self, Visit &&visit) {
    visit("splitG", self.splitG);
    visit("splitM", self.splitM);
    visit("splitN", self.splitN);
    visit("splitK", self.splitK);
    visit("method", self.method);
    visit("rows", self.rows);
    visit("depth", self.depth);
    visit("packA", self.packA);
    visit("packB", self.packB);
    visit("columns", self.columns);
    visit("panelsA", self.panelsA);
  }
  friend bool operator==(MatMulPlan const &, MatMulPlan const &) = default;

  kernels::MatMulBlocking blocking() const {
    return {method, rows, depth, packA ? 1U : 0U, packB ? 1U : 0U, columns, panelsA ? 1U : 0U};
  }
};

/// What a CPU plan depends on besides the problem: nothing of it but what the instruction set has
/// changes a bit of the result.
struct MatMulCpu {
  unsigned threads = 1;
  isa::Tiles tiles = isa::Tiles::None; ///< of the instruction set of the kernels
  bool halfArithmetic = false;         ///< without tiles
  kernels::MatMulCaches caches; ///< of one core; the last cache as far as one thread may use it
  bool wholeDepth = false;      ///< nobody adds partial products
};

/// A plan with its reasons.
struct MatMulChoice {
  MatMulPlan plan; ///< on CPUs
  Cost cost;
  std::string explanation; ///< one line a candidate
  TileChoice tiles = {};   ///< on IPUs
};

} // namespace cottonwood::planner
