#include "Rows.hpp"

#include <popnn/Loss.hpp>
#include <popnn/codelets.hpp>
#include <popops/EncodingConstants.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <limits>

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

// Numbers with many ties, zeros of both signs among them.
Values tiesOf(poplar::Type const &type, std::size_t n, Numbers &numbers) {
  if (type == INT)
    return numbers.integer(n, -3, 3);
  if (type == UNSIGNED_INT)
    return numbers.integer(n, 4294967290L, 4294967295L);
  Values values = numbers.below(2) ? numbers.real(type, n) : numbers.integer(n, -2, 2);
  for (double &value : values)
    if (value == 0 && numbers.below(2))
      value = -0.0;
  return values;
}

struct Extremes {
  Values values, indices;
};

// The first element that no other of its row exceeds, element by element.
Extremes extremesOf(Values const &in, std::size_t columns, bool largest) {
  Extremes result;
  for (std::size_t begin = 0; begin < in.size(); begin += columns) {
    std::size_t best = 0;
    for (std::size_t c = 1; c != columns; ++c) {
      double const x = in[begin + c], y = in[begin + best];
      best = (largest ? x > y : x < y) ? c : best;
    }
    result.values.push_back(in[begin + best]);
    result.indices.push_back(static_cast<double>(best));
  }
  return result;
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

TEST_CASE("losses of rows that lie on tiles in several ways") {
  onDevices([](DeviceMaker const &device) {
    Numbers numbers(7);
    for (rows::Places places : rows::PLACES)
      for (Shape const &shape : rows::SHAPES)
        for (poplar::Type const &type : {FLOAT, HALF})
          for (bool crossEntropy : {true, false}) {
            Run run(device);
            popnn::addCodelets(run.graph);
            std::size_t const n = shape[1];
            Values const o = numbers.real(type, product(shape), 0.1, 1);
            Values labels = numbers.integer(shape[0], 0, static_cast<long>(n) - 1),
                   loss(shape[0], 0), deltas(o.size(), 0);
            // The first maximum of some; some that are no class, or take no part.
            for (std::size_t r = 0; r < shape[0]; r += 2)
              labels[r] = extremesOf(Values(o.begin() + static_cast<std::ptrdiff_t>(r * n),
                                            o.begin() + static_cast<std::ptrdiff_t>((r + 1) * n)),
                                     n, true)
                              .indices[0];
            if (shape[0] > 3)
              labels[1] = -1, labels[3] = static_cast<double>(n) + 2;
            Values const best = extremesOf(o, n, true).indices;
            double correct = 0;
            double const scale = crossEntropy ? 3 : 1, scaling = crossEntropy ? 2 : 1;
            for (std::size_t r = 0; r != shape[0]; ++r) {
              correct += best[r] == labels[r];
              for (std::size_t c = 0; c != n && labels[r] != -1; ++c) {
                double const x = o[r * n + c], hot = labels[r] == static_cast<double>(c);
                deltas[r * n + c] = scale / scaling * (x - scaling * hot);
                loss[r] += !crossEntropy ? 0.5 * (x - hot) * (x - hot)
                           : hot != 0    ? std::log(scaling) - std::log(x)
                                         : 0;
              }
            }
            Tensor const outputs = rows::placed(run, type, shape, o, places, numbers),
                         expected = run.input(INT, {shape[0]}, labels),
                         lossTensor = run.input(type, {shape[0]}, Values(shape[0], 9)),
                         deltaTensor = run.graph.clone(outputs),
                         numCorrect = run.input(UNSIGNED_INT, {}, {0});
            Tensor const s = run.input(FLOAT, {}, {3}), m = run.input(FLOAT, {}, {2});
            run.prog.add(crossEntropy
                             ? popnn::calcLoss(run.graph, outputs, expected, lossTensor,
                                               deltaTensor, s, m, numCorrect,
                                               popnn::CROSS_ENTROPY_LOSS)
                             : popnn::calcLoss(run.graph, outputs, expected, lossTensor,
                                               deltaTensor, numCorrect, popnn::SUM_SQUARED_LOSS));
            std::size_t const outLoss = run.output(lossTensor), outDeltas = run.output(deltaTensor),
                              outCorrect = run.output(numCorrect);
            run.run();
            CAPTURE(n);
            checkClose(run.values(outLoss), loss, epsilonOf(type), 8, 1);
            checkClose(run.values(outDeltas), deltas, epsilonOf(type), 4, 1);
            CHECK(run.values(outCorrect) == Values{correct});
          }
  });
}

TEST_CASE("accuracy passes over NaN, and -infinity may be the largest output") {
  onDevices([](DeviceMaker const &device) {
    for (poplar::Type const &type : {FLOAT, HALF})
      for (std::size_t n : {5, 4001}) {
        CAPTURE(n);
        Run run(device);
        popnn::addCodelets(run.graph);
        double const nan = std::nan(""), least = -std::numeric_limits<double>::infinity();
        Values o, labels, correct;
        auto const row = [&](Values const &first, double rest, double label, bool isCorrect) {
          for (std::size_t c = 0; c != n; ++c)
            o.push_back(c < first.size() ? first[c] : rest);
          labels.push_back(label), correct.push_back(isCorrect);
        };
        auto const last = static_cast<double>(n - 1);
        row({0.5, nan}, 2, 2, true);
        row({nan, 1}, 0.5, 0, false);
        row({-0.0, nan}, 0, 0, true);
        row({}, nan, 0, false);
        row({}, nan, last, false);
        row({}, least, 0, true);
        row({}, least, 1, false);
        row({nan, nan}, least, 2, true);
        row({nan, nan}, least, 0, false);
        row({least, -65504}, least, 1, true);
        Tensor const outputs = run.input(type, {labels.size(), n}, o),
                     expected = run.input(UNSIGNED_INT, {labels.size()}, labels);
        std::vector<std::size_t> counts;
        for (std::size_t r = 0; r != labels.size(); ++r) {
          Tensor const numCorrect = run.input(UNSIGNED_INT, {}, {5});
          run.prog.add(popnn::calcAccuracy(run.graph, outputs.slice(r, r + 1),
                                           expected.slice(r, r + 1), numCorrect));
          counts.push_back(run.output(numCorrect));
        }
        run.run();
        for (std::size_t r = 0; r != labels.size(); ++r) {
          CAPTURE(r);
          CHECK(run.values(counts[r])[0] == 5 + correct[r]);
        }
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
  CHECK_THROWS_WITH_AS(popnn::calcLoss(g, o, l, loss, o.reverse(0), Tensor(), type),
                       "calcLoss: 'numCorrect' is an invalid tensor", poplibs_error);
  CHECK_THROWS_WITH_AS(popnn::calcLoss(g, o, l, loss, o.reverse(0), one, type),
                       doctest::Contains("calcLoss: 'numCorrect' has shape "), poplibs_error);
  CHECK_THROWS_WITH_AS(popnn::calcAccuracy(g, o, l, Tensor()),
                       "calcAccuracy: 'numCorrect' is an invalid tensor", poplibs_error);
}

TEST_CASE("what is written must be so once, and scales be floating-point numbers") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    popnn::addCodelets(run.graph);
    auto &g = run.graph;
    Values const ones(12, 1);
    Tensor const o = run.input(FLOAT, {4, 3}, ones), l = run.input(INT, {4}, {0, 1, 2, -1}),
                 loss = run.input(FLOAT, {4}, {0, 0, 0, 0}),
                 deltas = run.input(FLOAT, {4, 3}, ones), whole = run.input(INT, {}, {1}),
                 one = run.input(HALF, {}, {1}), constant = g.addConstant(FLOAT, {4}, 1.0F);
    auto const type = popnn::CROSS_ENTROPY_LOSS;
    CHECK_THROWS_WITH_AS(
        popnn::calcLoss(g, o, l, loss.slice(0, 1).broadcast(4, 0), deltas, type),
        "calcLoss: 'loss' of shape [4] must be writeable in parallel, but it contains aliases",
        poplibs_error);
    CHECK_THROWS_WITH_AS(popnn::calcLoss(g, o, l, constant, deltas, type),
                         doctest::Contains("but it contains constants"), poplibs_error);
    CHECK_THROWS_WITH_AS(
        popnn::calcLoss(g, o, l, loss, deltas.slice(0, 1).broadcast(4, 0), type),
        "calcLoss: 'deltas' of shape [4, 3] must be writeable in parallel, but it contains aliases",
        poplibs_error);
    CHECK_THROWS_WITH_AS(
        popnn::calcLoss(g, o, l, deltas.flatten().slice(0, 4), deltas, type),
        "calcLoss: 'loss' and 'deltas' share elements, the first being element [0] of "
        "the one and [0, 0] of the other; both are written",
        poplibs_error);
    CHECK_THROWS_WITH_AS(popnn::calcAccuracy(g, o, l, g.addConstant(UNSIGNED_INT, {}, 0U)),
                         "calcAccuracy: 'numCorrect' of shape [] must be writeable in parallel, "
                         "but it contains constants",
                         poplibs_error);
    CHECK_THROWS_WITH_AS(popnn::calcLoss(g, o, l, loss, deltas, one, whole, type),
                         "calcLoss: 'modelOutputScaling' has shape [] and type int; it must be one "
                         "element of type float or half",
                         poplibs_error);
  });
}

TEST_CASE("what is read may lie in what is written") {
  onDevices([](DeviceMaker const &device) {
    constexpr std::size_t ROWS = 6, CLASSES = 4;
    for (bool const counts : {false, true})
      for (std::size_t const shift : {0, 1}) {
        CAPTURE(counts);
        CAPTURE(shift);
        Run run(device);
        popnn::addCodelets(run.graph);
        Numbers numbers;
        Values const values = numbers.real(FLOAT, (ROWS + 1) * CLASSES, -1, 1),
                     labels{0, 1, 2, 3, -1, 1};
        Tensor const all = run.input(FLOAT, {ROWS + 1, CLASSES}, values),
                     outputs = all.slice(0, ROWS), deltas = all.slice(shift, ROWS + shift),
                     expected = run.input(INT, {ROWS}, labels),
                     loss = run.input(FLOAT, {ROWS}, Values(ROWS, 9)),
                     correct = run.input(UNSIGNED_INT, {}, {0});
        run.prog.add(counts ? popnn::calcLoss(run.graph, outputs, expected, loss, deltas, correct,
                                              popnn::SUM_SQUARED_LOSS)
                            : popnn::calcLoss(run.graph, outputs, expected, loss, deltas,
                                              popnn::SUM_SQUARED_LOSS));
        std::size_t const lossOut = run.output(loss), deltasOut = run.output(deltas),
                          correctOut = run.output(correct);
        run.run();
        Values losses, gradients;
        double right = 0;
        for (std::size_t row = 0; row != ROWS; ++row) {
          double sum = 0, largest = 0;
          for (std::size_t c = 0; c != CLASSES; ++c) {
            double const o = values[row * CLASSES + c],
                         delta = labels[row] < 0 ? 0 : o - (static_cast<double>(c) == labels[row]);
            if (o > values[row * CLASSES + static_cast<std::size_t>(largest)])
              largest = static_cast<double>(c);
            gradients.push_back(delta);
            sum += delta * delta / 2;
          }
          losses.push_back(sum);
          right += largest == labels[row];
        }
        checkClose(run.values(deltasOut), gradients, epsilonOf(FLOAT), 1);
        checkClose(run.values(lossOut), losses, epsilonOf(FLOAT), 3 * CLASSES);
        CHECK(run.values(correctOut)[0] == (counts ? right : 0));
      }
  });
}

TEST_CASE("the loss of rows without classes is 0") {
  onDevices([](DeviceMaker const &device) {
    for (popnn::LossType const type : {popnn::SUM_SQUARED_LOSS, popnn::CROSS_ENTROPY_LOSS}) {
      Run run(device);
      popnn::addCodelets(run.graph);
      Tensor const none = run.input(FLOAT, {2, 0}, {}), loss = run.input(FLOAT, {2}, {3, 4});
      run.prog.add(
          popnn::calcLoss(run.graph, none, run.input(INT, {2}, {0, -1}), loss, none, type));
      std::size_t const out = run.output(loss);
      run.run();
      CHECK(run.values(out) == Values{0, 0});
    }
  });
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

TEST_CASE("the largest and smallest elements of rows, and the first places where they are") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Numbers numbers;
    struct Result {
      std::size_t alone, values, indices;
      Extremes expected;
    };
    std::vector<Result> results;
    for (poplar::Type const &type : {FLOAT, HALF, INT, UNSIGNED_INT})
      for (Shape const &shape : {Shape{1, 1}, {5, 1}, {3, 2}, {29, 17}, {2, 1100}, {1, 70000}})
        for (bool largest : {true, false}) {
          Values const in = tiesOf(type, product(shape), numbers);
          Values byColumns(in.size());
          for (std::size_t i = 0; i != in.size(); ++i)
            byColumns[i % shape[1] * shape[0] + i / shape[1]] = in[i];
          auto &g = run.graph;
          Tensor const t = numbers.below(2)
                               ? run.input(type, shape, in)
                               : run.input(type, {shape[1], shape[0]}, byColumns).transpose();
          auto const both =
              largest ? popnn::maxAndArgMax(g, t, run.prog) : popnn::minAndArgMin(g, t, run.prog);
          Tensor const alone =
              largest ? popnn::argMax(g, t, run.prog) : popnn::argMin(g, t, run.prog);
          for (Tensor const &result : {alone, both.first, both.second})
            CHECK(result.shape() == Shape{shape[0]});
          CHECK(alone.elementType() == UNSIGNED_INT);
          CHECK(both.first.elementType() == type);
          CHECK(both.second.elementType() == UNSIGNED_INT);
          results.push_back({run.output(alone), run.output(both.first), run.output(both.second),
                             extremesOf(in, shape[1], largest)});
        }
    run.run();
    for (std::size_t i = 0; i != results.size(); ++i) {
      CAPTURE(i);
      CHECK(run.values(results[i].alone) == results[i].expected.indices);
      CHECK(run.values(results[i].values) == results[i].expected.values);
      CHECK(run.values(results[i].indices) == results[i].expected.indices);
    }
  });
}

