// Random expressions of random types over random views, against a naive interpreter.
//
// Floating-point values are chosen so that every intermediate result is exact: an expression gives
// the same numbers fused or not, and must give those of the interpreter.
#include "Harness.hpp"

#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>

using namespace harness;
using poplar::BOOL;
using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::LONGLONG;
using poplar::Tensor;
using poplar::Type;
using poplar::UNSIGNED_INT;
using poplar::UNSIGNED_LONGLONG;
namespace pe = popops::expr;
using pe::BinaryOpType;
using pe::UnaryOpType;

namespace {

/// A number of any type. Doubles hold all that occur but 64-bit integers, whose values are kept
/// small enough to be exact.
struct Inexact {};

bool isReal(Type const &type) { return type == FLOAT || type == HALF; }
bool isSigned(Type const &type) { return type == INT || type == LONGLONG; }

/// What the type makes of a result: integers wrap; a real number must be exact.
double fitted(Type const &type, double x) {
  if (type == BOOL)
    return x != 0;
  if (isReal(type)) {
    if (!(std::fabs(x) < 1e30) || rounded(type, x) != x)
      throw Inexact();
    return x + 0.0; // one zero
  }
  if (!(std::fabs(x) < 0x1p52))
    throw Inexact();
  auto const wide = static_cast<long long>(x);
  if (type == INT)
    return static_cast<int>(static_cast<unsigned>(wide));
  if (type == UNSIGNED_INT)
    return static_cast<unsigned>(wide);
  if (type == UNSIGNED_LONGLONG && wide < 0)
    throw Inexact();
  return x;
}

unsigned bits(double x) { return static_cast<unsigned>(static_cast<long long>(x)); }
double fromBits(Type const &type, unsigned x) {
  return type == INT ? double(static_cast<int>(x)) : double(x);
}

struct Node {
  Type type;
  std::unique_ptr<pe::Any> expr;
  std::function<double(std::vector<double> const &)> value; ///< of the inputs at one place
};
using NodePtr = std::shared_ptr<Node>;

NodePtr make(Type const &type, pe::Expr const &expr,
             std::function<double(std::vector<double> const &)> value) {
  auto node = std::make_shared<Node>();
  node->type = type;
  node->expr = std::make_unique<pe::Any>(expr);
  node->value = std::move(value);
  return node;
}

class Generator {
public:
  Generator(Numbers &numbers, std::vector<Type> &inputs) : numbers_(numbers), inputs_(inputs) {}

  NodePtr expression(Type const &type, unsigned depth) {
    if (depth == 0 || numbers_.below(8) == 0)
      return leaf(type);
    if (type == BOOL)
      return logical(depth);
    switch (numbers_.below(6)) {
    case 0:
      return select(type, depth);
    case 1:
      return cast(type, depth);
    case 2:
      return unary(type, depth);
    default:
      return binary(type, depth);
    }
  }

private:
  NodePtr leaf(Type const &type) {
    std::size_t i = numbers_.below(inputs_.size() + 1);
    if (i == inputs_.size() || inputs_[i] != type) {
      i = inputs_.size();
      for (std::size_t k = 0; k != inputs_.size(); ++k)
        if (inputs_[k] == type && numbers_.below(2) == 0)
          i = k;
      if (i == inputs_.size())
        inputs_.push_back(type);
    }
    return make(type, pe::PlaceHolder(static_cast<unsigned>(i + 1)),
                [i](std::vector<double> const &in) { return in[i]; });
  }

  /// A node of the operation, or a constant beside it now and then.
  template <class F> NodePtr two(BinaryOpType op, NodePtr a, NodePtr b, Type const &type, F f) {
    return make(type, pe::BinaryOp(op, *a->expr, *b->expr), [=](std::vector<double> const &in) {
      return fitted(type, f(a->value(in), b->value(in)));
    });
  }
  template <class F> NodePtr withNumber(BinaryOpType op, NodePtr a, double number, F f) {
    Type const type = a->type;
    return make(
        type, pe::BinaryOp(op, *a->expr, pe::Const(static_cast<float>(number))),
        [=](std::vector<double> const &in) { return fitted(type, f(a->value(in), number)); });
  }

