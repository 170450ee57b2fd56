#include <bench/race/ArrayOp.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace cottonwood::bench {
namespace {

using Function = ArrayOp::Function;

/// What operands are made of random values x in [-1, 1].
enum class Range {
  UNIT,     ///< x
  WIDE,     ///< 8 x
  POSITIVE, ///< |x|, and something small for 0
  WHOLE,    ///< 2^24 x, rounded
  SMALL     ///< 2^7 x, rounded
};

struct Info {
  Function function;
  std::string_view name;
  unsigned operands;
  Range range;       ///< of a
  unsigned halfUlps; ///< of the value itself that a float result may be wrong, at most
};

constexpr unsigned EXACT = 1; ///< rounded once
constexpr unsigned CLOSE = 8; ///< four units in the last place

constexpr Info INFOS[] = {
    {Function::ADD, "add", 2, Range::UNIT, EXACT},
    {Function::MUL, "mul", 2, Range::UNIT, EXACT},
    {Function::DIV, "div", 2, Range::UNIT, EXACT},
    {Function::MAX, "max", 2, Range::UNIT, EXACT},
    {Function::POW, "pow", 2, Range::POSITIVE, CLOSE},
    {Function::RELU, "relu", 1, Range::UNIT, EXACT},
    {Function::SQUARE, "square", 1, Range::UNIT, EXACT},
    {Function::SQRT, "sqrt", 1, Range::POSITIVE, EXACT},
    {Function::RSQRT, "rsqrt", 1, Range::POSITIVE, CLOSE},
    {Function::EXP, "exp", 1, Range::WIDE, CLOSE},
    {Function::LOG, "log", 1, Range::POSITIVE, CLOSE},
    {Function::TANH, "tanh", 1, Range::WIDE, CLOSE},
    {Function::SIGMOID, "sigmoid", 1, Range::WIDE, CLOSE},
    {Function::ERF, "erf", 1, Range::WIDE, CLOSE},
    {Function::SIN, "sin", 1, Range::WIDE, CLOSE},
    {Function::COS, "cos", 1, Range::WIDE, CLOSE},
    {Function::GELU_ERF, "gelu-erf", 1, Range::WIDE, CLOSE},
    {Function::ADD_IN_PLACE, "add-in-place", 2, Range::UNIT, EXACT},
    {Function::SCALED_ADD_IN_PLACE, "scaled-add-in-place", 2, Range::UNIT, EXACT},
    {Function::RELU_IN_PLACE, "relu-in-place", 1, Range::UNIT, EXACT},
    {Function::FUSED_RELU, "fused-relu", 2, Range::UNIT, 2},
    {Function::FUSED_SWISH, "fused-swish", 1, Range::WIDE, CLOSE},
    {Function::SUM, "sum", 1, Range::UNIT, EXACT},
    {Function::MAX_OF, "max-of", 1, Range::UNIT, EXACT},
    {Function::SQUARE_SUM, "square-sum", 1, Range::UNIT, EXACT},
    {Function::SUM_OF_INT, "sum-of-int", 1, Range::SMALL, EXACT},
    {Function::ARG_MAX, "arg-max", 1, Range::UNIT, EXACT},
    {Function::SOFTMAX, "softmax", 1, Range::WIDE, CLOSE},
    {Function::LOG_SOFTMAX, "log-softmax", 1, Range::WIDE, CLOSE},
    {Function::LAYER_NORM, "layer-norm", 1, Range::UNIT, CLOSE},
    {Function::LAYER_NORM_SCALED, "layer-norm-scaled", 2, Range::UNIT, CLOSE},
    {Function::BATCH_NORM, "batch-norm", 2, Range::UNIT, 3},
    {Function::COPY, "copy", 1, Range::UNIT, EXACT},
    {Function::FILL, "fill", 0, Range::UNIT, EXACT},
    {Function::CAST_TO_HALF, "cast-to-half", 1, Range::UNIT, EXACT},
    {Function::CAST_FROM_HALF, "cast-from-half", 1, Range::UNIT, EXACT},
    {Function::CAST_TO_INT, "cast-to-int", 1, Range::WHOLE, EXACT},
    {Function::CAST_FROM_INT, "cast-from-int", 1, Range::WHOLE, EXACT},
    {Function::TRANSPOSE, "transpose", 1, Range::UNIT, EXACT},
    {Function::GATHER_ROWS, "gather-rows", 1, Range::UNIT, EXACT},
    {Function::UNIFORM, "uniform", 0, Range::UNIT, EXACT},
};

Info const &infoOf(Function function) {
  return *std::find_if(std::begin(INFOS), std::end(INFOS),
                       [&](Info const &info) { return info.function == function; });
}

bool reduces(ArrayOp const &op) {
  return op.function == Function::SUM || op.function == Function::MAX_OF ||
         op.function == Function::SQUARE_SUM || op.function == Function::SUM_OF_INT ||
         op.function == Function::ARG_MAX;
}
bool normalises(ArrayOp const &op) {
  return op.function == Function::SOFTMAX || op.function == Function::LOG_SOFTMAX ||
         op.function == Function::LAYER_NORM || op.function == Function::LAYER_NORM_SCALED;
}
bool scales(ArrayOp const &op) {
  return op.function == Function::LAYER_NORM_SCALED || op.function == Function::BATCH_NORM;
}

float inRange(float x, Range range) {
  switch (range) {
  case Range::UNIT:
    return x;
  case Range::WIDE:
    return 8 * x;
  case Range::POSITIVE:
    return std::max(std::fabs(x), 0x1p-11F);
  case Range::WHOLE:
    return std::nearbyint(0x1p24F * x);
  case Range::SMALL:
    return std::nearbyint(0x1p7F * x);
  }
  return x;
}

std::vector<float> valuesIn(Range range, std::size_t count, std::uint64_t seed, bool ofHalf) {
  std::vector<float> values = randomValues(count, seed, ofHalf);
  if (range != Range::UNIT)
    for (float &value : values)
      value = inRange(value, range);
  return values;
}

double valueOf(Function function, double a, double b) {
  switch (function) {
  case Function::ADD:
  case Function::ADD_IN_PLACE:
    return a + b;
  case Function::MUL:
    return a * b;
  case Function::DIV:
    return a / b;
  case Function::MAX:
    return std::max(a, b);
  case Function::POW:
    return std::pow(a, b);
  case Function::RELU:
  case Function::RELU_IN_PLACE:
    return std::max(a, 0.0);
  case Function::SQUARE:
  case Function::SQUARE_SUM:
    return a * a;
  case Function::SQRT:
    return std::sqrt(a);
  case Function::RSQRT:
    return 1 / std::sqrt(a);
  case Function::EXP:
    return std::exp(a);
  case Function::LOG:
    return std::log(a);
  case Function::TANH:
    return std::tanh(a);
  case Function::SIGMOID:
    return 1 / (1 + std::exp(-a));
  case Function::ERF:
    return std::erf(a);
  case Function::SIN:
    return std::sin(a);
  case Function::COS:
    return std::cos(a);
  case Function::GELU_ERF:
    return 0.5 * a * std::erfc(-a * std::sqrt(0.5));
  case Function::SCALED_ADD_IN_PLACE:
    return a + b / 2;
  case Function::FUSED_RELU:
    return std::max(a / 2 + b, 0.0);
  case Function::FUSED_SWISH:
    return a / (1 + std::exp(-a));
  case Function::FILL:
    return 1;
  default: // those that move values
    return a;
  }
}

/// Below this a difference counts as it is: half ends at 2^-14, and so do sums of terms that
/// cancel.
constexpr double FLOOR = 0x1p-14;

/// What lies behind a value that is a sum, and so behind its rounding.
double magnitudeOf(Function function, double a, double b, double value) {
  switch (function) {
  case Function::FUSED_RELU:
    return std::fabs(a / 2) + std::fabs(b);
  case Function::GELU_ERF: // a/2 + a/2 erf
    return std::fabs(a);
  default:
    return std::max(std::fabs(value), FLOOR);
  }
}

void addReduced(ArrayOp const &op, std::size_t position, std::span<float const> a,
                Reference &reference) {
  std::size_t const first = position / op.columns * op.rows * op.columns + position % op.columns;
  if (op.function == Function::ARG_MAX) {
    auto const row = a.subspan(first, op.rows);
    reference.values.push_back(
        static_cast<double>(std::max_element(row.begin(), row.end()) - row.begin()));
    reference.magnitudes.push_back(1);
    return;
  }
  if (op.function == Function::MAX_OF) {
    double most = a[first];
    for (std::size_t row = 1; row < op.rows; ++row)
      most = std::max(most, double{a[first + row * op.columns]});
    reference.values.push_back(most);
    reference.magnitudes.push_back(std::fabs(most));
    return;
  }
  reference.add([&](auto &&term) {
    for (std::size_t row = 0; row < op.rows; ++row)
      term(valueOf(op.function, a[first + row * op.columns], 0));
  });
}

void addNormalised(ArrayOp const &op, std::size_t position, std::span<float const> a,
                   std::span<float const> b, Reference &reference) {
  auto const row = a.subspan(position / op.columns * op.columns, op.columns);
  if (op.function != Function::SOFTMAX && op.function != Function::LOG_SOFTMAX) {
    double mean = 0, variance = 0;
    for (float value : row)
      mean += value / static_cast<double>(op.columns);
    for (float value : row)
      variance += (value - mean) * (value - mean) / static_cast<double>(op.columns);
    double const factor = 1 / std::sqrt(variance + double{LAYER_NORM_EPSILON});
    std::size_t const column = position % op.columns;
    double const scale = b.empty() ? 1 : b[column], shift = b.empty() ? 0 : b[op.columns + column];
    reference.values.push_back((a[position] - mean) * factor * scale + shift);
    reference.magnitudes.push_back(
        (std::fabs(a[position]) + std::fabs(mean)) * factor * std::fabs(scale) + std::fabs(shift));
    return;
  }
  double const most = *std::max_element(row.begin(), row.end());
  double sum = 0;
  for (float value : row)
    sum += std::exp(value - most);
  double const exponent = a[position] - most - std::log(sum);
  double const value = op.function == Function::SOFTMAX ? std::exp(exponent) : exponent;
  reference.values.push_back(value);
  reference.magnitudes.push_back(std::max(std::fabs(value), FLOOR));
}

std::size_t sourceOf(ArrayOp const &op, std::size_t position) {
  std::size_t const inner = position % op.inner, row = position / op.inner % op.rows;
  std::size_t const column = position / op.inner / op.rows % op.columns;
  std::size_t const outer = position / op.inner / op.rows / op.columns;
  return ((outer * op.rows + row) * op.columns + column) * op.inner + inner;
}

/// "1e7" for powers of ten from a thousand.
std::string countText(std::size_t count) {
  std::string const digits = std::to_string(count);
  bool const power = digits.size() > 3 && digits[0] == '1' &&
                     digits.find_first_not_of('0', 1) == std::string::npos;
  return power ? std::string("1e").append(std::to_string(digits.size() - 1)) : digits;
}

} // namespace

