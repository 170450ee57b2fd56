// Programs of library operations with loops, branches and functions, on views of variables that
// they share and of each other's results; compiled at once or by way of a serialised executable,
// run twice, and compared with the same steps on the host.
#include "Cases.hpp"

#include <poplar/Executable.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Fill.hpp>
#include <popops/Loop.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/Sort.hpp>
#include <popops/Zero.hpp>

#include <set>

using namespace poplar;
using namespace poplar::program;
using namespace popops::expr;
using fuzz::Numbers;
using fuzz::oneIn;
using fuzz::product;
using fuzz::Random;
using fuzz::Shape;
using fuzz::Storage;
using fuzz::View;

namespace {

/// Numbers are integers of at most this magnitude: exact in each type, as are their sums.
constexpr int MOST = 8;
constexpr std::size_t LARGEST = 300; ///< elements of an operand

double limited(double x) { return std::clamp<double>(x, -MOST, MOST); }
Clamp limited(Any const &term) { return Clamp(term, Const(-MOST), Const(MOST)); }

bool overlap(View const &a, View const &b) {
  std::set<std::pair<Storage *, std::size_t>> const places(a.places.begin(), a.places.end());
  return std::any_of(b.places.begin(), b.places.end(),
                     [&](auto const &place) { return places.count(place) != 0; });
}

/// Part of a program, and what it does on the host.
struct Block {
  Sequence prog;
  std::vector<std::function<void()>> steps;

  void run() const {
    for (auto const &step : steps)
      step();
  }
};

class Generator {
public:
  Generator(Random &random, Device const &device)
      : random_(random), device_(device), top_(device.getTarget()), graph_(someGraph()),
        views_(random, graph_, [this](Type const &type, auto &bytes) { fill(type, bytes); }),
        codec_(device.getTarget()) {
    popops::addCodelets(graph_);
    poplin::addCodelets(graph_);
  }

  void check() {
    for (Type const &type : {FLOAT, FLOAT, HALF, HALF, INT, UNSIGNED_INT})
      addVariable(type);
    Block all;
    addSome(all, 3 + number(22), 0);
    // What is read lives on, and what is not may make room for others.
    for (std::size_t i = 0; i != values_.size(); ++i)
      if (oneIn(random_, 2))
        graph_.createHostRead("value" + std::to_string(i), values_[i].view.tensor, true),
            read_.push_back(i);
    Engine engine = compiled(all.prog);
    engine.load(device_);
    views_.write(engine);
    for (int run = 0; run != 2; ++run) {
      engine.run(0);
      all.run();
      // Numbers, not bits: which zero the largest of 0 and -0 is is open.
      for (Value const &variable : variables_)
        compare(engine, variable.view.places[0].first->handle, variable);
      for (std::size_t const i : read_)
        compare(engine, "value" + std::to_string(i), values_[i]);
    }
  }

private:
  struct Value {
    View view;
    Type type;
  };

  std::size_t number(std::size_t limit) { return fuzz::below(random_, limit); }
  Type someType() {
    Type const types[] = {FLOAT, FLOAT, HALF, HALF, INT};
    return types[number(std::size(types))];
  }
  Type someFloating() { return oneIn(random_, 2) ? FLOAT : HALF; }

  /// All tiles, half of them, or some in another order.
  Graph someGraph() {
    unsigned const tiles = top_.getTarget().getNumTiles();
    if (tiles < 8 || oneIn(random_, 3))
      return top_.createVirtualGraph(tiles);
    return oneIn(random_, 2) ? top_.createVirtualGraph(tiles / 2)
                             : top_.createVirtualGraph(std::vector<unsigned>{5, 2, 7});
  }
  void fill(Type const &type, std::vector<unsigned char> &bytes) {
    std::size_t const size = graph_.getTarget().getTypeSize(type);
    for (std::size_t i = 0; i != bytes.size(); i += size)
      codec_.write(type,
                   type == UNSIGNED_INT ? static_cast<double>(number(MOST + 1))
                                        : static_cast<double>(number(2 * MOST + 1)) - MOST,
                   &bytes[i]);
  }
  Engine compiled(Program const &prog) {
    OptionFlags options;
    if (oneIn(random_, 2))
      options.set("engine.numThreads", oneIn(random_, 2) ? "3" : "1");
    std::size_t const way = number(3);
    if (way == 0)
      return Engine(top_, prog, options);
    Executable executable = compileGraph(top_, {prog}, options);
    if (way == 1)
      return Engine(std::move(executable), options);
    std::stringstream file;
    executable.serialize(file);
    return Engine(Executable::deserialize(file), options);
  }
  void compare(Engine &engine, std::string const &handle, Value const &value) const {
    fuzz::expectNumbers(engine, handle, codec_, value.type, numbers(value.view), 0, story_);
  }