  NodePtr binary(Type const &type, unsigned depth) {
    NodePtr const a = expression(type, depth - 1);
    bool const hasBits = type == INT || type == UNSIGNED_INT;
    if (numbers_.below(3) == 0) {
      if (isReal(type))
        return withNumber(BinaryOpType::DIVIDE, a, 2, [](double x, double y) { return x / y; });
      double const divisor = static_cast<double>(1 + numbers_.below(5));
      if (numbers_.below(2) == 0)
        return withNumber(BinaryOpType::DIVIDE, a, divisor,
                          [](double x, double y) { return std::trunc(x / y); });
      return withNumber(BinaryOpType::REMAINDER, a, divisor,
                        [](double x, double y) { return std::fmod(x, y); });
    }
    if (hasBits && numbers_.below(3) == 0)
      return shift(a);
    NodePtr const b = expression(type, depth - 1);
    if (hasBits && numbers_.below(3) == 0)
      return bitwise(a, b);
    switch (numbers_.below(5)) {
    case 0:
      return two(BinaryOpType::ADD, a, b, type, [](double x, double y) { return x + y; });
    case 1:
      return two(BinaryOpType::SUBTRACT, a, b, type, [](double x, double y) { return x - y; });
    case 2:
      return two(BinaryOpType::MULTIPLY, a, b, type, [](double x, double y) { return x * y; });
    case 3:
      return two(BinaryOpType::MAXIMUM, a, b, type,
                 [](double x, double y) { return std::max(x, y); });
    default:
      return two(BinaryOpType::MINIMUM, a, b, type,
                 [](double x, double y) { return std::min(x, y); });
    }
  }

  NodePtr bitwise(NodePtr a, NodePtr b) {
    Type const type = a->type;
    struct Case {
      BinaryOpType op;
      unsigned (*f)(unsigned, unsigned);
    };
    static Case const CASES[] = {
        {BinaryOpType::BITWISE_AND, [](unsigned x, unsigned y) { return x & y; }},
        {BinaryOpType::BITWISE_OR, [](unsigned x, unsigned y) { return x | y; }},
        {BinaryOpType::BITWISE_XOR, [](unsigned x, unsigned y) { return x ^ y; }},
        {BinaryOpType::BITWISE_XNOR, [](unsigned x, unsigned y) { return ~(x ^ y); }}};
    Case const &chosen = CASES[numbers_.below(4)];
    return two(chosen.op, a, b, type, [f = chosen.f, type](double x, double y) {
      return fromBits(type, f(bits(x), bits(y)));
    });
  }

  NodePtr shift(NodePtr a) {
    Type const type = a->type;
    double const places = static_cast<double>(numbers_.below(32));
    if (type == INT && numbers_.below(3) == 0)
      return withNumber(BinaryOpType::SHIFT_RIGHT_SIGN_EXTEND, a, places, [](double x, double n) {
        return static_cast<double>(static_cast<int>(x) >> static_cast<int>(n));
      });
    if (numbers_.below(2) == 0)
      return withNumber(BinaryOpType::SHIFT_RIGHT, a, places, [type](double x, double n) {
        return fromBits(type, bits(x) >> static_cast<int>(n));
      });
    return withNumber(BinaryOpType::SHIFT_LEFT, a, places, [type](double x, double n) {
      return fromBits(type, bits(x) << static_cast<int>(n));
    });
  }

  NodePtr unary(Type const &type, unsigned depth) {
    NodePtr const a = expression(type, depth - 1);
    struct Case {
      UnaryOpType op;
      double (*f)(double);
    };
    static Case const REAL[] = {
        {UnaryOpType::ABSOLUTE, [](double x) { return std::fabs(x); }},
        {UnaryOpType::NEGATE, [](double x) { return -x; }},
        {UnaryOpType::FLOOR, [](double x) { return std::floor(x); }},
        {UnaryOpType::CEIL, [](double x) { return std::ceil(x); }},
        {UnaryOpType::ROUND, [](double x) { return std::round(x); }},
        {UnaryOpType::NEARBY_INT, [](double x) { return std::nearbyint(x); }},
        {UnaryOpType::TRUNC, [](double x) { return std::trunc(x); }},
        {UnaryOpType::SIGNUM, [](double x) { return double((x > 0) - (x < 0)); }},
        {UnaryOpType::SQUARE, [](double x) { return x * x; }},
        {UnaryOpType::RELU, [](double x) { return x > 0 ? x : 0; }}};
    static Case const WHOLE[] = {
        {UnaryOpType::SQUARE, [](double x) { return x * x; }},
        {UnaryOpType::BITWISE_NOT, [](double x) { return -1 - x; }},
        {UnaryOpType::POPCOUNT, [](double x) { return double(__builtin_popcount(bits(x))); }},
        {UnaryOpType::COUNT_LEADING_ZEROS,
         [](double x) { return bits(x) == 0 ? 32.0 : double(__builtin_clz(bits(x))); }},
        {UnaryOpType::ABSOLUTE, [](double x) { return std::fabs(x); }}, // signed ones from here on
        {UnaryOpType::NEGATE, [](double x) { return -x; }},
        {UnaryOpType::SIGNUM, [](double x) { return double((x > 0) - (x < 0)); }}};
    Case const chosen = isReal(type)           ? REAL[numbers_.below(10)]
                        : type == INT          ? WHOLE[numbers_.below(7)]
                        : type == UNSIGNED_INT ? WHOLE[numbers_.below(4)]
                        : type == LONGLONG     ? WHOLE[4 + numbers_.below(2)]
                                               : Case{UnaryOpType::BITWISE_NOT, nullptr};
    if (!chosen.f)
      return a;
    return make(type, pe::UnaryOp(chosen.op, *a->expr), [=](std::vector<double> const &in) {
      return fitted(type, chosen.f(a->value(in)));
    });
  }