std::size_t ArrayOp::sizeA() const {
  return function == Function::GATHER_ROWS ? rows * columns
         : infoOf(function).operands >= 1  ? size()
                                           : 0;
}
std::size_t ArrayOp::sizeB() const {
  return scales(*this)                    ? 2 * (normalises(*this) ? columns : rows)
         : infoOf(function).operands >= 2 ? size()
                                          : 0;
}
std::size_t ArrayOp::sizeC() const {
  return reduces(*this) || function == Function::GATHER_ROWS ? outer * columns : size();
}

Element ArrayOp::elementOfA() const {
  return function == Function::CAST_FROM_HALF                                      ? Element::HALF
         : function == Function::CAST_FROM_INT || function == Function::SUM_OF_INT ? Element::INT
         : half                                                                    ? Element::HALF
                                                                                   : Element::FLOAT;
}

Element ArrayOp::elementOfC() const {
  return function == Function::CAST_TO_HALF ? Element::HALF
         : function == Function::CAST_TO_INT || function == Function::SUM_OF_INT ||
                 function == Function::ARG_MAX
             ? Element::INT
         : half ? Element::HALF
                : Element::FLOAT;
}

bool ArrayOp::inPlace() const {
  return function == Function::ADD_IN_PLACE || function == Function::SCALED_ADD_IN_PLACE ||
         function == Function::RELU_IN_PLACE;
}

