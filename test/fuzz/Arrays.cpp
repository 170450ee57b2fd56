// Operations on arrays that are views of any kind against the same, element by element. Numbers
// are small integers, so that results are exact in any order and each must be the expected one.
#include "Codec.hpp"
#include "RandomViews.hpp"

#include <poplar/Device.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/Sort.hpp>
#include <popops/TopK.hpp>
#include <popops/codelets.hpp>

#include <cmath>

using namespace poplar;
using namespace poplar::program;
namespace pe = popops::expr;
using fuzz::oneIn;
using fuzz::product;
using fuzz::Random;
using fuzz::Shape;
using fuzz::View;

namespace {

using Numbers = std::vector<double>;

/// f(index) for every index of a shape, in order.
template <class F> void forEachIndex(Shape const &shape, F const &f) {
  Shape index(shape.size(), 0);
  for (std::size_t n = product(shape); n != 0; --n) {
    f(index);
    for (std::size_t d = index.size(); d-- != 0 && ++index[d] == shape[d];)
      index[d] = 0;
  }
}
std::size_t flat(Shape const &shape, Shape const &index) {
  std::size_t at = 0;
  for (std::size_t d = 0; d != shape.size(); ++d)
    at = at * shape[d] + index[d];
  return at;
}

/// An expression, and its value for those of its operands.
struct Formula {
  pe::Any expression;
  std::function<double(double const *)> value;
};

class Generator {
public:
  Generator(Random &random, Device const &device)
      : random_(random), device_(device), graph_(device.getTarget()), codec_(device.getTarget()),
        views_(random, graph_, [this](Type const &type, auto &bytes) { fill(type, bytes); }) {
    popops::addCodelets(graph_);
    poplin::addCodelets(graph_);
    type_ = oneIn(random_, 3) ? HALF : oneIn(random_, 4) ? INT : FLOAT;
  }

  void check() {
    for (std::size_t n = 1 + number(3); n != 0; --n)
      add();
    for (Result const &result : results_)
      graph_.createHostRead(result.name, result.tensor);
    Engine engine(graph_, prog_, {{"engine.numThreads", std::to_string(number(3))}});
    engine.load(device_);
    views_.write(engine);
    engine.run();
    for (auto const &act : actions_)
      act();
    for (Result const &result : results_)
      compare(engine, result);
    views_.expectSame(engine, what_);
  }

private:
  struct Result {
    std::string name;
    Tensor tensor;
    Type type;
    Numbers expected;
  };

  std::size_t number(std::size_t limit) { return fuzz::below(random_, limit); }

  void fill(Type const &type, std::vector<unsigned char> &bytes) {
    std::size_t const size = device_.getTarget().getTypeSize(type);
    for (std::size_t i = 0; i < bytes.size(); i += size)
      codec_.write(type,
                   type == UNSIGNED_INT ? static_cast<double>(number(indices_))
                                        : static_cast<double>(number(5)) - 2,
                   &bytes[i]);
  }
  Shape someShape() { return views_.someShape(oneIn(random_, 8) ? 300000 : 6000); }
  View view(Type const &type, Shape const &shape) {
    return views_.view(type, shape, number(4), true);
  }
  View written(Type const &type, Shape const &shape) {
    return views_.view(type, shape, number(4), false);
  }

  Numbers numbers(Type const &type, View const &view) const {
    Numbers values(view.size());
    for (std::size_t i = 0; i != values.size(); ++i)
      values[i] = codec_.read(type, view.at(i));
    return values;
  }
  void assign(Type const &type, View const &view, Numbers const &values) const {
    for (std::size_t i = 0; i != values.size(); ++i)
      codec_.write(type, values[i], view.at(i));
  }

  /// A tensor that the program makes, and what it shall be: computed when the host's contents are
  /// those that the program finds.
  void expect(Type const &type, Tensor const &t, std::function<Numbers()> compute) {
    std::size_t const k = results_.size();
    results_.push_back({"r" + std::to_string(k), t, type, {}});
    actions_.emplace_back(
        [this, k, compute = std::move(compute)] { results_[k].expected = compute(); });
  }
  void compare(Engine &engine, Result const &result) const {
    std::size_t const n = result.expected.size(),
                      size = device_.getTarget().getTypeSize(result.type);
    fuzz::expect(result.tensor.numElements() == n, result.name + " has another size: " + what_);
    std::vector<unsigned char> bytes(n * size);
    engine.readTensor(result.name, bytes.data(), bytes.data() + bytes.size());
    for (std::size_t i = 0; i != n; ++i) {
      double const actual = codec_.read(result.type, &bytes[i * size]),
                   expected = codec_.rounded(result.type, result.expected[i]);
      fuzz::expect(actual == expected, result.name + ": element " + std::to_string(i) + " is " +
                                           std::to_string(actual) + " instead of " +
                                           std::to_string(expected) + ":" + what_ + views_.story());
    }
  }