  NodePtr select(Type const &type, unsigned depth) {
    NodePtr const a = expression(type, depth - 1), b = expression(type, depth - 1);
    bool const clamps = numbers_.below(2) == 0 && (isReal(type) || type == INT);
    if (clamps) {
      NodePtr const c = expression(type, depth - 1);
      return make(type, pe::Clamp(*a->expr, *b->expr, *c->expr),
                  [=](std::vector<double> const &in) {
                    double const v = a->value(in), low = b->value(in), high = c->value(in);
                    return low > high ? throw Inexact() : v < low ? low : v > high ? high : v;
                  });
    }
    NodePtr const condition = expression(BOOL, depth - 1);
    return make(type, pe::Select(*a->expr, *b->expr, *condition->expr),
                [=](std::vector<double> const &in) {
                  double const x = a->value(in), y = b->value(in);
                  return condition->value(in) != 0 ? x : y;
                });
  }

  NodePtr cast(Type const &type, unsigned depth) {
    static Type const SMALL[] = {FLOAT, HALF, INT, UNSIGNED_INT, BOOL};
    Type const from = type == LONGLONG || type == UNSIGNED_LONGLONG ? SMALL[2 + numbers_.below(3)]
                                                                    : SMALL[numbers_.below(5)];
    if (from == type)
      return expression(type, depth - 1);
    NodePtr const a = expression(from, depth - 1);
    return make(type, pe::Cast(*a->expr, type), [=](std::vector<double> const &in) {
      double const x = a->value(in);
      if (isReal(from) && !isReal(type) && (std::fabs(x) > 2e9 || (x < 0 && !isSigned(type))))
        throw Inexact(); // out of the integers' range
      if (type == UNSIGNED_LONGLONG && x < 0)
        throw Inexact();
      return fitted(type, isReal(type) ? x : std::trunc(x));
    });
  }

  NodePtr logical(unsigned depth) {
    static Type const TYPES[] = {FLOAT, HALF, INT, UNSIGNED_INT, LONGLONG};
    if (numbers_.below(3) == 0) {
      NodePtr const a = expression(BOOL, depth - 1);
      if (numbers_.below(3) == 0)
        return make(BOOL, pe::Not(*a->expr),
                    [=](std::vector<double> const &in) { return double(a->value(in) == 0); });
      NodePtr const b = expression(BOOL, depth - 1);
      if (numbers_.below(2) == 0)
        return two(BinaryOpType::LOGICAL_AND, a, b, BOOL,
                   [](double x, double y) { return double(x != 0 && y != 0); });
      return two(BinaryOpType::LOGICAL_OR, a, b, BOOL,
                 [](double x, double y) { return double(x != 0 || y != 0); });
    }
    Type const &type = TYPES[numbers_.below(5)];
    NodePtr const a = expression(type, depth - 1), b = expression(type, depth - 1);
    struct Case {
      BinaryOpType op;
      bool (*f)(double, double);
    };
    static Case const CASES[] = {
        {BinaryOpType::EQUAL, [](double x, double y) { return x == y; }},
        {BinaryOpType::NOT_EQUAL, [](double x, double y) { return x != y; }},
        {BinaryOpType::LESS_THAN, [](double x, double y) { return x < y; }},
        {BinaryOpType::LESS_THAN_EQUAL, [](double x, double y) { return x <= y; }},
        {BinaryOpType::GREATER_THAN, [](double x, double y) { return x > y; }},
        {BinaryOpType::GREATER_THAN_EQUAL, [](double x, double y) { return x >= y; }}};
    Case const &chosen = CASES[numbers_.below(6)];
    return two(chosen.op, a, b, BOOL,
               [f = chosen.f](double x, double y) { return double(f(x, y)); });
  }