  Shape someShape() {
    Shape shape;
    for (std::size_t rank = number(4); rank != 0; --rank)
      shape.push_back(1 + number(6));
    if (!shape.empty() && oneIn(random_, 6))
      shape[number(shape.size())] *= 5;
    return shape;
  }
  void addVariable(Type const &type) {
    values_.push_back({views_.variable(type, someShape()), type});
    variables_.push_back(values_.back());
  }
  /// What the program makes of a tensor, element by element.
  View made(Tensor const &t) {
    auto storage = std::make_unique<Storage>();
    storage->elementBytes = graph_.getTarget().getTypeSize(t.elementType());
    storage->bytes.resize(t.numElements() * storage->elementBytes);
    View view{t, t.shape(), {}};
    for (std::size_t i = 0; i != t.numElements(); ++i)
      view.places.emplace_back(storage.get(), i);
    made_.push_back(std::move(storage));
    values_.push_back({view, t.elementType()});
    return view;
  }

  /// Up to three steps from a view to another.
  View someView(View v, bool repeats) {
    for (std::size_t steps = number(4); steps != 0; --steps) {
      if (v.shape.empty()) {
        v = fuzz::RandomViews::reshaped(v, {1});
        continue;
      }
      std::size_t const d = number(v.shape.size()), n = v.shape[d];
      switch (number(7)) {
      case 0: {
        std::size_t const from = number(n);
        v = fuzz::sliced(v, from, from + 1 + number(n - from), d);
        break;
      }
      case 1: {
        std::vector<unsigned> order(v.shape.size());
        std::iota(order.begin(), order.end(), 0U);
        std::shuffle(order.begin(), order.end(), random_);
        v = fuzz::shuffled(v, order);
        break;
      }
      case 2:
        v = fuzz::reversed(v, d);
        break;
      case 3:
        v = fuzz::RandomViews::reshaped(v, {v.size()});
        break;
      case 4:
        v = fuzz::subSampled(v, 2, d);
        break;
      case 5:
        v = fuzz::picked(v, v.tensor[0], Shape(v.shape.begin() + 1, v.shape.end()),
                         [](Shape index) { return index.insert(index.begin(), 0), index; });
        break;
      default:
        if (repeats && v.size() <= LARGEST / 3)
          v = fuzz::repeated(v, 2, d);
      }
    }
    return v;
  }
  /// A view of a value of the type; with `written` one that programs may write to.
  View pick(Type const &type, bool written = false) {
    for (int trials = 0; trials != 100; ++trials) {
      Value const &value = values_[number(values_.size())];
      if (value.type != type || (written && !value.view.tensor.isParallelWriteable()))
        continue;
      View view = someView(value.view, !written);
      if (view.size() <= LARGEST)
        return view;
    }
    addVariable(type);
    return values_.back().view;
  }
  /// Its elements in a shape, the first ones or all of them again and again.
  static View fit(View const &view, Shape const &shape) {
    std::size_t const has = view.size(), needed = product(shape);
    View const all =
        fuzz::repeated(fuzz::RandomViews::reshaped(view, {has}), (needed + has - 1) / has, 0);
    return fuzz::RandomViews::reshaped(fuzz::sliced(all, 0, needed, 0), shape);
  }
  View pickOf(Type const &type, Shape const &shape) { return fit(pick(type), shape); }

  Numbers numbers(View const &view) const {
    Numbers result(view.size());
    for (std::size_t i = 0; i != result.size(); ++i)
      result[i] = codec_.read(view.tensor.elementType(), view.at(i));
    return result;
  }
  void assign(View const &view, Numbers const &values) const {
    for (std::size_t i = 0; i != values.size(); ++i)
      codec_.write(view.tensor.elementType(), values[i], view.at(i));
  }
  /// A step of the host: to = f(values of the operands), a vector each.
  template <class F, class... Views>
  void step(Block &block, View const &to, F f, Views const &...operands) {
    block.steps.push_back([=, this] { assign(to, f(numbers(operands)...)); });
  }
  /// The same element by element.
  template <class F, class... Views>
  void each(Block &block, View const &to, F f, Views const &...operands) {
    step(
        block, to,
        [f](auto const &...values) {
          Numbers result(std::min({values.size()...}));
          for (std::size_t i = 0; i != result.size(); ++i)
            result[i] = f(values[i]...);
          return result;
        },
        operands...);
  }
  void tell(std::string const &what, std::size_t depth) {
    story_ += '\n' + std::string(2 * depth, ' ') + what;
  }

