// Products of matrices that are views of any kind, or laid out as the library likes, against the
// sums of the definition.
#include "Cases.hpp"

#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>

using namespace poplar;
using namespace poplar::program;
using fuzz::Numbers;
using fuzz::oneIn;
using fuzz::product;
using fuzz::Random;
using fuzz::Shape;
using fuzz::View;

namespace {

/// An operand, and its values in order.
struct Matrices {
  Tensor tensor;
  Numbers values;
};

double largest(Numbers const &values) {
  double most = 0;
  for (double const x : values)
    most = std::max(most, std::fabs(x));
  return most;
}

/// a [g, m, k] times b [g, k, n]
Numbers productOf(Shape const &a, Shape const &b, Numbers const &x, Numbers const &y) {
  std::size_t const g = a[0], m = a[1], k = a[2], n = b[2];
  Numbers result(g * m * n, 0);
  for (std::size_t i = 0; i != g * m; ++i)
    for (std::size_t l = 0; l != k; ++l)
      for (std::size_t j = 0; j != n; ++j)
        result[i * n + j] += x[i * k + l] * y[(i / m * k + l) * n + j];
  return result;
}

class Generator : public fuzz::Cases {
public:
  Generator(Random &random, Device const &device) : Cases(random, device, false) {
    poplin::addCodelets(graph_);
  }

private:
  std::size_t someSize() {
    std::size_t const sizes[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,   10,  12,  15, 16,
                                 17, 24, 31, 32, 33, 48, 64, 65, 100, 128, 200, 511};
    return oneIn(random_, 60) ? 0 : pick(sizes);
  }

  OptionFlags someOptions(bool halfPartials) {
    OptionFlags options;
    auto const maybe = [&](char const *key, std::initializer_list<char const *> values) {
      if (oneIn(random_, 4))
        options.set(key, std::data(values)[number(values.size())]);
    };
    maybe("fullyConnectedPass",
          {"NONE", "INFERENCE_FWD", "TRAINING_FWD", "TRAINING_BWD", "TRAINING_WU"});
    maybe("availableMemoryProportion", {"0", "0.01", "0.1", "0.6", "1"});
    for (char const *key :
         {"enableMultiStageReduce", "enableFastReduce", "remapOutputTensor", "gatherOutput"})
      maybe(key, {"true", "false"});
    if (halfPartials)
      maybe("partialsType", {"half"});
    return options;
  }

  /// A view, or a copy of one in a tensor made for it.
  template <class Create> Matrices operand(Shape const &shape, Create create) {
    View const any = view(type_, shape);
    Matrices result{any.tensor, numbers(type_, any)};
    if (oneIn(random_, 2)) {
      result.tensor = create();
      fuzz::expect(result.tensor.shape() == shape, "another shape of an operand");
      prog_.add(Copy(any.tensor, result.tensor));
    }
    return result;
  }

  void add() override {
    constexpr std::size_t MOST_PRODUCTS = 4000000;
    Shape a, b;
    bool const chained = !last_.empty() && oneIn(random_, 2),
               grouped = chained || oneIn(random_, 2);
    do {
      std::size_t const g = grouped ? 1 + number(oneIn(random_, 3) ? 200 : 5) : 1;
      a = chained ? last_ : Shape{g, someSize(), someSize()};
      b = {a[0], a[2], someSize()};
    } while (product(a) * b[2] > MOST_PRODUCTS);
    double const growth = 4. * static_cast<double>(a[2]); // elements of a view are at most 2
    bool const halfPartials = type_ == HALF && !chained && growth <= 2048;
    OptionFlags const options = someOptions(halfPartials);
    Type const outType = oneIn(random_, 3) ? (type_ == HALF ? FLOAT : HALF) : type_;
    tell((grouped ? "grouped" : "product") + fuzz::textOf(a) + fuzz::textOf(b) + type_.toString() +
         outType.toString());
    for (auto const &[key, value] : options)
      tell(key + '=' + value);
    Matrices const left = chained ? lastResult_ : operand(a, [&] {
      return poplin::createMatMulGroupedInputLHS(graph_, type_, outType, a, b, "a", options,
                                                 someCache());
    });
    Matrices right = operand(b, [&] {
      return poplin::createMatMulGroupedInputRHS(graph_, type_, outType, a, b, "b", options,
                                                 someCache());
    });
    if (largest(left.values) * growth / 2 > 0x1p23)
      return;
    Numbers const expected = productOf(a, b, left.values, right.values);
    switch (number(4)) {
    case 0:
      return accumulate(a, b, left, right, expected, options);
    case 1:
      return write(a, b, left, right, expected, outType, options);
    default:
      break;
    }
    if (!grouped) {
      expect(outType,
             poplin::matMul(graph_, left.tensor[0], right.tensor[0], prog_, outType, {}, options,
                            someCache()),
             expected);
      return;
    }
    OptionFlags all = options;
    if (oneIn(random_, 4)) {
      right.tensor = poplin::preArrangeMatMulGroupedInputRHS(graph_, a, right.tensor, prog_,
                                                             outType, {}, options, someCache());
      all.set("fullyConnectedPass", passOf(options));
      all.set("inputRHSIsPreArranged", "true");
    }
    Tensor const c = poplin::matMulGrouped(graph_, left.tensor, right.tensor, prog_, outType, {},
                                           all, someCache());
    expect(outType, c, expected);
    if (outType == type_ && largest(expected) <= 2048) {
      last_ = {a[0], a[1], b[2]};
      lastResult_ = {c, expected};
    }
  }

  static std::string passOf(OptionFlags const &options) {
    for (auto const &[key, value] : options)
      if (key == "fullyConnectedPass" && value != "NONE")
        return value;
    return "INFERENCE_FWD";
  }

  void write(Shape const &a, Shape const &b, Matrices const &left, Matrices const &right,
             Numbers const &expected, Type const &outType, OptionFlags const &options) {
    View const out = written(outType, {a[0], a[1], b[2]});
    Tensor to = out.tensor;
    poplin::matMulGroupedWithOutput(graph_, left.tensor, right.tensor, to, prog_, {}, options,
                                    someCache());
    assign(outType, out, expected);
  }

  /// c += factor * a b, where c has the type of the operands.
  void accumulate(Shape const &a, Shape const &b, Matrices const &left, Matrices const &right,
                  Numbers const &products, OptionFlags const &options) {
    if (type_ == HALF && largest(products) > 1000)
      return;
    double const factor = static_cast<double>(number(5)) - 2;
    View const c = written(type_, {a[0], a[1], b[2]});
    if (oneIn(random_, 2)) {
      poplin::matMulGroupedAcc(graph_, c.tensor, static_cast<float>(factor), left.tensor,
                               right.tensor, prog_, {}, options, someCache());
    } else {
      Tensor const k = graph_.addConstant(type_, {}, factor);
      graph_.setTileMapping(k, 0);
      poplin::matMulGroupedAcc(graph_, c.tensor, k, left.tensor, right.tensor, prog_, {}, options,
                               someCache());
    }
    Numbers sums = numbers(type_, c);
    for (std::size_t i = 0; i != sums.size(); ++i)
      sums[i] += factor * products[i];
    assign(type_, c, sums);
  }

  poplin::PlanningCache *someCache() { return oneIn(random_, 2) ? &cache_ : nullptr; }

  poplin::PlanningCache cache_;
  Shape last_; ///< of a result that may be an operand of the next product
  Matrices lastResult_;
};

} // namespace

int main(int argc, char **argv) {
  return fuzz::runCases<Generator>("fuzz-products", argc, argv, {7, 64});
}
