// That our contender computes what the families ask for, in every form and layout.
#include <bench/poplin/Bed.hpp>
#include <bench/poplin/Ours.hpp>
#include <bench/poplin/PlanSpace.hpp>

#include <doctest/doctest.h>

using namespace cottonwood::bench;

namespace {

void check(Problem const &problem, unsigned threads = 1) {
  CAPTURE(nameOf(problem));
  Ours ours(threads);
  REQUIRE(ours.prepare(problem));
  bool const half = elementOfC(problem) == Element::HALF;
  CHECK(ours.result() == (half ? Result::HALF : Result::FLOAT));
  double const allowed = allowedErrorOf(problem, half);
  CHECK(worstError(referenceOf(problem), ours.sample()) <= allowed);
  ours.setBatch(3);
  CHECK(ours.runBatch() > 0);
  CHECK(worstError(referenceOf(problem), ours.sample()) <= allowed);
}

} // namespace

TEST_SUITE("bench/ours") {
  TEST_CASE("products of every form") {
    for (bool half : {false, true})
      for (bool transposedA : {false, true})
        for (bool transposedB : {false, true})
          for (bool constantB : {false, true})
            for (std::size_t batch : {1, 3}) {
              Product product{.half = half, .batch = batch, .m = 17, .n = 40, .k = 33};
              product.transposedA = transposedA, product.transposedB = transposedB;
              product.constantB = constantB;
              check(product);
            }
    check(Product{.half = true, .halfPartials = true, .m = 20, .n = 30, .k = 50}, 2);
    check(Product{.m = 1, .n = 100, .k = 50}, 2);
  }

  TEST_CASE("convolutions of every pass in both layouts") {
    constexpr Conv CONVS[] = {
        {.batch = 2, .in = 5, .out = 7, .size = 6, .kernel = 3},
        {.batch = 1, .in = 3, .out = 16, .size = 9, .kernel = 7, .stride = 2},
        {.batch = 2, .groups = 20, .size = 5, .kernel = 3, .stride = 2},
        {.batch = 1, .groups = 2, .in = 4, .out = 6, .size = 5},
    };
    for (Conv conv : CONVS)
      for (Conv::Pass pass :
           {Conv::Pass::FORWARD, Conv::Pass::DATA_GRADIENT, Conv::Pass::WEIGHT_GRADIENT})
        for (Conv::Layout layout : {Conv::Layout::OWN, Conv::Layout::PLAIN})
          for (bool half : {false, true}) {
            conv.pass = pass, conv.layout = layout, conv.half = half;
            check(conv);
          }
  }

  TEST_CASE("operations over arrays of every function") {
    for (bool half : {false, true})
      for (int i = 0; i <= static_cast<int>(ArrayOp::Function::TRANSPOSE); ++i) {
        auto const function = static_cast<ArrayOp::Function>(i);
        bool const cast = nameOf(function).starts_with("cast");
        if (half && cast)
          continue;
        bool const flat = function < ArrayOp::Function::SUM || cast;
        check(ArrayOp{.function = function,
                      .half = half,
                      .outer = flat || nameOf(function).ends_with("softmax") ? 1U : 3U,
                      .rows = flat ? 1U : 5U,
                      .columns = function == ArrayOp::Function::ARG_MAX ? 1U : 70U}, // of rows
              2);
      }
    check(ArrayOp{.function = ArrayOp::Function::SUM, .rows = 1000}, 2);
    check(ArrayOp{.function = ArrayOp::Function::MAX_OF, .outer = 20, .rows = 100}, 2);
  }

  TEST_CASE("the library's reports of plans can be read, and it has some of the plans to try") {
    for (Case const &next : selected(planCases(), {.set = Set::Smoke})) {
      CAPTURE(nameOf(next.problem));
      auto const reportWith = [&](poplar::OptionFlags const &options) {
        return parsePlanReport(
            with(next.problem, [&](auto const &p) { return planReportOf(p, options); }));
      };
      PlanReport const chosen = reportWith({});
      CHECK(chosen.cycles > 0);
      unsigned others = 0;
      for (std::string const &constraints : constraintsFor(next.problem, chosen.plan)) {
        try {
          others += reportWith({{"planConstraints", constraints}}).plan != chosen.plan;
        } catch (std::runtime_error const &) {
          // it has no such plan
        }
      }
      CHECK(others > 0);
    }
  }
}