  void add() {
    switch (number(type_ == INT ? 6 : 8)) {
    case 0:
      return addMap();
    case 1:
    case 2:
      return addReduce();
    case 3:
      return addCast();
    case 4:
      return addSort();
    case 5:
      return addSlices();
    default:
      return addMatMul();
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
    what_ += " map";
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
    auto compute = [this, operands, all] {
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
      actions_.emplace_back([this, x = operands[0], compute] { assign(type_, x, compute()); });
    } else {
      expect(type_, popops::map(graph_, all.expression, tensors, prog_), compute);
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
    what_ += " reduce";
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
    auto compute = [this, in, kept, op] {
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
      actions_.emplace_back([this, out, outType, compute] {
        Numbers values = numbers(outType, out);
        Numbers const more = compute();
        for (std::size_t i = 0; i != values.size(); ++i)
          values[i] += more[i];
        assign(outType, out, values);
      });
    } else {
      expect(outType, popops::reduce(graph_, in.tensor, outType, dims, {op.op}, prog_), compute);
    }
  }

  void addCast() {
    what_ += " cast";
    Type const types[] = {FLOAT, HALF, INT};
    Type const to = types[number(std::size(types))];
    View const in = view(type_, someShape());
    expect(to, popops::cast(graph_, in.tensor, to, prog_),
           [this, in] { return numbers(type_, in); });
  }

  /// In order along a dimension, or the first few of the last one.
  void addSort() {
    what_ += " sort";
    Shape const shape = someShape();
    bool const top = oneIn(random_, 2), descending = top && oneIn(random_, 2);
    std::size_t const d = top ? shape.size() - 1 : number(shape.size());
    std::size_t const k = top ? number(std::min<std::size_t>(shape[d], 40) + 1) : shape[d];
    View const in = view(type_, shape);
    auto compute = [this, in, d, k, descending] {
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
      expect(type_, popops::topK(graph_, prog_, in.tensor, params), compute);
    } else {
      expect(type_, popops::sort(graph_, in.tensor, static_cast<unsigned>(d), prog_), compute);
    }
  }

  /// Rows of a table, read or added to.
  void addSlices() {
    what_ += " slices";
    constexpr std::size_t FEW = 400; // additions to a row stay exact in half
    std::size_t const sizes[] = {1, 2, 3, 7, 8, 16, 17, 33, 64, 100, 300};
    std::size_t const rows = sizes[number(std::size(sizes))],
                      columns = sizes[number(std::size(sizes))], n = 1 + number(FEW);
    indices_ = rows;
    View const offsets = view(UNSIGNED_INT, {n, 1});
    bool const update = oneIn(random_, 2);
    View const table = update ? written(type_, {rows, columns}) : view(type_, {rows, columns});
    auto const at = [offsets](std::size_t i) { return offsets.value<std::uint32_t>(i); };
    if (update) {
      View const slices = view(type_, {n, 1, columns});
      Tensor const scale = graph_.addConstant(type_, {}, 1);
      graph_.setTileMapping(scale, 0);
      popops::multiUpdateAdd(graph_, table.tensor, slices.tensor, offsets.tensor, scale, {0}, {1},
                             prog_, popops::SlicePlan(), {});
      actions_.emplace_back([=, this] {
        Numbers values = numbers(type_, table);
        Numbers const more = numbers(type_, slices);
        for (std::size_t i = 0; i != n; ++i)
          for (std::size_t c = 0; c != columns; ++c)
            values[at(i) * columns + c] += more[i * columns + c];
        assign(type_, table, values);
      });
    } else {
      expect(type_,
             popops::multiSlice(graph_, table.tensor, offsets.tensor, {0}, {1}, prog_,
                                popops::SlicePlan(), {}),
             [=, this] {
               Numbers const values = numbers(type_, table);
               Numbers result;
               for (std::size_t i = 0; i != n; ++i)
                 for (std::size_t c = 0; c != columns; ++c)
                   result.push_back(values[at(i) * columns + c]);
               return result;
             });
    }
  }

  void addMatMul() {
    constexpr std::size_t MOST_PRODUCTS = 3000000;
    what_ += " matMul";
    std::size_t const sizes[] = {1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 31, 32, 33, 48, 64, 100, 200};
    std::size_t g = 1, m, k, n;
    bool const grouped = oneIn(random_, 2);
    do {
      g = grouped ? 1 + number(oneIn(random_, 3) ? 200 : 5) : 1;
      m = sizes[number(std::size(sizes))];
      k = sizes[number(std::size(sizes))];
      n = sizes[number(std::size(sizes))];
    } while (g * m * k * n > MOST_PRODUCTS);
    View const a = view(type_, {g, m, k}), b = view(type_, {g, k, n});
    Tensor const c = grouped ? poplin::matMulGrouped(graph_, a.tensor, b.tensor, prog_, type_)
                             : poplin::matMul(graph_, a.tensor[0], b.tensor[0], prog_, type_);
    expect(type_, c, [=, this] {
      Numbers const x = numbers(type_, a), y = numbers(type_, b);
      Numbers result(g * m * n, 0);
      for (std::size_t i = 0; i != g * m; ++i)
        for (std::size_t l = 0; l != k; ++l)
          for (std::size_t j = 0; j != n; ++j)
            result[i * n + j] += x[i * k + l] * y[(i / m * k + l) * n + j];
      return result;
    });
  }

  Random &random_;
  Device const &device_;
  Graph graph_;
  fuzz::Codec codec_;
  fuzz::RandomViews views_;
  Type type_;
  std::size_t indices_ = 1; ///< of the tables that offsets are for
  Sequence prog_;
  std::vector<Result> results_;
  std::vector<std::function<void()>> actions_;
  std::string what_;
};

} // namespace

int main(int argc, char **argv) {
  IPUModel model;
  model.tilesPerIPU = 7;
  Device const devices[] = {Device::createCPUDevice(), model.createDevice()};
  return fuzz::run("fuzz-arrays", argc, argv, [&](Random &random) {
    Generator(random, devices[oneIn(random, 3) ? 1 : 0]).check();
  });
}
