#include "OptionErrors.hpp"
#include "Products.hpp"

#include <poplin/ConvPreplan.hpp>
#include <poplin/Fused.hpp>
#include <poputil/exceptions.hpp>

#include <sstream>

TEST_SUITE_BEGIN("poplin/matmul errors");

using namespace products;
using poputil::poplibs_error;

namespace {

/// A graph on the CPU with tensors of any shapes.
struct Fixture {
  Run run{cpu};
  Fixture() { poplin::addCodelets(run.graph); }

  Tensor tensor(Shape const &shape, Type const &type = FLOAT) {
    Tensor const t = run.graph.addVariable(type, shape);
    run.graph.setTileMapping(t, 0);
    return t;
  }
  void product(Tensor const &a, Tensor const &b, Type const &out = FLOAT,
               poplar::OptionFlags const &options = {}) {
    poplin::matMul(run.graph, a, b, run.prog, out, "", options);
  }
  void grouped(Tensor const &a, Tensor const &b) {
    poplin::matMulGrouped(run.graph, a, b, run.prog, FLOAT);
  }
};

} // namespace

TEST_CASE_FIXTURE(Fixture, "ranks and sizes that do not fit are named with their shapes") {
  CHECK_THROWS_WITH_AS(product(tensor({2, 3, 4}), tensor({3, 4})),
                       "poplin::matMul: 'A' has shape [2, 3, 4] of rank 3; it must have rank 2: "
                       "[m, k]",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(product(tensor({3, 4}), tensor({4})),
                       "poplin::matMul: 'B' has shape [4] of rank 1; it must have rank 2: [k, n]",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(product(tensor({3, 4}), tensor({5, 2})),
                       "poplin::matMul: 'A' of shape [3, 4] and 'B' of shape [5, 2] differ in k; "
                       "the columns of A must be as many as the rows of B",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(grouped(tensor({3, 4}), tensor({1, 4, 2})),
                       "poplin::matMulGrouped: 'A' has shape [3, 4] of rank 2; it must have rank "
                       "3: [g, m, k]",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(grouped(tensor({2, 3, 4}), tensor({3, 4, 2})),
                       "poplin::matMulGrouped: 'A' of shape [2, 3, 4] and 'B' of shape [3, 4, 2] "
                       "differ in the number of groups; dimension 0 of both must be equal",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(poplin::transposeGroupedMatrix(tensor({3, 4})),
                       "poplin::transposeGroupedMatrix: 'A' has shape [3, 4] of rank 2; it must "
                       "have rank 3: [g, m, n]",
                       poplibs_error);
}

TEST_CASE_FIXTURE(Fixture, "types other than float and half, and mixed operands, are refused") {
  CHECK_THROWS_WITH_AS(
      product(tensor({2, 3}, poplar::INT), tensor({3, 4}, poplar::INT)),
      "poplin::matMul: the type of A and B is int; it must be float, half or quarter",
      poplibs_error);
  CHECK_THROWS_WITH_AS(product(tensor({2, 3}), tensor({3, 4}, HALF)),
                       "poplin::matMul: 'A' is of type float, 'B' of type half; they must be equal",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(product(tensor({2, 3}), tensor({3, 4}), poplar::INT),
                       "poplin::matMul: the type of the result is int; it must be float or half",
                       poplibs_error);
}

TEST_CASE_FIXTURE(Fixture, "invalid tensors and tensors of another graph are refused") {
  CHECK_THROWS_WITH_AS(product(Tensor(), tensor({3, 4})),
                       "poplin::matMul: 'A' is an invalid tensor", poplibs_error);
  CHECK_THROWS_WITH_AS(product(tensor({3, 4}), Tensor()),
                       "poplin::matMul: 'B' is an invalid tensor", poplibs_error);
  Fixture other;
  CHECK_THROWS_WITH_AS(product(tensor({3, 4}), other.tensor({4, 2})),
                       "poplin::matMul: 'A' and 'B' are tensors of different graphs",
                       poplibs_error);
  CHECK_THROWS_AS(product(other.tensor({3, 4}), other.tensor({4, 2})), poplar::poplar_error);
}

TEST_CASE_FIXTURE(Fixture, "outputs must have the shape of the product and be writeable") {
  auto const into = [this](Tensor out) {
    poplin::matMulWithOutput(run.graph, tensor({2, 3}), tensor({3, 4}), out, run.prog);
  };
  CHECK_THROWS_WITH_AS(into(tensor({4, 2})),
                       "poplin::matMulWithOutput: 'out' has shape [4, 2], but the product has "
                       "shape [2, 4]",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(into(tensor({1, 4}).broadcast(2, 0)),
                       "poplin::matMulWithOutput: 'out' of shape [2, 4] cannot be written: it "
                       "contains aliases",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(into(run.graph.addConstant(FLOAT, {2, 4}, 0.0F)),
                       doctest::Contains("cannot be written"), poplibs_error);
  CHECK_THROWS_WITH_AS(into(Tensor()), "poplin::matMulWithOutput: 'out' is an invalid tensor",
                       poplibs_error);
}

TEST_CASE_FIXTURE(Fixture, "the scale of an accumulating product is one element of A's type") {
  auto const accumulate = [this](Tensor const &k) {
    poplin::matMulAcc(run.graph, tensor({2, 4}), k, tensor({2, 3}), tensor({3, 4}), run.prog);
  };
  CHECK_THROWS_WITH_AS(accumulate(tensor({2})),
                       "poplin::matMulAcc: 'k' has shape [2]; it must have one element",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(accumulate(tensor({1}, HALF)),
                       "poplin::matMulAcc: 'k' is of type half, 'A' of type float; 'k' must be "
                       "float",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(
      poplin::matMulAcc(run.graph, tensor({2, 5}), 1.0F, tensor({2, 3}), tensor({3, 4}), run.prog),
      "poplin::matMulAcc: 'C' has shape [2, 5], but the product has shape [2, 4]", poplibs_error);
}

TEST_CASE_FIXTURE(Fixture, "options are blamed on the function that was given them") {
  poplar::OptionFlags const bad{{"partialType", "half"}};
  auto &g = run.graph;
  auto &prog = run.prog;
  std::ostringstream text;
  poplin::PlanningCache cache;
  poplin::matmul::PlanningCache productCache;
  Shape const aShape{2, 3}, bShape{3, 4}, aShapes{1, 2, 3}, bShapes{1, 3, 4};
  Tensor const a = tensor(aShape), b = tensor(bShape);
  Tensor const as = tensor(aShapes), bs = tensor(bShapes);
  Tensor c = tensor({2, 4}), cs = tensor({1, 2, 4});
  poplin::MatMulPlanParams const params{&g.getTarget(), {FLOAT, FLOAT, aShape, bShape}, &bad};
  auto const expect = [](char const *function, auto const &call) {
    checkBlamed(function, "Unrecognised option 'partialType'; did you mean 'partialsType'?", call);
  };
  using namespace poplin;
  expect("matMul", [&] { matMul(g, a, b, prog, FLOAT, "", bad); });
  expect("matMulWithOutput", [&] { matMulWithOutput(g, a, b, c, prog, "", bad); });
  expect("matMulGrouped", [&] { matMulGrouped(g, as, bs, prog, FLOAT, "", bad); });
  expect("matMulGroupedWithOutput", [&] { matMulGroupedWithOutput(g, as, bs, cs, prog, "", bad); });
  expect("matMulAcc", [&] { matMulAcc(g, c, 1.0F, a, b, prog, "", bad); });
  expect("matMulGroupedAcc", [&] { matMulGroupedAcc(g, cs, 1.0F, as, bs, prog, "", bad); });
  expect("matMulBias",
         [&] { matMulBias(g, a, b, tensor({4}), prog, Activation::NONE, FLOAT, "", bad); });
  expect("createMatMulInputLHS", [&] { createMatMulInputLHS(g, FLOAT, aShape, bShape, "", bad); });
  expect("createMatMulInputRHS", [&] { createMatMulInputRHS(g, FLOAT, aShape, bShape, "", bad); });
  expect("createMatMulOutput", [&] { createMatMulOutput(g, FLOAT, aShape, bShape, "", bad); });
  expect("createMatMulGroupedInputLHS",
         [&] { createMatMulGroupedInputLHS(g, FLOAT, FLOAT, aShapes, bShapes, "", bad); });
  expect("createMatMulGroupedInputRHS",
         [&] { createMatMulGroupedInputRHS(g, FLOAT, FLOAT, aShapes, bShapes, "", bad); });
  expect("createMatMulGroupedOutput",
         [&] { createMatMulGroupedOutput(g, FLOAT, FLOAT, aShapes, bShapes, "", bad); });
  expect("preArrangeMatMulInputRHS",
         [&] { preArrangeMatMulInputRHS(g, aShape, b, prog, FLOAT, "", bad); });
  expect("preArrangeMatMulGroupedInputRHS",
         [&] { preArrangeMatMulGroupedInputRHS(g, aShapes, bs, prog, FLOAT, "", bad); });
  expect("matMulReportPlan", [&] { matMulReportPlan(text, g, FLOAT, FLOAT, aShape, bShape, bad); });
  expect("matMulGroupedReportPlan",
         [&] { matMulGroupedReportPlan(text, g, FLOAT, FLOAT, aShapes, bShapes, bad); });
  expect("preplanMatMuls", [&] { preplanMatMuls({params}, productCache); });
  expect("preplan", [&] { preplan({}, {params}, cache); });
  expect("matMulGetConvPlanParams", [&] {
    MatMulToConvOptions convOptions;
    matMulGetConvPlanParams({params}, convOptions);
  });
  expect("matmulValidateOptions", [&] { matmulValidateOptions(bad); });
}

TEST_CASE_FIXTURE(Fixture, "unknown options and values list what is allowed") {
  auto const with = [this](char const *key, char const *value) {
    product(tensor({2, 3}), tensor({3, 4}), FLOAT, {{key, value}});
  };
  CHECK_THROWS_WITH_AS(
      with("partialType", "half"),
      "poplin::matMul: Unrecognised option 'partialType'; did you mean 'partialsType'?",
      poplar::invalid_option);
  CHECK_THROWS_WITH_AS(with("speed", "1"),
                       doctest::Contains("known options: availableMemoryProportion"),
                       poplar::invalid_option);
  CHECK_THROWS_WITH_AS(with("partialsType", "int"), doctest::Contains("'float', 'half'"),
                       poplar::invalid_option);
  CHECK_THROWS_WITH_AS(with("fullyConnectedPass", "FWD"), doctest::Contains("'TRAINING_BWD'"),
                       poplar::invalid_option);
  CHECK_THROWS_WITH_AS(with("use128BitConvUnitLoad", "1"), doctest::Contains("'true'"),
                       poplar::invalid_option);
  CHECK_THROWS_WITH_AS(with("availableMemoryProportion", "-0.1"), doctest::Contains("at least 0"),
                       poplar::invalid_option);
  CHECK_THROWS_WITH_AS(with("planConstraints", "{\"splitQ\": 2}"), doctest::Contains("splitM"),
                       poplar::invalid_option);
  CHECK_THROWS_WITH_AS(with("planConstraints", "{\"splitM\": \"x\"}"), doctest::Contains("splitM"),
                       poplar::invalid_option);
  auto const refuses = [&](char const *constraints, char const *text) {
    CAPTURE(constraints);
    CHECK_THROWS_WITH_AS(with("planConstraints", constraints), doctest::Contains(text),
                         poplar::invalid_option);
  };
  refuses(R"({"0": {"partition": {"fieldSplit": {"7": 2}}}})",
          "a product has no kernel and a field of one dimension; splits of others are by 2; "
          "allowed: 1");
  refuses(R"({"0": {"partition": {"batchSplit": 4294967296, "fieldSplit": {"0": 4294967296}}}})",
          "must stay below 2^64");
  refuses(R"({"inChansPerGroup": 0})", "'inChansPerGroup' is 0; it must be an integer from 1");
  CHECK_THROWS_WITH_AS(with("planConstraints", R"({"0": {"partition": {"convGroupSplit": 0}}})"),
                       doctest::Contains("splitG = 0 is not possible; allowed: 1"), poplibs_error);
  for (char const *number : {"0.6x", "1,5", "0x10", "", " 1"})
    CHECK_THROWS_WITH_AS(with("availableMemoryProportion", number),
                         doctest::Contains("Not a valid number"), poplar::invalid_option);
  CHECK_THROWS_WITH_AS(with("availableMemoryProportion", "1e999"),
                       doctest::Contains("Value must be at least 0 and finite"),
                       poplar::invalid_option);
  CHECK_THROWS_WITH_AS(with("planConstraints", "splitM"), doctest::Contains("planConstraints"),
                       poplar::invalid_option);
  CHECK_THROWS_WITH_AS(with("planConstraints", "{\"splitK\": 2}"),
                       doctest::Contains("splitK = 1 but 2 is forced"), poplibs_error);
  CHECK_THROWS_WITH_AS(with("planConstraints", "{\"splitM\": 3}"),
                       "poplin::matMul: the constraints admit no plan (splitM = 3 is not possible; "
                       "allowed: 1 to 2)",
                       poplibs_error);
  CHECK_NOTHROW(
      poplin::matmulValidateOptions({{"partialsType", "half"}, {"gatherOutput", "true"}}));
  CHECK_THROWS_AS(poplin::matmulValidateOptions({{"x", "y"}}), poplar::invalid_option);
}

TEST_CASE("without poplin::addCodelets the error names the call") {
  Run run(cpu);
  Tensor const a = run.input(FLOAT, {2, 2}, {1, 2, 3, 4});
  CHECK_THROWS_WITH(poplin::matMul(run.graph, a, a, run.prog),
                    doctest::Contains("poplin::addCodelets"));
}

TEST_SUITE_END();
