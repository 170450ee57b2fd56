// Operations on arrays that are views of any kind against the same, element by element. Numbers
// are small integers, so that results are exact in any order and each must be the expected one.
#include "Cases.hpp"

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/Sort.hpp>
#include <popops/TopK.hpp>

using namespace poplar;
namespace pe = popops::expr;
using fuzz::flat;
using fuzz::forEachIndex;
using fuzz::Numbers;
using fuzz::oneIn;
using fuzz::product;
using fuzz::Random;
using fuzz::Shape;
using fuzz::View;

namespace {

/// An expression, and its value for those of its operands.
struct Formula {
  pe::Any expression;
  std::function<double(double const *)> value;
};

class Generator : public fuzz::Cases {
public:
  Generator(Random &random, Device const &device) : Cases(random, device, true) {}

private:
  Shape someShape() { return views_.someShape(oneIn(random_, 8) ? 300000 : 6000); }

  void add() override {
    switch (number(5)) {
    case 0:
      return addMap();
    case 1:
    case 2:
      return addReduce();
    case 3:
      return addCast();
    default:
      return addSort();
    }
  }

  Formula formula(std::size_t depth, unsigned operands) {
    if (depth == 0) {
      unsigned const k = static_cast<unsigned>(number(operands));
      if (oneIn(random_, 6)) { // of constants alone no type could be inferred
        int const c = static_cast<int>(number(5)) - 2;
        return {pe::Add(pe::PlaceHolder(k + 1), pe::Const(c)),
                [k, c](double const *x) { return x[k] + c; }};
      }
      return {pe::PlaceHolder(k + 1), [k](double const *x) { return x[k]; }};
    }
    Formula const a = formula(depth - 1, operands);
    auto const f = a.value;
    switch (number(5)) {
    case 0:
      return {pe::Abs(a.expression), [f](double const *x) { return std::fabs(f(x)); }};
    case 1:
      return {pe::Neg(a.expression), [f](double const *x) { return -f(x); }};
    case 2:
      return {pe::Square(a.expression), [f](double const *x) { return f(x) * f(x); }};
    default:
      break;
    }
    Formula const b = formula(depth - 1, operands);
    auto const g = b.value;
    switch (number(6)) {
    case 0:
      return {pe::Add(a.expression, b.expression), [f, g](double const *x) { return f(x) + g(x); }};
    case 1:
      return {pe::Sub(a.expression, b.expression), [f, g](double const *x) { return f(x) - g(x); }};
    case 2:
      return {pe::Mul(a.expression, b.expression), [f, g](double const *x) { return f(x) * g(x); }};
    case 3:
      return {pe::Max(a.expression, b.expression),
              [f, g](double const *x) { return std::max(f(x), g(x)); }};
    case 4:
      return {pe::Min(a.expression, b.expression),
              [f, g](double const *x) { return std::min(f(x), g(x)); }};
    default:
      return {pe::Select(a.expression, b.expression, pe::Lt(a.expression, b.expression)),
              [f, g](double const *x) { return f(x) < g(x) ? f(x) : g(x); }};
    }
  }

  void addMap() {
    tell("map");
    Shape const shape = someShape();
    bool const inPlace = oneIn(random_, 2);
    std::vector<View> operands{inPlace ? written(type_, shape) : view(type_, shape)};
    for (std::size_t n = number(3); n != 0; --n) {
      Shape other = shape;
      if (oneIn(random_, 2))
        for (std::size_t &size : other)
          size = oneIn(random_, 2) ? 1 : size;
      operands.push_back(view(type_, other));
    }
    std::vector<Tensor> tensors;
    for (View const &operand : operands)
      tensors.push_back(operand.tensor);
    // The first operand gives the result its shape and its type.
    Formula const rest = formula(1 + number(2), static_cast<unsigned>(operands.size()));
    auto const g = rest.value;
    Formula const all{pe::Add(pe::_1, rest.expression),
                      [g](double const *x) { return x[0] + g(x); }};
    auto const compute = [&] {
      std::vector<Numbers> values;
      for (View const &operand : operands)
        values.push_back(numbers(type_, operand));
      Numbers result;
      forEachIndex(operands[0].shape, [&](Shape const &index) {
        std::vector<double> x;
        for (std::size_t k = 0; k != operands.size(); ++k) {
          Shape at = index;
          for (std::size_t d = 0; d != at.size(); ++d)
            at[d] = operands[k].shape[d] == 1 ? 0 : at[d];
          x.push_back(values[k][flat(operands[k].shape, at)]);
        }
        result.push_back(all.value(x.data()));
      });
      return result;
    };
    if (inPlace) {
      popops::mapInPlace(graph_, all.expression, tensors, prog_);
      assign(type_, operands[0], compute());
    } else {
      expect(type_, popops::map(graph_, all.expression, tensors, prog_), compute());
    }
  }