  void addSome(Block &block, std::size_t count, std::size_t depth) {
    for (; count != 0; --count)
      add(block, depth);
  }
  void add(Block &block, std::size_t depth) {
    using Add = void (Generator::*)(Block &);
    constexpr std::pair<char const *, Add> operations[] = {
        {"binary", &Generator::addBinary},     {"unary", &Generator::addUnary},
        {"in place", &Generator::addInPlace},  {"with output", &Generator::addWithOutput},
        {"select", &Generator::addSelect},     {"copy", &Generator::addCopy},
        {"reduce", &Generator::addReduction},  {"product", &Generator::addProduct},
        {"slice", &Generator::addSlice},       {"update", &Generator::addUpdate},
        {"rows", &Generator::addRows},         {"update rows", &Generator::addRowUpdate},
        {"cast", &Generator::addCast},         {"scaled add", &Generator::addScaledAdd},
        {"fill", &Generator::addFill},         {"sort", &Generator::addSort},
        {"concatenate", &Generator::addConcat}};
    using AddBlocks = void (Generator::*)(Block &, std::size_t);
    constexpr std::pair<char const *, AddBlocks> blocks[] = {{"repeat", &Generator::addRepeat},
                                                             {"if", &Generator::addIf},
                                                             {"switch", &Generator::addSwitch},
                                                             {"call", &Generator::addCalls}};
    if (depth < 3 && oneIn(random_, 6)) {
      auto const &[name, function] = blocks[number(std::size(blocks))];
      tell(name, depth);
      return (this->*function)(block, depth + 1);
    }
    auto const &[name, function] = operations[number(std::size(operations))];
    tell(name, depth);
    (this->*function)(block);
  }