TEST_CASE("zeros of both signs are equal, and NaN is above infinity") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    double const nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
    std::vector<std::size_t> outs;
    for (poplar::Type const &type : {FLOAT, HALF}) {
      Tensor const t = run.input(
          type, {4, 3}, {-0.0, 0, -0.0, 0, -0.0, -1, infinity, nan, -infinity, nan, nan, nan});
      outs.push_back(run.output(popnn::argMax(run.graph, t, run.prog)));
      outs.push_back(run.output(popnn::argMin(run.graph, t, run.prog)));
    }
    run.run();
    for (std::size_t i = 0; i != outs.size(); i += 2) {
      CHECK(run.values(outs[i]) == Values{0, 0, 1, 0});
      CHECK(run.values(outs[i + 1]) == Values{0, 2, 2, 0});
    }
  });
}

TEST_CASE("argMax finds what calcAccuracy counts") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    popnn::addCodelets(run.graph);
    Numbers numbers;
    Tensor const t = run.input(HALF, {64, 10}, tiesOf(HALF, 640, numbers));
    Tensor const labels = popnn::argMax(run.graph, t, run.prog),
                 count = run.input(UNSIGNED_INT, {1}, {0});
    run.prog.add(popnn::calcAccuracy(run.graph, t, labels, count));
    std::size_t const out = run.output(count);
    run.run();
    CHECK(run.values(out) == Values{64});
  });
}

