#include "../popops/Harness.hpp"

#include <popnn/Loss.hpp>
#include <popnn/codelets.hpp>
#include <popops/EncodingConstants.hpp>
#include <poputil/exceptions.hpp>

TEST_SUITE_BEGIN("popnn/loss");

using namespace harness;
using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::Tensor;
using poplar::UNSIGNED_INT;
using poputil::poplibs_error;

namespace {

// Rows of probabilities.
Values probabilities(poplar::Type const &type, std::size_t rows, std::size_t classes,
                     Numbers &numbers) {
  Values values = numbers.real(type, rows * classes, 0.1, 1);
  for (std::size_t row = 0; row != rows; ++row) {
    double sum = 0;
    for (std::size_t c = 0; c != classes; ++c)
      sum += values[row * classes + c];
    for (std::size_t c = 0; c != classes; ++c)
      values[row * classes + c] = rounded(type, values[row * classes + c] / sum);
  }
  return values;
}

} // namespace

TEST_CASE("cross entropy and sum of squares with their gradients and the accuracy") {
  onDevices([](DeviceMaker const &device) {
    std::size_t const rows = 23, classes = 11;
    Run run(device);
    popnn::addCodelets(run.graph);
    Numbers numbers;
    struct Result {
      std::size_t output;
      Values expected;
      double epsilon;
    };
    std::vector<Result> results;
    for (poplar::Type const &type : {FLOAT, HALF})
      for (poplar::Type const &labelType : {UNSIGNED_INT, INT})
        for (bool crossEntropy : {true, false}) {
          Values const o = probabilities(type, rows, classes, numbers);
          Values labels = numbers.integer(rows, 0, classes - 1), loss(rows, 0),
                 deltas(rows * classes, 0);
          double correct = 5;
          labels[3] = labelType == INT ? -1 : 4294967295.0; // takes no part
          for (std::size_t r = 0; r != rows; ++r) {
            if (r == 3)
              continue;
            std::size_t best = 0;
            for (std::size_t c = 0; c != classes; ++c) {
              double const x = o[r * classes + c], hot = labels[r] == static_cast<double>(c);
              best = x > o[r * classes + best] ? c : best;
              deltas[r * classes + c] = x - hot;
              loss[r] += crossEntropy ? (hot != 0 ? -std::log(x) : 0) : 0.5 * (x - hot) * (x - hot);
            }
            correct += static_cast<double>(best) == labels[r];
          }
          Tensor const outputs = run.input(type, {rows, classes}, o),
                       expected = run.input(labelType, {rows}, labels);
          Tensor const lossTensor = run.input(type, {rows}, Values(rows, 9));
          Tensor const deltaTensor = run.input(type, {rows, classes}, Values(rows * classes, 9));
          Tensor const numCorrect = run.input(UNSIGNED_INT, {}, {5});
          run.prog.add(popnn::calcLoss(
              run.graph, outputs, expected, lossTensor, deltaTensor, numCorrect,
              crossEntropy ? popnn::CROSS_ENTROPY_LOSS : popnn::LossType::SUM_SQUARED_LOSS));
          results.push_back({run.output(lossTensor), loss, 4 * epsilonOf(type)});
          results.push_back({run.output(deltaTensor), deltas, 4 * epsilonOf(type)});
          results.push_back({run.output(numCorrect), {correct}, 0});
        }
    run.run();
    for (std::size_t i = 0; i != results.size(); ++i) {
      CAPTURE(i);
      checkClose(run.values(results[i].output), results[i].expected, results[i].epsilon,
                 static_cast<double>(classes), 1);
    }
  });
}

TEST_CASE("scales of the deltas and of the model's outputs") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    popnn::addCodelets(run.graph);
    Tensor const outputs = run.input(HALF, {1, 2}, {100, 300}),
                 expected = run.input(UNSIGNED_INT, {1}, {0});
    Tensor const loss = run.input(HALF, {1}, {0}), deltas = run.input(HALF, {1, 2}, {0, 0});
    Tensor const s = run.input(FLOAT, {}, {8}), m = run.input(HALF, {1}, {400});
    run.prog.add(popnn::calcLoss(run.graph, outputs, expected, loss, deltas, s, m,
                                 popnn::CROSS_ENTROPY_LOSS));
    std::size_t const outLoss = run.output(loss), outDeltas = run.output(deltas);
    run.run();
    checkClose(run.values(outLoss), {std::log(4.)}, epsilonOf(HALF), 2);
    checkClose(run.values(outDeltas), {-6, 6}, epsilonOf(HALF), 2);
  });
}

TEST_CASE("arguments that do not fit are named in the error") {
  Run run(cpu);
  auto &g = run.graph;
  Tensor const o = g.addVariable(FLOAT, {4, 3}), l = g.addVariable(UNSIGNED_INT, {4}),
               loss = g.addVariable(FLOAT, {4});
  Tensor const half = g.addVariable(HALF, {4}), one = g.addVariable(FLOAT, {});
  auto const type = popnn::CROSS_ENTROPY_LOSS;
  CHECK_THROWS_WITH_AS(
      popnn::calcLoss(g, o[0], l, loss, o, type),
      "calcLoss: Rank mismatch: 'modelOutputs' of shape [3] has rank 1; it must be 2",
      poplibs_error);
  CHECK_THROWS_WITH_AS(popnn::calcLoss(g, o, l.slice(0, 3), loss, o, type),
                       "calcLoss: Dimension mismatch: 'expected' has shape [3]; for these model "
                       "outputs it must be [4]",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popnn::calcLoss(g, o, loss, loss, o, type),
                       "calcLoss: labels are of type float; allowed: unsigned int, int",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(
      popnn::calcLoss(g, o, l, half, o, type),
      "calcLoss: 'loss' is of type half; it must be that of the model outputs, float",
      poplibs_error);
  CHECK_THROWS_WITH_AS(
      popnn::calcLoss(g, o, l, loss, o, one, one, popnn::SUM_SQUARED_LOSS),
      "calcLoss: Loss scaling not implemented for this loss type, the sum of squares; allowed: "
      "CROSS_ENTROPY_LOSS",
      poplibs_error);
  CHECK_THROWS_AS(popnn::calcAccuracy(g, o, l, one), poplibs_error);
  CHECK_THROWS_WITH_AS(popnn::calcLoss(g, Tensor(), l, loss, o, type),
                       "calcLoss: 'modelOutputs' is an invalid tensor", poplibs_error);
  CHECK_THROWS_WITH_AS(popnn::calcAccuracy(g, o, l, Tensor()),
                       "calcAccuracy: 'numCorrect' is an invalid tensor", poplibs_error);
}

TEST_CASE("forgetting popnn's addCodelets is an error that says so") {
  Run run(cpu); // has those of popops
  auto &g = run.graph;
  Tensor const o = run.input(FLOAT, {4, 3}, Values(12)),
               l = run.input(UNSIGNED_INT, {4}, Values(4));
  CHECK_THROWS_WITH_AS(
      popnn::calcLoss(g, o, l, run.input(FLOAT, {4}, Values(4)), o, popnn::CROSS_ENTROPY_LOSS),
      "unknown vertex type 'popnn::CrossEntropyLoss<float,unsigned int>'; call "
      "popnn::addCodelets(graph) first",
      poplar::unknown_vertex_type);
}

TEST_SUITE_END();