  struct Binary {
    Any term;
    double (*value)(double, double);
  };
  Binary someBinary() {
    switch (number(5)) {
    case 0:
      return {_1 + _2, [](double x, double y) { return x + y; }};
    case 1:
      return {_1 - _2, [](double x, double y) { return x - y; }};
    case 2:
      return {_1 * _2, [](double x, double y) { return x * y; }};
    case 3:
      return {Max(_1, _2), [](double x, double y) { return std::max(x, y); }};
    default:
      return {Min(_1, _2), [](double x, double y) { return std::min(x, y); }};
    }
  }
  void addBinary(Block &block) {
    Type const type = someType();
    View const a = pick(type), b = pickOf(type, a.shape);
    Binary const binary = someBinary();
    View const to =
        made(popops::map(graph_, limited(binary.term), {a.tensor, b.tensor}, block.prog));
    each(
        block, to, [f = binary.value](double x, double y) { return limited(f(x, y)); }, a, b);
  }
  void addUnary(Block &block) {
    View const a = pick(someType());
    switch (number(3)) {
    case 0:
      return each(
          block, made(popops::neg(graph_, a.tensor, block.prog)), [](double x) { return -x; }, a);
    case 1:
      return each(
          block, made(popops::abs(graph_, a.tensor, block.prog)),
          [](double x) { return std::fabs(x); }, a);
    default:
      return each(
          block, made(popops::signum(graph_, a.tensor, block.prog)),
          [](double x) { return static_cast<double>((x > 0) - (x < 0)); }, a);
    }
  }
  /// The second operand may have elements of the first in another order.
  void addInPlace(Block &block) {
    Type const type = someType();
    View const a = pick(type, true),
               b = fit(oneIn(random_, 2) ? someView(a, true) : pick(type), a.shape);
    Binary const binary = someBinary();
    popops::mapInPlace(graph_, limited(binary.term), {a.tensor, b.tensor}, block.prog);
    each(
        block, a, [f = binary.value](double x, double y) { return limited(f(x, y)); }, a, b);
  }
  void addWithOutput(Block &block) {
    Type const type = someType();
    View const to = pick(type, true),
               a = fit(oneIn(random_, 2) ? someView(to, true) : pick(type), to.shape),
               b = pickOf(type, to.shape);
    Binary const binary = someBinary();
    popops::mapWithOutput(graph_, limited(binary.term), {a.tensor, b.tensor}, to.tensor,
                          block.prog);
    each(
        block, to, [f = binary.value](double x, double y) { return limited(f(x, y)); }, a, b);
  }
  void addSelect(Block &block) {
    Type const type = someType(), other = someType();
    View const a = pick(type), b = pickOf(type, a.shape), c = pickOf(other, a.shape),
               d = pickOf(other, a.shape);
    View const to = made(popops::map(graph_, Select(_1, _2, _3 < _4),
                                     {a.tensor, b.tensor, c.tensor, d.tensor}, block.prog));
    each(
        block, to,
        [](double x, double y, double left, double right) { return left < right ? x : y; }, a, b, c,
        d);
  }
  void addCopy(Block &block) {
    Type const type = someType();
    View const to = pick(type, true), from = pickOf(type, to.shape);
    if (overlap(to, from))
      return;
    block.prog.add(Copy(from.tensor, to.tensor));
    each(
        block, to, [](double x) { return x; }, from);
  }
  void addReduction(Block &block) {
    Type const type = someType();
    View const a = pick(type);
    std::vector<std::size_t> dims;
    Shape left, place(a.shape.size()); // of an index in the result's
    for (std::size_t d = 0; d != a.shape.size(); ++d)
      if (oneIn(random_, 2))
        dims.push_back(d), place[d] = SIZE_MAX;
      else
        place[d] = left.size(), left.push_back(a.shape[d]);
    bool const sums = oneIn(random_, 2);
    Tensor const t =
        popops::reduce(graph_, a.tensor, sums && type == HALF ? FLOAT : type, dims,
                       sums ? popops::Operation::ADD : popops::Operation::MAX, block.prog);
    popops::mapInPlace(graph_, limited(_1), {t}, block.prog);
    step(
        block, made(t),
        [shape = a.shape, place, left, sums](Numbers const &values) {
          Numbers result(product(left), sums ? 0 : -1e9);
          std::size_t i = 0;
          fuzz::forEachIndex(shape, [&](Shape const &index) {
            Shape at(left.size());
            for (std::size_t d = 0; d != index.size(); ++d)
              if (place[d] != SIZE_MAX)
                at[place[d]] = index[d];
            double &r = result[fuzz::flat(left, at)];
            r = sums ? r + values[i] : std::max(r, values[i]);
            ++i;
          });
          for (double &r : result)
            r = limited(r);
          return result;
        },
        a);
  }
  void addProduct(Block &block) {
    Type const type = someFloating();
    std::size_t const m = 1 + number(5), k = 1 + number(5), n = 1 + number(8);
    View const a = pickOf(type, {m, k}), b = pickOf(type, {k, n});
    Tensor const t = poplin::matMul(graph_, a.tensor, b.tensor, block.prog, FLOAT);
    popops::mapInPlace(graph_, limited(_1), {t}, block.prog);
    step(
        block, made(t),
        [m, k, n](Numbers const &x, Numbers const &y) {
          Numbers result(m * n, 0);
          for (std::size_t i = 0; i != m; ++i)
            for (std::size_t j = 0; j != n; ++j) {
              for (std::size_t l = 0; l != k; ++l)
                result[i * n + j] += x[i * k + l] * y[l * n + j];
              result[i * n + j] = limited(result[i * n + j]);
            }
          return result;
        },
        a, b);
  }
  /// Offsets below a limit.
  View offsets(Block &block, Shape const &shape, std::size_t limit) {
    View const any = pickOf(UNSIGNED_INT, shape);
    View const to = made(popops::rem(graph_, any.tensor, static_cast<unsigned>(limit), block.prog));
    each(
        block, to, [limit](double x) { return std::fmod(x, static_cast<double>(limit)); }, any);
    return to;
  }
  /// For every element of a slice of `size` from an offset on, in dimension d of the shape: f(its
  /// place in the whole, its place in the slice). Slices go on at the beginning.
  template <class F>
  static void forSlice(Shape const &shape, std::size_t d, std::size_t size, double offset, F f) {
    Shape slice = shape;
    slice[d] = size;
    std::size_t i = 0;
    fuzz::forEachIndex(slice, [&](Shape index) {
      index[d] = (index[d] + static_cast<std::size_t>(offset)) % shape[d];
      f(fuzz::flat(shape, index), i++);
    });
  }
  void addSlice(Block &block) {
    View const a = pick(someType());
    if (a.shape.empty())
      return;
    std::size_t const d = number(a.shape.size()), size = 1 + number(a.shape[d]);
    View const offset = offsets(block, {1}, a.shape[d]);
    View const to =
        made(popops::dynamicSlice(graph_, a.tensor, offset.tensor, {d}, {size}, block.prog));
    step(
        block, to,
        [shape = a.shape, d, size](Numbers const &whole, Numbers const &from) {
          Numbers result(product(shape) / shape[d] * size);
          forSlice(shape, d, size, from[0],
                   [&](std::size_t at, std::size_t i) { result[i] = whole[at]; });
          return result;
        },
        a, offset);
  }
  void addUpdate(Block &block) {
    Type const type = someType();
    View const a = pick(type, true);
    if (a.shape.empty())
      return;
    std::size_t const d = number(a.shape.size()), size = 1 + number(a.shape[d]);
    Shape part = a.shape;
    part[d] = size;
    View const b = pickOf(type, part);
    if (overlap(a, b))
      return;
    View const offset = offsets(block, {1}, a.shape[d]);
    popops::dynamicUpdate(graph_, a.tensor, b.tensor, offset.tensor, {d}, {size}, block.prog);
    step(
        block, a,
        [shape = a.shape, d, size](Numbers whole, Numbers const &slice, Numbers const &from) {
          forSlice(shape, d, size, from[0],
                   [&](std::size_t at, std::size_t i) { whole[at] = slice[i]; });
          return whole;
        },
        a, b, offset);
  }
  static View asRows(View const &view) {
    std::size_t const rows = view.shape.empty() ? 1 : view.shape[0];
    return fuzz::RandomViews::reshaped(view, {rows, view.size() / rows});
  }
  void addRows(Block &block) {
    View const a = asRows(pick(someType()));
    std::size_t const count = 1 + number(9), width = a.shape[1];
    View const rows = offsets(block, {count, 1}, a.shape[0]);
    View const to = made(popops::multiSlice(graph_, a.tensor, rows.tensor, {0}, {1}, block.prog,
                                            popops::SlicePlan(), {}));
    step(
        block, to,
        [width](Numbers const &table, Numbers const &which) {
          Numbers result;
          for (double const row : which)
            for (std::size_t i = 0; i != width; ++i)
              result.push_back(table[static_cast<std::size_t>(row) * width + i]);
          return result;
        },
        a, rows);
  }
  void addRowUpdate(Block &block) {
    Type const type = someFloating();
    View const a = asRows(pick(type, true));
    std::size_t const count = 1 + number(9), width = a.shape[1];
    View const b = pickOf(type, {count, 1, width});
    if (overlap(a, b))
      return;
    View const rows = offsets(block, {count, 1}, a.shape[0]);
    bool const adds = oneIn(random_, 2);
    if (adds) {
      Tensor const one = graph_.addConstant(type, {}, 1);
      graph_.setTileMapping(one, 0);
      popops::multiUpdateAdd(graph_, a.tensor, b.tensor, rows.tensor, one, {0}, {1}, block.prog,
                             popops::SlicePlan(), {});
      popops::mapInPlace(graph_, limited(_1), {a.tensor}, block.prog);
    } else {
      popops::multiUpdate(graph_, a.tensor, b.tensor, rows.tensor, {0}, {1}, block.prog,
                          popops::SlicePlan(), {});
    }
    step(
        block, a,
        [width, adds](Numbers table, Numbers const &updates, Numbers const &which) {
          for (std::size_t r = 0; r != which.size(); ++r)
            for (std::size_t i = 0; i != width; ++i) {
              double &x = table[static_cast<std::size_t>(which[r]) * width + i];
              x = adds ? x + updates[r * width + i] : updates[r * width + i];
            }
          for (double &x : table)
            x = limited(x);
          return table;
        },
        a, b, rows);
  }
  void addCast(Block &block) {
    View const a = pick(someType());
    each(
        block, made(popops::cast(graph_, a.tensor, someType(), block.prog)),
        [](double x) { return x; }, a);
  }
  void addScaledAdd(Block &block) {
    Type const type = someType();
    View const a = pick(type, true), b = pickOf(type, a.shape);
    if (overlap(a, b))
      return;
    popops::scaledAddTo(graph_, a.tensor, b.tensor, 2.F, block.prog);
    popops::mapInPlace(graph_, limited(_1), {a.tensor}, block.prog);
    each(
        block, a, [](double x, double y) { return limited(x + 2 * y); }, a, b);
  }
  void addFill(Block &block) {
    View const a = pick(someType(), true);
    int const value = oneIn(random_, 2) ? 0 : static_cast<int>(number(MOST + 1));
    if (value == 0)
      popops::zero(graph_, a.tensor, block.prog);
    else
      popops::fill(graph_, a.tensor, block.prog, value);
    each(
        block, a, [value](double) { return static_cast<double>(value); }, a);
  }
  void addSort(Block &block) {
    View const a = asRows(pick(someType(), true));
    popops::sortInPlace(graph_, a.tensor, 1, block.prog);
    step(
        block, a,
        [width = static_cast<std::ptrdiff_t>(a.shape[1])](Numbers values) {
          for (auto row = values.begin(); row != values.end(); row += width)
            std::sort(row, row + width);
          return values;
        },
        a);
  }
  void addConcat(Block &) {
    Type const type = someType();
    View const a = pick(type), b = pick(type);
    View both{concat(a.tensor.flatten(), b.tensor.flatten()), {a.size() + b.size()}, a.places};
    both.places.insert(both.places.end(), b.places.begin(), b.places.end());
    values_.push_back({both, type});
  }