double ArrayOp::bytesRead() const {
  std::size_t const taken = function == Function::GATHER_ROWS ? sizeC() : sizeA();
  return bytesOf(elementOfA()) * static_cast<double>(taken + sizeB());
}
double ArrayOp::bytesWritten() const {
  return bytesOf(elementOfC()) * static_cast<double>(sizeC());
}

std::vector<float> ArrayOp::valuesOfA() const {
  bool const ofHalf = half || halfValues || function == Function::CAST_FROM_HALF;
  return valuesIn(infoOf(function).range, sizeA(), 1, ofHalf);
}

std::vector<float> ArrayOp::valuesOfB() const {
  return valuesIn(function == Function::DIV ? Range::POSITIVE : Range::UNIT, sizeB(), 2,
                  half || halfValues);
}

std::string_view nameOf(Function function) { return infoOf(function).name; }

std::string nameOf(ArrayOp const &op) {
  std::string text = op.raw ? "raw/" : "";
  text.append(op.half ? "half/" : "float/").append(nameOf(op.function)) += '/';
  if (reduces(op))
    text += op.columns != 1 ? "columns/" : op.outer != 1 ? "rows/" : "all/";
  std::size_t const dims[] = {op.outer, op.rows, op.columns, op.inner};
  std::string shape;
  for (std::size_t dim : dims)
    if (dim != 1)
      shape.append(shape.empty() ? "" : "x").append(countText(dim));
  return text + (shape.empty() ? "1" : shape);
}