  void addReduce() {
    struct Op {
      popops::Operation op;
      double identity;
      double (*f)(double, double);
    };
    static Op const ops[] = {
        {popops::Operation::ADD, 0, [](double a, double x) { return a + x; }},
        {popops::Operation::SQUARE_ADD, 0, [](double a, double x) { return a + x * x; }},
        {popops::Operation::MAX, -INFINITY, [](double a, double x) { return std::max(a, x); }},
        {popops::Operation::MIN, INFINITY, [](double a, double x) { return std::min(a, x); }},
    };
    tell("reduce");
    Shape const shape = someShape();
    Op const op = ops[number(std::size(ops))];
    std::vector<std::size_t> dims;
    Shape kept, left;
    for (std::size_t d = 0; d != shape.size(); ++d) {
      bool const reduced = oneIn(random_, 2);
      if (reduced)
        dims.push_back(d);
      else
        left.push_back(shape[d]);
      kept.push_back(reduced ? 1 : shape[d]);
    }
    View const in = view(type_, shape);
    bool const sums = op.identity == 0;
    Type const outType = sums && type_ == HALF && oneIn(random_, 2) ? FLOAT : type_;
    auto const compute = [&] {
      Numbers const values = numbers(type_, in);
      Numbers result(product(kept), op.identity);
      std::size_t i = 0;
      forEachIndex(in.shape, [&](Shape index) {
        for (std::size_t d = 0; d != index.size(); ++d)
          index[d] = kept[d] == 1 ? 0 : index[d];
        double &sum = result[flat(kept, index)];
        sum = op.f(sum, values[i++]);
      });
      return result;
    };
    if (sums && oneIn(random_, 3)) {
      View const out = written(outType, left);
      popops::reduceWithOutput(graph_, in.tensor, out.tensor, dims, {op.op, true}, prog_);
      Numbers values = numbers(outType, out);
      Numbers const more = compute();
      for (std::size_t i = 0; i != values.size(); ++i)
        values[i] += more[i];
      assign(outType, out, values);
    } else {
      expect(outType, popops::reduce(graph_, in.tensor, outType, dims, {op.op}, prog_), compute());
    }
  }

  void addCast() {
    tell("cast");
    Type const types[] = {FLOAT, HALF, INT};
    Type const to = types[number(std::size(types))];
    View const in = view(type_, someShape());
    expect(to, popops::cast(graph_, in.tensor, to, prog_), numbers(type_, in));
  }

  /// In order along a dimension, or the first few of the last one.
  void addSort() {
    tell("sort");
    Shape const shape = someShape();
    bool const top = oneIn(random_, 2), descending = top && oneIn(random_, 2);
    std::size_t const d = top ? shape.size() - 1 : number(shape.size());
    std::size_t const k = top ? number(std::min<std::size_t>(shape[d], 40) + 1) : shape[d];
    View const in = view(type_, shape);
    auto const compute = [&] {
      Numbers const values = numbers(type_, in);
      Shape outShape = in.shape, rows = in.shape;
      outShape[d] = k;
      rows[d] = 1;
      Numbers result(product(outShape));
      forEachIndex(rows, [&](Shape index) {
        Numbers row;
        for (index[d] = 0; index[d] != in.shape[d]; ++index[d])
          row.push_back(values[flat(in.shape, index)]);
        std::sort(row.begin(), row.end());
        if (descending)
          std::reverse(row.begin(), row.end());
        for (index[d] = 0; index[d] != k; ++index[d])
          result[flat(outShape, index)] = row[index[d]];
      });
      return result;
    };
    if (top) {
      popops::TopKParams const params(static_cast<unsigned>(k), descending,
                                      descending ? popops::SortOrder::DESCENDING
                                                 : popops::SortOrder::ASCENDING);
      expect(type_, popops::topK(graph_, prog_, in.tensor, params), compute());
    } else {
      expect(type_, popops::sort(graph_, in.tensor, static_cast<unsigned>(d), prog_), compute());
    }
  }
};

} // namespace

int main(int argc, char **argv) {
  return fuzz::runCases<Generator>("fuzz-arrays", argc, argv, {7});
}