  void addRepeat(Block &block, std::size_t depth) {
    auto const times = static_cast<unsigned>(1 + number(3));
    Block body;
    addSome(body, 1 + number(4), depth);
    if (oneIn(random_, 4))
      block.prog.add(popops::countedLoop(graph_, times, [&](Tensor const &) { return body.prog; }));
    else
      block.prog.add(Repeat(times, body.prog));
    block.steps.push_back([body, times] {
      for (unsigned i = 0; i != times; ++i)
        body.run();
    });
  }
  /// What a branch makes is not there behind it.
  Block branch(std::size_t most, std::size_t depth) {
    std::size_t const before = values_.size();
    Block result;
    addSome(result, number(most + 1), depth);
    values_.resize(before, values_.front());
    return result;
  }
  void addIf(Block &block, std::size_t depth) {
    View const x = pickOf(someType(), {});
    Tensor const isPositive = popops::map(graph_, _1 > Const(0), {x.tensor}, block.prog);
    Block const yes = branch(3, depth), no = branch(2, depth);
    block.prog.add(If(isPositive, yes.prog, no.prog));
    block.steps.push_back([=, this] { (numbers(x)[0] > 0 ? yes : no).run(); });
  }
  void addSwitch(Block &block, std::size_t depth) {
    View const any = offsets(block, {}, 3);
    Tensor const which = popops::cast(graph_, any.tensor, INT, block.prog);
    std::vector<Block> const cases = {branch(3, depth), branch(3, depth)};
    Switch choice(which);
    for (std::size_t i = 0; i != cases.size(); ++i)
      choice.add(static_cast<std::int32_t>(i), cases[i].prog);
    block.prog.add(choice);
    block.steps.push_back([=, this] {
      auto const i = static_cast<std::size_t>(numbers(any)[0]);
      if (i < cases.size())
        cases[i].run();
    });
  }
  void addCalls(Block &block, std::size_t depth) {
    Block body;
    addSome(body, 1 + number(3), depth);
    Function const function = graph_.addFunction(body.prog);
    for (std::size_t times = 1 + number(3); times != 0; --times) {
      block.prog.add(Call(function));
      block.steps.push_back([body] { body.run(); });
    }
  }

  Random &random_;
  Device const &device_;
  Graph top_, graph_;
  fuzz::RandomViews views_;
  fuzz::Codec codec_;
  std::vector<std::unique_ptr<Storage>> made_;
  std::vector<Value> values_, variables_; ///< what there is at this point of the program
  std::vector<std::size_t> read_;
  std::string story_;
};

} // namespace

int main(int argc, char **argv) {
  Device const cpu = Device::createCPUDevice();
  IPUModel model;
  model.tilesPerIPU = 16;
  Device const tiles = model.createDevice();
  return fuzz::run("fuzz-programs", argc, argv, [&](Random &random) {
    Generator(random, oneIn(random, 2) ? tiles : cpu).check();
  });
}