  Numbers &numbers_;
  std::vector<Type> &inputs_;
};

/// A view and the place of each of its elements in its variable.
struct RandomView {
  Tensor t;
  std::vector<std::size_t> places;
};

/// A view of that shape of a new variable: permuted, strided, reversed, with margins, and repeated
/// where aliases are allowed.
RandomView randomView(Run &run, Numbers &numbers, Type const &type, Shape const &shape,
                      bool aliases, Values &values) {
  std::size_t const rank = shape.size();
  std::vector<unsigned> order(
      rank); // dimension k of the variable is dimension order[k] of the view
  for (unsigned k = 0; k != rank; ++k)
    order[k] = k;
  for (std::size_t k = rank; k > 1; --k)
    if (numbers.below(3) == 0)
      std::swap(order[k - 1], order[numbers.below(k)]);
  struct Dim {
    std::size_t begin, step;
    bool reversed, repeated;
  };
  std::vector<Dim> dims(rank);
  Shape stored(rank);
  for (std::size_t k = 0; k != rank; ++k) {
    bool const plain = numbers.below(2) == 0;
    std::size_t const n = shape[order[k]];
    dims[k] = {plain ? 0 : numbers.below(3), plain ? 1 : 1 + numbers.below(2),
               numbers.below(4) == 0, aliases && n != 0 && numbers.below(6) == 0};
    stored[k] = dims[k].begin + (dims[k].repeated ? 1 : n * dims[k].step);
  }
  std::size_t const total = product(stored);
  Values contents(total);
  for (double &x : contents) {
    double const pick = static_cast<double>(numbers.below(9)) - 4;
    x = type == BOOL     ? double(pick > 0)
        : isReal(type)   ? pick / 2
        : isSigned(type) ? pick
                         : pick + 4;
  }
  RandomView view;
  view.t = run.input(type, stored, contents);
  values = contents;
  std::vector<unsigned> back(rank);
  for (unsigned k = 0; k != rank; ++k) {
    Dim const &dim = dims[k];
    view.t = view.t.slice(dim.begin, stored[k], k);
    if (dim.repeated)
      view.t = view.t.broadcast(static_cast<unsigned>(shape[order[k]]), k);
    else if (dim.step > 1)
      view.t = view.t.subSample(static_cast<unsigned>(dim.step), k);
    if (dim.reversed)
      view.t = view.t.reverse(k);
    back[order[k]] = k;
  }
  view.t = view.t.dimShuffle(back);
  REQUIRE(view.t.shape() == shape);
  std::size_t const n = product(shape);
  view.places.resize(n);
  for (std::size_t i = 0; i != n; ++i) {
    Shape at(rank);
    std::size_t rest = i;
    for (std::size_t d = rank; d-- != 0; rest /= shape[d])
      at[d] = rest % shape[d];
    std::size_t place = 0;
    for (std::size_t k = 0; k != rank; ++k) {
      std::size_t x = at[order[k]];
      if (dims[k].reversed)
        x = shape[order[k]] - 1 - x;
      place = place * stored[k] + dims[k].begin + (dims[k].repeated ? 0 : x * dims[k].step);
    }
    view.places[i] = place;
  }
  return view;
}

Shape randomShape(Numbers &numbers) {
  Shape shape(numbers.below(5));
  for (std::size_t &n : shape)
    n = numbers.below(40) == 0 ? 0 : 1 + numbers.below(numbers.below(4) == 0 ? 21 : 5);
  return shape;
}

/// A shape that broadcasts to `shape`.
Shape partOf(Numbers &numbers, Shape shape) {
  if (numbers.below(2) == 0)
    return shape;
  shape.erase(shape.begin(),
              shape.begin() + static_cast<std::ptrdiff_t>(numbers.below(shape.size() + 1)));
  for (std::size_t &n : shape)
    if (numbers.below(3) == 0)
      n = 1;
  return shape;
}

/// Index in a tensor of shape `part` of what meets element i of `whole`.
std::size_t broadcastIndex(Shape const &whole, Shape const &part, std::size_t i) {
  std::size_t place = 0, stride = 1;
  for (std::size_t d = whole.size(), p = part.size(); p != 0; i /= whole[--d]) {
    --p;
    place += (part[p] == 1 ? 0 : i % whole[d - 1]) * stride;
    stride *= part[p];
  }
  return place;
}

struct Trial {
  std::string text;
  Values expected;
  std::size_t output = 0;
};

poplar::OptionFlags randomOptions(Numbers &numbers) {
  poplar::OptionFlags options;
  for (char const *key : {"enableGenerateCodelet", "enableExpressionOptimizations",
                          "enableVectorBroadcastOptimisations", "forceGenerateCodelet"})
    if (numbers.below(4) == 0)
      options.set(key, numbers.below(2) == 0 ? "true" : "false");
  return options;
}

/// One random expression in the program; nothing if it is not exact.
std::optional<Trial> tryExpression(Run &run, Numbers &numbers) {
  static Type const TYPES[] = {FLOAT, HALF, INT, UNSIGNED_INT, BOOL, LONGLONG, UNSIGNED_LONGLONG};
  std::vector<Type> types;
  Type const type = TYPES[numbers.below(7)];
  NodePtr const root =
      Generator(numbers, types).expression(type, 1 + static_cast<unsigned>(numbers.below(4)));
  Shape const shape = randomShape(numbers);
  std::vector<Tensor> tensors;
  std::vector<Values> inputs;
  std::vector<Shape> shapes;
  std::vector<RandomView> views;
  unsigned const form = static_cast<unsigned>(numbers.below(3));
  for (std::size_t i = 0; i != types.size(); ++i) {
    // One input has the whole shape, so that it is the result's.
    shapes.push_back(i == 0 ? shape : partOf(numbers, shape));
    Values contents;
    views.push_back(randomView(run, numbers, types[i], shapes[i], form != 1 || i != 0, contents));
    tensors.push_back(views[i].t);
    inputs.push_back(std::move(contents));
  }
  Trial trial;
  std::size_t const n = product(shape);
  try {
    for (std::size_t k = 0; k != n; ++k) {
      std::vector<double> at(types.size());
      for (std::size_t i = 0; i != types.size(); ++i)
        at[i] = inputs[i][views[i].places[broadcastIndex(shape, shapes[i], k)]];
      trial.expected.push_back(root->value(at));
    }
  } catch (Inexact const &) {
    return std::nullopt;
  }
  poplar::OptionFlags const options = randomOptions(numbers);
  std::ostringstream text;
  text << static_cast<pe::Expr const &>(*root->expr) << "form " << form << " of";
  for (Tensor const &t : tensors)
    text << ' ' << t.elementType() << t.shapeToString();
  for (auto const &option : options)
    text << ' ' << option.first << '=' << option.second;
  trial.text = text.str();
  pe::Expr const &expr = *root->expr;
  INFO(trial.text);
  Tensor out;
  if (form == 1 && types[0] == type) {
    popops::mapInPlace(run.graph, expr, tensors, run.prog, {}, options);
    out = tensors[0];
  } else if (form == 2) {
    Values ignored;
    out = randomView(run, numbers, type, shape, false, ignored).t;
    popops::mapWithOutput(run.graph, expr, tensors, out, run.prog, {}, options);
  } else {
    out = popops::map(run.graph, expr, tensors, run.prog, {}, options);
  }
  CHECK(out.shape() == shape);
  CHECK(out.elementType() == type);
  trial.output = run.output(out);
  return trial;
}

void checkPrograms(DeviceMaker const &device, std::uint64_t seed, unsigned programs,
                   unsigned expressions) {
  Numbers numbers(seed);
  for (unsigned p = 0; p != programs; ++p) {
    Run run(device);
    std::vector<Trial> trials;
    for (unsigned e = 0; e != expressions; ++e)
      if (std::optional<Trial> trial = tryExpression(run, numbers))
        trials.push_back(std::move(*trial));
    run.run();
    for (Trial const &trial : trials) {
      Values const &actual = run.values(trial.output);
      if (actual == trial.expected)
        continue;
      CAPTURE(p);
      INFO(trial.text);
      REQUIRE(actual.size() == trial.expected.size());
      for (std::size_t i = 0; i != actual.size(); ++i)
        REQUIRE(actual[i] == trial.expected[i]);
    }
  }
}

} // namespace

TEST_SUITE_BEGIN("popops/mapRandom");

TEST_CASE("random expressions over random views agree with an interpreter") {
  onDevices([](DeviceMaker const &device) { checkPrograms(device, 11, 12, 40); });
}

TEST_SUITE_END();
