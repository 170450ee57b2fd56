// Pooling and its gradients, largest elements, softmax, losses, accuracy and norms of tensors that
// are views of any kind, against their formulas in double. Sums of small integers are exact;
// what is divided or a function may be off by a few units in the last place.
#include "Cases.hpp"

#include <popnn/GroupNorm.hpp>
#include <popnn/LogSoftmax.hpp>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Pooling.hpp>
#include <popnn/codelets.hpp>

using namespace poplar;
using fuzz::flat;
using fuzz::forEachIndex;
using fuzz::Numbers;
using fuzz::oneIn;
using fuzz::product;
using fuzz::Random;
using fuzz::Shape;
using fuzz::View;
using popnn::PoolingType;
using popnn::pooling::PoolParams;

namespace {

class Generator : public fuzz::Cases {
public:
  Generator(Random &random, Device const &device) : Cases(random, device, false) {
    popnn::addCodelets(graph_);
  }

private:
  void add() override {
    switch (number(6)) {
    case 0:
    case 1:
      return addPooling();
    case 2:
      return addLargest();
    case 3:
      return addSoftmax();
    case 4:
      return addLoss();
    default:
      return addNorm();
    }
  }

  std::size_t someChannels() {
    std::size_t const sizes[] = {1, 2, 3, 4, 8, 15, 16, 17, 32, 33, 64, 100};
    return pick(sizes);
  }

  static Shape shapeOf(PoolParams const &p, Shape const &field) {
    Shape shape{p.batchSize, p.numChannels};
    shape.insert(shape.end(), field.begin(), field.end());
    return shape;
  }
  /// f(output, input) for all elements that meet, those of one output after the other; and how many
  /// elements each output has.
  template <class F> static Numbers pairs(PoolParams const &p, F const &f) {
    Shape const in = shapeOf(p, p.inputFieldShape), out = shapeOf(p, p.getOutputFieldShape());
    Numbers counts;
    std::size_t o = 0;
    forEachIndex(out, [&](Shape const &index) {
      double count = 0;
      forEachIndex(p.kernelShape, [&](Shape const &tap) {
        Shape at{index[0], index[1]};
        for (std::size_t d = 0; d != tap.size(); ++d) {
          auto const x = static_cast<std::ptrdiff_t>(index[d + 2] * p.stride[d] + tap[d]) -
                         p.inputTruncationOrPaddingLower[d];
          auto const size = static_cast<std::ptrdiff_t>(in[d + 2]);
          // Beyond a truncated end is no input either.
          auto const from = std::max(0, -p.inputTruncationOrPaddingLower[d]),
                     to = std::min(0, p.inputTruncationOrPaddingUpper[d]);
          if (x < from || x >= size + to)
            return;
          at.push_back(static_cast<std::size_t>(x));
        }
        ++count;
        f(o, flat(in, at));
      });
      counts.push_back(count);
      ++o;
    });
    return counts;
  }

  PoolParams somePooling() {
    for (;;) {
      constexpr std::size_t MOST = 300000;
      std::size_t const dims = oneIn(random_, 5) ? 1 : oneIn(random_, 8) ? 3 : 2;
      PoolingType const types[] = {PoolingType::MAX, PoolingType::AVG, PoolingType::SUM};
      PoolParams p(pick(types), {}, {}, {}, {}, {}, someChannels(), 1 + number(3), type_);
      bool good = true;
      for (std::size_t d = 0; d != dims; ++d) {
        auto const size = 1 + number(oneIn(random_, 3) ? 70 : 20);
        auto const kernel = 1 + number(oneIn(random_, 4) ? 9 : 3);
        auto const pad = [&] {
          return oneIn(random_, 2)   ? 0
                 : oneIn(random_, 8) ? -static_cast<int>(number(3))
                                     : static_cast<int>(number(kernel));
        };
        p.inputFieldShape.push_back(size);
        p.kernelShape.push_back(kernel);
        p.stride.push_back(1 + static_cast<unsigned>(number(3)));
        p.inputTruncationOrPaddingLower.push_back(pad());
        p.inputTruncationOrPaddingUpper.push_back(pad());
        std::ptrdiff_t const left = static_cast<std::ptrdiff_t>(size) +
                                    std::min(0, p.inputTruncationOrPaddingLower[d]) +
                                    std::min(0, p.inputTruncationOrPaddingUpper[d]),
                             padded = left + std::max(0, p.inputTruncationOrPaddingLower[d]) +
                                      std::max(0, p.inputTruncationOrPaddingUpper[d]);
        good &= left >= 1 && padded >= static_cast<std::ptrdiff_t>(kernel);
      }
      if (good && product(shapeOf(p, p.inputFieldShape)) * product(p.kernelShape) <= MOST)
        return p;
    }
  }