TEST_CASE("the K largest elements of rows with a dimension of 1 between") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Numbers numbers;
    struct Result {
      std::size_t values, indices;
      Values in;
      std::size_t columns, k;
      bool sort;
    };
    std::vector<Result> results;
    for (poplar::Type const &type : {FLOAT, HALF, INT, UNSIGNED_INT, poplar::BOOL})
      for (std::size_t k : {1, 4, 9})
        for (bool sort : {true, false}) {
          std::size_t const rows = 6, columns = 9;
          Values const in =
              type == poplar::BOOL ? numbers.integer(54, 0, 1) : tiesOf(type, 54, numbers);
          Tensor indices;
          Tensor const values = popnn::topK(run.graph, run.input(type, {rows, columns}, in),
                                            indices, static_cast<unsigned>(k), sort, run.prog);
          CHECK(values.shape() == Shape{rows, 1, k});
          CHECK(indices.shape() == Shape{rows, 1, k});
          CHECK(values.elementType() == type);
          CHECK(indices.elementType() == UNSIGNED_INT);
          results.push_back({run.output(values), run.output(indices), in, columns, k, sort});
        }
    run.run();
    for (std::size_t i = 0; i != results.size(); ++i) {
      CAPTURE(i);
      Result const &r = results[i];
      for (std::size_t row = 0; row != r.in.size() / r.columns; ++row) {
        auto const first = r.in.begin() + static_cast<std::ptrdiff_t>(row * r.columns);
        Values expected(first, first + static_cast<std::ptrdiff_t>(r.columns)), values;
        std::sort(expected.rbegin(), expected.rend());
        expected.resize(r.k);
        std::vector<bool> taken(r.columns);
        for (std::size_t j = row * r.k; j != (row + 1) * r.k; ++j) {
          auto const c = static_cast<std::size_t>(run.values(r.indices)[j]);
          REQUIRE(c < r.columns);
          CHECK(!taken[c]);
          taken[c] = true;
          values.push_back(run.values(r.values)[j]);
          CHECK(values.back() == first[static_cast<std::ptrdiff_t>(c)]);
        }
        if (!r.sort)
          std::sort(values.rbegin(), values.rend());
        CHECK(values == expected);
      }
    }
  });
}

