#include "Harness.hpp"

#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <popops/ExprOpUtils.hpp>
#include <popops/Operation.hpp>
#include <popops/OperationDefUtil.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/Graph.hpp>
#include <poplar/IeeeHalf.hpp>

#include <doctest/doctest.h>

#include <sstream>

TEST_SUITE_BEGIN("popops/expr");

using namespace popops::expr;

namespace {

std::string text(Expr const &expr) {
  std::ostringstream os;
  os << expr;
  return os.str();
}

} // namespace

TEST_CASE("an expression prints one node a line") {
  CHECK(text(_1 * Const(2.5f) + Neg(_2)) ==
        "Add(\n  Multiply(\n    PlaceHolder(1),\n    Const(2.5f)\n  ),\n"
        "  Negate(\n    PlaceHolder(2)\n  )\n)");
  std::ostringstream os;
  Cast(_1, poplar::HALF).print(os, 0, false);
  CHECK(os.str() == "Cast(half,PlaceHolder(1))");
}

TEST_CASE("constants print by their type") {
  CHECK(Const(2.f).printValue() == "2.f");
  CHECK(Const(0.1f).printValue() == "0.100000001f");
  CHECK(Const(-3).printValue() == "-3");
  CHECK(Const(true).printValue() == "1");
  CHECK(Const(~0ULL).printValue() == "18446744073709551615");
  CHECK(ConstHalf(0.5f).printValue() == "0.5");
  CHECK((1.5_half).getType() == poplar::HALF);
}

TEST_CASE("names are identifiers and differ with types and structure") {
  auto graph = poplar::Graph(poplar::Target::createCPUTarget());
  std::vector<poplar::Tensor> ts{graph.addVariable(poplar::FLOAT, {2}),
                                 graph.addVariable(poplar::UNSIGNED_INT, {2})};
  CHECK(Add(_1, Const(-1.5f)).name(ts) == "ADDu_float_1__m1z5f_d");
  CHECK(Cast(_2, poplar::HALF).name(ts) == "Cast_uint_2__half");
  CHECK_THROWS_WITH_AS(
      Abs(_3).name(ts),
      "popops::expr::PlaceHolder: _3 stands for none of 2 tensors; they count from _1",
      poputil::poplibs_error);
}

TEST_CASE("equality is structural") {
  CHECK(deepEquals(_1 + Const(1.f), Add(_1, Const(1.f))));
  CHECK_FALSE(deepEquals(_1 + Const(1.f), _1 + Const(1)));
  CHECK_FALSE(deepEquals(_1 + _2, _2 + _1));
  CHECK_FALSE(deepEquals(Cast(_1, poplar::HALF), Cast(_1, poplar::FLOAT)));
}

TEST_CASE("Any carries an expression through a loop") {
  Any e = _1;
  for (int i = 0; i != 2; ++i)
    e = Mul(e, _2);
  CHECK(deepEquals(e, Mul(Mul(_1, _2), _2)));
  Any copy = e;
  e = Any(_3);
  CHECK(deepEquals(copy, Mul(Mul(_1, _2), _2)));
}

TEST_CASE("nodes are values: a copy outlives and outgrows its source") {
  Cast a(_1, poplar::HALF);
  Cast b(_2, poplar::FLOAT);
  b = a;
  CHECK(deepEquals(a, b));
  BinaryOp sum = _1 + _2, product = _1 * _2;
  sum = product;
  CHECK(deepEquals(sum, _1 * _2));
}

TEST_CASE("operators accept numbers of C++ types on either side") {
  CHECK(deepEquals(2 - _1, Sub(Const(2), _1)));
  CHECK(deepEquals(_1 < 2.f, Lt(_1, Const(2.f))));
  CHECK(deepEquals(_1 % 8u, Rem(_1, Const(8u))));
  CHECK(deepEquals(!(_1 && ~_2), Not(And(_1, BitwiseNot(_2)))));
  CHECK(deepEquals(_1 << 3, Shl(_1, Const(3))));
}

TEST_CASE("values of constants read back, without silent loss") {
  CHECK(Const(poplar::IeeeHalf(0.25f)).getDataAsDouble() == 0.25);
  CHECK(Const(-7LL).getDataAsDouble() == -7);
  CHECK_THROWS_AS(Const((1LL << 53) + 1).getDataAsDouble(), poputil::poplibs_error);
  CHECK(Const(5u).getDataForUnsignedIntegral() == 5);
  CHECK_THROWS_AS(Const(5).getDataForUnsignedIntegral(), poputil::poplibs_error);
}

TEST_CASE("operations print their names") {
  using namespace popops::expr::ostream_ext;
  std::ostringstream os;
  os << UnaryOpType::LOGARITHM_ONE_PLUS << " " << BinaryOpType::SHIFT_RIGHT_SIGN_EXTEND << " "
     << TernaryOpType::SELECT;
  CHECK(os.str() == "LogarithmOnePlus ShiftRightSignExtend Select");
  CHECK(poputil::templateVertex("V", BinaryOpType::ADD) == "V<popops::expr::BinaryOpType::ADD>");
}

TEST_CASE("reduction operations read and write their names") {
  std::istringstream is("SQUARE_ADD NONSENSE");
  popops::Operation op;
  is >> op;
  CHECK(op == popops::Operation::SQUARE_ADD);
  CHECK(poputil::templateVertex("V", op) == "V<popops::Operation::SQUARE_ADD>");
  CHECK(std::string(poputil::asString(op)) == "Square Add");
  CHECK_THROWS_WITH_AS(is >> op,
                       "popops::Operation: 'NONSENSE' is not an operation; allowed: ADD, MUL, MIN, "
                       "MAX, LOGICAL_AND, "
                       "LOGICAL_OR, SQUARE_ADD, LOG_ADD",
                       poputil::poplibs_error);
}

TEST_CASE("expressions nest up to a depth, and deeper ones are an error") {
  harness::Run run(harness::cpu);
  poplar::Tensor const t = run.input(poplar::FLOAT, {2}, {-1, 2});
  Any deep = _1;
  for (unsigned i = 0; i != 300; ++i)
    deep = Abs(deep);
  auto const out = run.output(popops::map(run.graph, deep, {t}, run.prog));
  Any deepest = deep;
  for (unsigned i = 301; i != 1000; ++i)
    deepest = Abs(deepest);
  CHECK_THROWS_WITH_AS(popops::map(run.graph, Abs(deepest), {t}, run.prog),
                       "popops::map: the expression is nested deeper than 1000 operations; compute "
                       "parts of it on their own",
                       poputil::poplibs_error);
  run.run();
  CHECK(run.values(out) == harness::Values{1, 2});
}

TEST_SUITE_END();