  void addPooling() {
    PoolParams const p = somePooling();
    std::ostringstream text;
    text << p;
    tell(text.str());
    Shape const inShape = shapeOf(p, p.inputFieldShape),
                outShape = shapeOf(p, p.getOutputFieldShape());
    View const in = view(type_, inShape);
    Numbers const x = numbers(type_, in);
    bool const largest = p.poolingType == PoolingType::MAX,
               average = p.poolingType == PoolingType::AVG;
    double const nothing = !largest ? 0 : type_ == HALF ? -65504 : -INFINITY;
    Numbers pooled(product(outShape), nothing);
    Numbers const counts = pairs(p, [&](std::size_t o, std::size_t i) {
      pooled[o] = largest ? std::max(pooled[o], x[i]) : pooled[o] + x[i];
    });
    for (std::size_t o = 0; average && o != pooled.size(); ++o)
      pooled[o] = counts[o] == 0 ? 0 : pooled[o] / counts[o];
    Tensor const result = popnn::pooling::pool(graph_, p, in.tensor, prog_);
    fuzz::expect(result.shape() == outShape, "another shape of pooling");
    expect(type_, result, pooled, average ? 1 : 0);
    if (!oneIn(random_, 2))
      return;
    bool const scaled = oneIn(random_, 2);
    tell(scaled ? "scaled gradient" : "gradient");
    View const grad = view(type_, outShape);
    Numbers const g = numbers(type_, grad);
    Numbers equal(pooled.size(), 0), back(x.size(), 0);
    pairs(p, [&](std::size_t o, std::size_t i) { equal[o] += x[i] == pooled[o]; });
    pairs(p, [&](std::size_t o, std::size_t i) {
      if (!largest)
        back[i] += average ? g[o] / counts[o] : g[o];
      else if (x[i] == pooled[o])
        back[i] += scaled ? g[o] / equal[o] : g[o];
    });
    // Of the gradients that meet in an element each is rounded, and so is each of their sums.
    double units = 0;
    if (average || (largest && scaled))
      for (std::size_t d = 0; d != p.kernelShape.size(); ++d)
        units = std::max(units, 1.) * 3 *
                static_cast<double>((p.kernelShape[d] + p.stride[d] - 1) / p.stride[d]);
    Tensor const from = !largest && oneIn(random_, 2)
                            ? popnn::pooling::poolInputGradient(graph_, p, 1, grad.tensor, prog_)
                            : popnn::pooling::poolInputGradient(graph_, p, in.tensor, result,
                                                                grad.tensor, scaled, prog_);
    expect(type_, from, back, units);
  }

  /// Which element of each row is the largest or smallest, and the few largest.
  void addLargest() {
    Shape const shape{someChannels(), someChannels() * (oneIn(random_, 4) ? 30 : 1)};
    std::size_t const rows = shape[0], columns = shape[1], kind = number(3);
    tell("largest" + std::to_string(kind) + fuzz::textOf(shape));
    View const in = view(type_, shape);
    Numbers const x = numbers(type_, in);
    bool const most = kind == 0;
    if (kind == 2) {
      std::size_t const k = 1 + number(std::min<std::size_t>(columns, 20));
      Numbers values;
      for (std::size_t r = 0; r != rows; ++r) {
        auto const begin = x.begin() + static_cast<std::ptrdiff_t>(r * columns);
        Numbers row(begin, begin + static_cast<std::ptrdiff_t>(columns));
        std::sort(row.begin(), row.end(), std::greater<>());
        values.insert(values.end(), row.begin(), row.begin() + static_cast<std::ptrdiff_t>(k));
      }
      Tensor indices;
      expect(type_, popnn::topK(graph_, in.tensor, indices, static_cast<unsigned>(k), true, prog_),
             values);
      return;
    }
    Numbers values, places;
    for (std::size_t r = 0; r != rows; ++r) {
      std::size_t best = 0;
      for (std::size_t c = 1; c != columns; ++c) {
        double const a = x[r * columns + c], b = x[r * columns + best];
        best = (most ? a > b : a < b) ? c : best;
      }
      values.push_back(x[r * columns + best]);
      places.push_back(static_cast<double>(best));
    }
    if (oneIn(random_, 2)) {
      expect(UNSIGNED_INT,
             most ? popnn::argMax(graph_, in.tensor, prog_)
                  : popnn::argMin(graph_, in.tensor, prog_),
             places);
      return;
    }
    auto const [value, place] = most ? popnn::maxAndArgMax(graph_, in.tensor, prog_)
                                     : popnn::minAndArgMin(graph_, in.tensor, prog_);
    expect(type_, value, values);
    expect(UNSIGNED_INT, place, places);
  }

