// An operation over arrays whose time is that of its memory traffic, or of a function of each
// element; known to the driver and to the peers' processes alike.
#pragma once

#include <bench/race/Values.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cottonwood::bench {

/// What the elements of an operand or result are.
enum class Element { FLOAT, HALF, INT };

inline double bytesOf(Element element) { return element == Element::HALF ? 2 : 4; }

/// Added to the variance that LAYER_NORM divides by.
inline constexpr float LAYER_NORM_EPSILON = 1e-5F;

/// Arrays are row-major [outer, rows, columns, inner]; `inner` is 1 but for TRANSPOSE.
///
///     ADD .. FUSED_SWISH        element by element; shape [columns]
///     SUM, MAX_OF, SQUARE_SUM   [outer, rows, columns] without rows: float sums, also of half
///     SUM_OF_INT                the same of integers
///     ARG_MAX                   [outer, rows]: where the greatest of each row is, an integer
///     SOFTMAX .. LAYER_NORM_SCALED   over columns; LAYER_NORM_SCALED: b is [2, columns]
///     BATCH_NORM                [outer, rows, columns] with rows as channels; b is [2, rows]
///     TRANSPOSE                 [outer, columns, rows, inner]
///     GATHER_ROWS               `outer` rows gatheredRow(i) of a, [rows, columns]
///     UNIFORM                   numbers in [-1, 1], whatever they are
struct ArrayOp {
  enum class Function {
    // two operands
    ADD,
    MUL,
    DIV,
    MAX,
    POW,
    // one operand
    RELU,
    SQUARE,
    SQRT,
    RSQRT,
    EXP,
    LOG,
    TANH,
    SIGMOID,
    ERF,
    SIN,
    COS,
    GELU_ERF,
    // a is overwritten
    ADD_IN_PLACE,        ///< a += b
    SCALED_ADD_IN_PLACE, ///< a += b / 2
    RELU_IN_PLACE,
    // one program for several operations
    FUSED_RELU,  ///< max(a / 2 + b, 0)
    FUSED_SWISH, ///< a * sigmoid(a)
    SUM,
    MAX_OF,
    SQUARE_SUM,
    SUM_OF_INT,
    ARG_MAX,
    SOFTMAX,
    LOG_SOFTMAX,
    LAYER_NORM,        ///< (a - mean) / sqrt(variance + LAYER_NORM_EPSILON)
    LAYER_NORM_SCALED, ///< that times b[0], plus b[1]
    BATCH_NORM,        ///< a b[0] + b[1]
    COPY,
    FILL,
    CAST_TO_HALF,
    CAST_FROM_HALF,
    CAST_TO_INT,
    CAST_FROM_INT,
    TRANSPOSE,
    GATHER_ROWS,
    UNIFORM
  };

  Function function = Function::ADD;
  bool half = false;       ///< elements of ours; peers without half compute the same in float
  bool halfValues = false; ///< elements of float with values that half holds
  bool raw = false;        ///< ours is the kernel on plain memory, peers are inlined loops
  std::size_t outer = 1, rows = 1, columns = 1, inner = 1;

  std::size_t size() const { return outer * rows * columns * inner; }
  std::size_t sizeA() const;
  std::size_t sizeB() const;
  std::size_t sizeC() const;
  Element elementOfA() const;
  Element elementOfC() const;
  bool inPlace() const; ///< the result is a
  double bytesRead() const;
  double bytesWritten() const;
  double bytes() const { return bytesRead() + bytesWritten(); }
  /// One an element: a measure of size, for pictures.
  double flops() const {
    return static_cast<double>(function == Function::GATHER_ROWS ? sizeC() : size());
  }
  /// The row of the table that is row i of GATHER_ROWS: in no order.
  std::size_t gatheredRow(std::size_t i) const { return i * 2654435761U % rows; }

  /// Values in the domain of the function, exact in the type of the operand.
  std::vector<float> valuesOfA() const;
  std::vector<float> valuesOfB() const;
};

/// "add", "softmax"
std::string_view nameOf(ArrayOp::Function function);
/// "float/add/1e7", "raw/half/add/1e3", "half/sum/rows/1000x10000", "float/transpose/8x512x16x64";
/// sums are over all, rows (the innermost dimension) or columns.
std::string nameOf(ArrayOp const &op);

/// One line that parseArrayOp reads back.
std::string textOf(ArrayOp const &op);
/// \throws std::invalid_argument  the text is not one of textOf.
ArrayOp parseArrayOp(std::string const &text);

/// Elements of the result at samplePositions, in double.
Reference referenceOf(ArrayOp const &op, std::span<float const> a, std::span<float const> b);
/// What rounding, and the functions' own error of at most four units in the last place, may do to
/// worstError.
double allowedError(ArrayOp const &op, bool halfResult);

} // namespace cottonwood::bench