TEST_CASE("inputs without rows, and inputs that have no extremes") {
  Run run(cpu);
  auto &g = run.graph;
  CHECK(popnn::argMin(g, g.addVariable(FLOAT, {0, 3}), run.prog).shape() == Shape{0});
  Tensor const t = g.addVariable(FLOAT, {2, 3}), b = g.addVariable(poplar::BOOL, {2, 3});
  Tensor indices;
  CHECK(popnn::topK(g, t, indices, 0, true, run.prog).shape() == Shape{2, 1, 0});
  CHECK(indices.shape() == Shape{2, 1, 0});
  CHECK_THROWS_WITH_AS(popnn::argMax(g, t[0], run.prog),
                       "popnn::argMax: 'input' of shape [3] has rank 1; it must be 2",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popnn::minAndArgMin(g, b, run.prog),
                       "popnn::minAndArgMin: 'input' is of type bool; allowed: float, half, int, "
                       "unsigned int",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popnn::maxAndArgMax(g, t.slice(0, 0, 1), run.prog),
                       "popnn::maxAndArgMax: 'input' has shape [2, 0]; rows must have an element",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popnn::argMin(g, Tensor(), run.prog),
                       "popnn::argMin: 'input' is an invalid tensor", poplibs_error);
  CHECK_THROWS_WITH_AS(popnn::topK(g, t, indices, 4, true, run.prog),
                       "popnn::topK: K = 4 of an input of shape [2, 3]; it must be at most 3",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(
      popnn::topK(g, g.addVariable(poplar::SHORT, {2, 3}), indices, 1, true, run.prog),
      "popnn::topK: 'input' is of type short; allowed: float, half, int, "
      "unsigned int, bool",
      poplibs_error);
}

TEST_SUITE_END();