  void addSoftmax() {
    Shape const shape = views_.someShape(oneIn(random_, 8) ? 100000 : 4000);
    bool const logarithm = oneIn(random_, 2), inPlace = oneIn(random_, 2);
    tell(std::string(logarithm ? "logSoftmax" : "softmax") + (inPlace ? "InPlace" : "") +
         fuzz::textOf(shape));
    View const in = inPlace ? written(type_, shape) : view(type_, shape);
    Numbers x = numbers(type_, in);
    std::size_t const n = shape.back();
    for (std::size_t begin = 0; begin != x.size(); begin += n) {
      double sum = 0;
      for (std::size_t i = begin; i != begin + n; ++i)
        sum += std::exp(x[i]);
      for (std::size_t i = begin; i != begin + n; ++i)
        x[i] = logarithm ? x[i] - std::log(sum) : std::exp(x[i]) / sum;
    }
    Tensor t = in.tensor;
    if (inPlace && logarithm)
      popnn::logSoftmaxInPlace(graph_, t, prog_);
    else if (inPlace)
      popnn::softmaxStableInPlace(graph_, t, prog_);
    else
      t = logarithm ? popnn::logSoftmax(graph_, t, prog_) : popnn::softmaxStable(graph_, t, prog_);
    expect(type_, t, x, 4);
    if (inPlace) // only compared as a result
      views_.forget(in);
  }

  void addLoss() {
    std::size_t const rows = someChannels(), classes = someChannels();
    tell("loss" + fuzz::textOf({rows, classes}));
    View const outputs = view(type_, {rows, classes}), labels = offsets({rows}, classes),
               loss = written(type_, {rows}), deltas = written(type_, {rows, classes}),
               correct = offsets({1}, 10);
    Numbers const x = numbers(type_, outputs), of = numbers(UNSIGNED_INT, labels);
    Numbers right = numbers(UNSIGNED_INT, correct), losses, d = x;
    double most = 0;
    for (std::size_t r = 0; r != rows; ++r) {
      auto const row = x.begin() + static_cast<std::ptrdiff_t>(r * classes);
      right[0] +=
          of[r] == static_cast<double>(
                       std::max_element(row, row + static_cast<std::ptrdiff_t>(classes)) - row);
      d[r * classes + static_cast<std::size_t>(of[r])] -= 1;
      double sum = 0;
      for (std::size_t c = 0; c != classes; ++c)
        sum += d[r * classes + c] * d[r * classes + c] / 2;
      losses.push_back(sum);
      most = std::max(most, sum);
    }
    if (most > 1000)
      return;
    prog_.add(popnn::calcLoss(graph_, outputs.tensor, labels.tensor, loss.tensor, deltas.tensor,
                              correct.tensor, popnn::SUM_SQUARED_LOSS));
    assign(type_, loss, losses);
    assign(type_, deltas, d);
    assign(UNSIGNED_INT, correct, right);
  }

  /// Statistics of groups of channels, and what is whitened by them.
  void addNorm() {
    Shape shape{1 + number(6), someChannels()};
    for (std::size_t n = number(3); n != 0; --n)
      shape.push_back(1 + number(30));
    if (product(shape) > 60000)
      return;
    std::size_t groups = 1 + number(shape[1]);
    while (shape[1] % groups != 0)
      --groups;
    bool const strided = oneIn(random_, 2), stable = oneIn(random_, 2),
               unbiased = oneIn(random_, 2);
    tell("norm" + std::to_string(groups) + fuzz::textOf(shape));
    OptionFlags const options{{"groupNormStridedChannelGrouping", strided ? "true" : "false"}};
    constexpr float EPS = 0.25F;
    View const in = view(type_, shape);
    Numbers const x = numbers(type_, in);
    std::size_t const inner = product(Shape(shape.begin() + 2, shape.end())), C = shape[1],
                      per = C / groups;
    auto const statistic = [&](std::size_t i) {
      std::size_t const c = i / inner % C;
      return i / inner / C * groups + (strided ? c % groups : c / per);
    };
    double const count = static_cast<double>(inner * per);
    Numbers mean(shape[0] * groups, 0), inverse(mean.size(), 0), white = x;
    for (std::size_t i = 0; i != x.size(); ++i)
      mean[statistic(i)] += x[i] / count;
    for (std::size_t i = 0; i != x.size(); ++i)
      inverse[statistic(i)] += (x[i] - mean[statistic(i)]) * (x[i] - mean[statistic(i)]) / count;
    double const bias = unbiased && count > 1 ? count / (count - 1) : 1;
    for (double &v : inverse)
      v = 1 / std::sqrt((v + static_cast<double>(EPS)) * bias);
    for (std::size_t i = 0; i != x.size(); ++i)
      white[i] = (x[i] - mean[statistic(i)]) * inverse[statistic(i)];
    auto const [m, s] =
        popnn::gn::groupNormStatistics(graph_, in.tensor, EPS, prog_, static_cast<unsigned>(groups),
                                       unbiased, stable, FLOAT, {}, options);
    expect(type_, m, mean, 4);
    expect(type_, s, inverse, 16);
    expect(type_, popnn::gn::groupNormWhiten(graph_, in.tensor, m, s, prog_, {}, options), white,
           24);
  }
};

} // namespace

int main(int argc, char **argv) {
  return fuzz::runCases<Generator>("fuzz-layers", argc, argv, {7});
}
