// Values that an enumeration does not have.
#include "../poplar/graph/Refusals.hpp"
#include "Harness.hpp"

#include <popops/Expr.hpp>
#include <popops/ExprOpUtils.hpp>
#include <popops/Kernels.hpp>
#include <popops/Operation.hpp>
#include <popops/Pad.hpp>
#include <popops/PerformanceEstimation.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/TopK.hpp>
#include <poputil/exceptions.hpp>

#include <sstream>

TEST_SUITE_BEGIN("popops/enumerators");

using namespace harness;
using namespace popops;
using expr::BinaryOpType;
using expr::TernaryOpType;
using expr::UnaryOpType;
using poplar::BOOL;
using poplar::FLOAT;
using poplar::Tensor;

namespace {

std::string const UNARY = "UnaryOpType # does not exist; allowed: 0 to 33";
std::string const BINARY = "BinaryOpType # does not exist; allowed: 0 to 25";
std::string const OPERATION =
    "Operation # does not exist; allowed: ADD, MUL, MIN, MAX, LOGICAL_AND, LOGICAL_OR, "
    "SQUARE_ADD, LOG_ADD";
std::string const ORDER = "SortOrder # does not exist; allowed: NONE, ASCENDING, DESCENDING";
std::string const METHOD = "MappingMethod # does not exist; allowed: NONE, ZERO, EDGE";
std::string const PADDING = "padding::Type # does not exist; allowed: EDGE, REFLECT";

} // namespace

TEST_CASE("kernels refuse operations that do not exist") {
  float x[4] = {}, y[4] = {};
  bool b[4] = {}, all[1] = {};
  checkRefusals<poplar::poplar_error>({
      {34, "popops::kernels::map: " + UNARY,
       [&](int op) { popops::kernels::map(UnaryOpType(op), y, 4, x); }},
      {26, "popops::kernels::map: " + BINARY,
       [&](int op) { popops::kernels::map(BinaryOpType(op), y, 4, x, x); }},
      {2, "popops::kernels::map: TernaryOpType # does not exist; allowed: 0 to 1",
       [&](int op) { popops::kernels::map(TernaryOpType(op), y, 4, x, x, b); }},
      {8, "popops::kernels::reduce: " + OPERATION,
       [&](int op) {
         popops::kernels::reduce(Operation(op), y, {1, 4, 1}, x);
       }},
      {8, "popops::kernels::reduce: " + OPERATION,
       [&](int op) {
         popops::kernels::reduce(Operation(op), all, {1, 4, 1}, b);
       }},
  });
}

TEST_CASE("operations of a graph refuse values that no enumerator has") {
  Run run(cpu);
  poplar::Graph &graph = run.graph;
  Tensor const t = run.input(FLOAT, {2, 3}, Values(6)), b = run.input(BOOL, {6}, Values(6));
  auto const params = [](int order) { return TopKParams(2, true, SortOrder(order)); };
  checkRefusals<poputil::poplibs_error>({
      {8, "popops::reduce: " + OPERATION,
       [&](int op) { reduce(graph, t, {0}, {Operation(op)}, run.prog); }},
      {8, "popops::reduce: " + OPERATION,
       [&](int op) { reduce(graph, b, {0}, {Operation(op)}, run.prog); }},
      {3, "popops::topK: " + ORDER, [&](int x) { topK(graph, run.prog, t, params(x)); }},
      {3, "popops::topKWithPermutation: " + ORDER,
       [&](int x) { topKWithPermutation(graph, run.prog, t, params(x)); }},
      {3, "popops::topKKeyValue: " + ORDER,
       [&](int x) { topKKeyValue(graph, run.prog, t, t, params(x)); }},
      {3, "popops::createTopKInput: " + ORDER,
       [&](int x) {
         createTopKInput(graph, FLOAT, {2, 3}, params(x));
       }},
      {3, "popops::pad: " + METHOD,
       [&](int x) {
         pad(graph, t, {1, 1}, {1, 1}, 0.0F, padding::MappingMethod(x));
       }},
      {3, "popops::pad: " + METHOD,
       [&](int x) { pad(graph, t, 1, 1, 0, 0, padding::MappingMethod(x)); }},
      {3, "popops::pad: " + METHOD,
       [&](int x) { pad(graph, t, 1, 1, 0, t[0][0], padding::MappingMethod(x)); }},
      {2, "popops::pad: " + PADDING, [&](int x) { pad(t, 1, 1, 0, padding::Type(x)); }},
      {2, "popops::pad: " + PADDING,
       [&](int x) {
         pad(t, {0, 0}, {1, 1}, padding::Type(x));
       }},
      {2,
       "popops::scaledAddTo: ScaledAddSpecialisation # does not exist; allowed: DEFAULT, "
       "X_MINUS_AX_PLUS_BY",
       [&](int x) { scaledAddTo(graph, t, 2.0F, t, 3.0F, run.prog, ScaledAddSpecialisation(x)); }},
      {3,
       "poputil::TensorUseTracker::resolve: MappingMethod # does not exist; allowed: "
       "OptimizeHaloRegions, ConstrainMappingToUsedTiles, None",
       [&](int x) {
         poputil::TensorUseTracker(1).resolve(graph, 1, 1, false,
                                              poputil::TensorUseTracker::MappingMethod(x));
       }},
  });
}

TEST_CASE("so do estimates and names") {
  auto const target = cpu().getTarget();
  using internal::ScaledArithmeticOp;
  checkRefusals<poputil::poplibs_error>({
      {4,
       "popops::internal::getScaledArithmeticSupervisorCycleEstimate: ScaledArithmeticOp # does "
       "not exist; allowed: ADD, SUBTRACT, AXPLUSBY, AXMINUSBY",
       [&](int op) {
         internal::getScaledArithmeticSupervisorCycleEstimate({target, FLOAT}, FLOAT, FLOAT, false,
                                                              ScaledArithmeticOp(op), {}, {}, 4);
       }},
      {26, "popops::internal::broadcastArithmetic1DCycleEstimate: " + BINARY,
       [&](int op) {
         internal::broadcastArithmetic1DCycleEstimate(target, BinaryOpType(op), FLOAT, FLOAT, true,
                                                      4);
       }},
      {34, "popops::expr: " + UNARY,
       [](int op) { std::ostringstream() << expr::UnaryOp(UnaryOpType(op), expr::_1); }},
      {26, "popops::expr: " + BINARY,
       [](int op) { expr::BinaryOp(BinaryOpType(op), expr::Const(1), expr::Const(2)).name({}); }},
      {8, "popops::Operation: " + OPERATION, [](int op) { std::ostringstream() << Operation(op); }},
      {3, "popops::operator<<: " + ORDER, [](int x) { std::ostringstream() << SortOrder(x); }},
  });
}

TEST_SUITE_END();