std::string textOf(ArrayOp const &op) {
  std::ostringstream text;
  text << (op.raw ? "raw-" : "")
       << (op.half         ? "half "
           : op.halfValues ? "float-of-half "
                           : "float ")
       << nameOf(op.function) << ' ' << op.outer << ' ' << op.rows << ' ' << op.columns << ' '
       << op.inner;
  return text.str();
}

ArrayOp parseArrayOp(std::string const &text) {
  std::istringstream words(text);
  std::string type, name;
  ArrayOp op;
  words >> type >> name >> op.outer >> op.rows >> op.columns >> op.inner;
  op.raw = type.starts_with("raw-");
  if (op.raw)
    type.erase(0, 4);
  op.half = type == "half";
  op.halfValues = type == "float-of-half";
  for (Info const &info : INFOS)
    if (info.name == name)
      op.function = info.function;
  if (!words || textOf(op) != text || op.size() == 0)
    throw std::invalid_argument("not an operation over arrays: '" + text + "'");
  return op;
}

Reference referenceOf(ArrayOp const &op, std::span<float const> a, std::span<float const> b) {
  Reference reference;
  for (std::size_t position : samplePositions(op.sizeC())) {
    if (reduces(op)) {
      addReduced(op, position, a, reference);
    } else if (normalises(op)) {
      addNormalised(op, position, a, b, reference);
    } else if (op.function == Function::BATCH_NORM) {
      std::size_t const channel = position / op.columns % op.rows;
      double const product = double{a[position]} * b[channel], shift = b[op.rows + channel];
      reference.values.push_back(product + shift);
      reference.magnitudes.push_back(std::fabs(product) + std::fabs(shift));
    } else if (op.function == Function::UNIFORM) {
      reference.values.push_back(0);
      reference.magnitudes.push_back(1);
    } else {
      std::size_t const from =
          op.function == Function::TRANSPOSE ? sourceOf(op, position)
          : op.function == Function::GATHER_ROWS
              ? op.gatheredRow(position / op.columns) * op.columns + position % op.columns
              : position;
      double const x = a.empty() ? 0 : a[from], y = b.empty() ? 0 : b[from];
      double const value = valueOf(op.function, x, y);
      reference.values.push_back(value);
      reference.magnitudes.push_back(magnitudeOf(op.function, x, y, value));
    }
  }
  return reference;
}

double allowedError(ArrayOp const &op, bool halfResult) {
  if (op.function == Function::SUM || op.function == Function::SQUARE_SUM)
    return roundingError(op.rows, false, halfResult);
  if (op.function == Function::UNIFORM) // anything between -1 and 1
    return 1;
  // Values of a softmax take part in a sum of positive terms, which rounding moves less; so do
  // squares in a variance.
  double const sum = normalises(op) ? std::sqrt(static_cast<double>(op.columns)) : 0;
  // An expression rounds to half after each of its operations; means and deviations are halves too.
  bool const fused = op.function == Function::FUSED_RELU || op.function == Function::FUSED_SWISH;
  bool const norm = op.function == Function::LAYER_NORM || scales(op);
  unsigned const roundings = norm ? 3 : fused ? 2 : 1;
  double const halves = halfResult ? roundings * 0x1p-11 * 1.001 : 0;
  return 0x1p-24 * (infoOf(op.function).halfUlps + sum) * 1.001 + halves;
}

} // namespace cottonwood::bench
