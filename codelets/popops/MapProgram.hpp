/// \file MapProgram.hpp
/// The program that a popops::Map vertex runs on each element: a fused elementwise expression as
/// a short list of 32-bit words. Standard library only: shared by who emits vertices, by the
/// kernel that runs them and by the cost function.
///
/// Layout of the words
///   [0]               operands | instructions << 8 | scratch slots << 16
///   then, an operand  4 words: MapOperand
///   then, an instruction  2 words: MapInstruction
/// Value ids in an instruction: 0 .. operands-1 an operand; SLOT0 + s a scratch slot; OUTPUT.
/// Only the last instruction writes OUTPUT; it may have an operand as its only source (COPY).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace cottonwood::vertices {

/// Element types of a program, and the vertex field whose region i an operand names:
/// inFloat[i], inHalf[i], inInt[i], inUnsigned[i], inBool[i].
enum class MapType : std::uint8_t { FLOAT, HALF, INT, UNSIGNED_INT, BOOL };
inline constexpr unsigned NUM_MAP_TYPES = 5;

constexpr unsigned bytesOf(MapType type) {
  return type == MapType::HALF ? 2u : type == MapType::BOOL ? 1u : 4u;
}

/// Operations. The unary, binary and ternary groups are in the order of popops::expr's UnaryOpType,
/// BinaryOpType and TernaryOpType, so that `unaryMapOp(int(type))` translates. After each group
/// come operations of our own.
enum class MapOp : std::uint8_t {
  // a -> result; relational ones give BOOL
  ABSOLUTE,
  ASIN,
  BITWISE_NOT,
  CBRT,
  CEIL,
  COS,
  COUNT_LEADING_ZEROS,
  ERF,
  EXPONENT,
  EXPONENT_MINUS_ONE,
  EXPONENT2,
  FLOOR,
  GELU_ERF,
  INVERSE,
  IS_FINITE,
  IS_INF,
  IS_NAN,
  LOGARITHM,
  LOGARITHM_ONE_PLUS,
  LOGICAL_NOT,
  NEGATE,
  NEARBY_INT,
  POPCOUNT,
  RELU,
  SIGNUM,
  SIN,
  TAN,
  TANH,
  ROUND,
  SQRT,
  SQUARE,
  SIGMOID,
  RSQRT,
  TRUNC,
  GELU,         ///< x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
  SWISH,        ///< x sigmoid(x)
  HARD_SIGMOID, ///< min(max(0.2 x + 0.5, 0), 1)
  COPY,         ///< the operand itself
  CAST,         ///< to MapInstruction::toType, with the rules of popops::cast

  // a, b -> result
  ADD,
  ATAN2,
  BITWISE_AND,
  BITWISE_OR,
  BITWISE_XOR,
  BITWISE_XNOR,
  DIVIDE,
  EQUAL,
  GREATER_THAN_EQUAL,
  GREATER_THAN,
  INV_STD_DEV_TO_VARIANCE,
  LESS_THAN_EQUAL,
  LOGICAL_AND,
  LOGICAL_OR,
  LESS_THAN,
  MAXIMUM,
  MINIMUM,
  MULTIPLY,
  NOT_EQUAL,
  POWER,
  REMAINDER,
  SHIFT_LEFT,
  SHIFT_RIGHT,
  SHIFT_RIGHT_SIGN_EXTEND,
  SUBTRACT,
  VARIANCE_TO_INV_STD_DEV,
  RELU_GRADIENT,         ///< a = output y: y > 0 ? b : 0
  SIGMOID_GRADIENT,      ///< a = output y: b y (1 - y)
  TANH_GRADIENT,         ///< a = output y: b (1 - y^2)
  GELU_GRADIENT,         ///< a = input x: b d/dx GELU
  GELU_ERF_GRADIENT,     ///< a = input x: b d/dx GELU_ERF
  SWISH_GRADIENT,        ///< a = input x: b d/dx SWISH
  HARD_SIGMOID_GRADIENT, ///< a = input x: 0.2 b where |x| <= 2.5, else 0

  // a, b, c -> result
  CLAMP,  ///< a < b ? b : a > c ? c : a
  SELECT, ///< c ? a : b; c is BOOL
};
inline constexpr MapOp FIRST_BINARY_MAP_OP = MapOp::ADD;
inline constexpr MapOp FIRST_TERNARY_MAP_OP = MapOp::CLAMP;
inline constexpr unsigned NUM_MAP_OPS = static_cast<unsigned>(MapOp::SELECT) + 1;

/// Translate the position of an enumerator in popops::expr's enumerations.
constexpr MapOp unaryMapOp(int expressionOp) { return static_cast<MapOp>(expressionOp); }
constexpr MapOp binaryMapOp(int expressionOp) {
  return static_cast<MapOp>(static_cast<int>(FIRST_BINARY_MAP_OP) + expressionOp);
}
constexpr MapOp ternaryMapOp(int expressionOp) {
  return static_cast<MapOp>(static_cast<int>(FIRST_TERNARY_MAP_OP) + expressionOp);
}

constexpr unsigned arity(MapOp op) {
  return op >= FIRST_TERNARY_MAP_OP ? 3u : op >= FIRST_BINARY_MAP_OP ? 2u : 1u;
}

/// True for operations whose result is BOOL whatever the operands are.
constexpr bool givesBool(MapOp op) {
  switch (op) {
  case MapOp::IS_FINITE:
  case MapOp::IS_INF:
  case MapOp::IS_NAN:
  case MapOp::LOGICAL_NOT:
  case MapOp::EQUAL:
  case MapOp::NOT_EQUAL:
  case MapOp::GREATER_THAN_EQUAL:
  case MapOp::GREATER_THAN:
  case MapOp::LESS_THAN_EQUAL:
  case MapOp::LESS_THAN:
  case MapOp::LOGICAL_AND:
  case MapOp::LOGICAL_OR:
    return true;
  default:
    return false;
  }
}

/// Whether a kernel exists for the operation on operands of the type.
constexpr bool isSupported(MapOp op, MapType type) {
  const bool floating = type == MapType::FLOAT || type == MapType::HALF;
  const bool integer = type == MapType::INT || type == MapType::UNSIGNED_INT;
  switch (op) {
  case MapOp::COPY:
  case MapOp::CAST:
  case MapOp::SELECT:
  case MapOp::EQUAL:
  case MapOp::NOT_EQUAL:
  case MapOp::GREATER_THAN_EQUAL:
  case MapOp::GREATER_THAN:
  case MapOp::LESS_THAN_EQUAL:
  case MapOp::LESS_THAN:
    return true;
  case MapOp::LOGICAL_NOT:
  case MapOp::LOGICAL_AND:
  case MapOp::LOGICAL_OR:
    return type == MapType::BOOL;
  case MapOp::BITWISE_NOT:
  case MapOp::BITWISE_AND:
  case MapOp::BITWISE_OR:
  case MapOp::BITWISE_XOR:
  case MapOp::BITWISE_XNOR:
  case MapOp::COUNT_LEADING_ZEROS:
  case MapOp::POPCOUNT:
  case MapOp::SHIFT_LEFT:
  case MapOp::SHIFT_RIGHT:
  case MapOp::SHIFT_RIGHT_SIGN_EXTEND:
    return integer;
  case MapOp::ABSOLUTE:
  case MapOp::NEGATE:
  case MapOp::SIGNUM:
  case MapOp::SQRT:
  case MapOp::SQUARE:
  case MapOp::ADD:
  case MapOp::SUBTRACT:
  case MapOp::MULTIPLY:
  case MapOp::DIVIDE:
  case MapOp::REMAINDER:
  case MapOp::MAXIMUM:
  case MapOp::MINIMUM:
  case MapOp::POWER:
  case MapOp::CLAMP:
    return floating || integer;
  default:
    return floating;
  }
}

/// Where an operand's elements come from. Element i of the vertex (0 is its first output) reads
///     j = i + phase;  x[(j / (period * repeat)) * period + j % period]
/// so that period = 0 stands for x[i] itself (phase 0), {1, huge} for a scalar, {C, huge} for a
/// row [C] under [R, C], {1, C} for a column [R, 1] under [R, C], {C, B} for [A, 1, C] under
/// [A, B, C]. "huge" is any repeat with period * repeat >= phase + elements, such as ONCE.
struct MapPattern {
  std::uint32_t period = 0;
  std::uint32_t repeat = 1;
  std::uint32_t phase = 0;

  static constexpr std::uint32_t ONCE = 0xffffffffu;
  static constexpr MapPattern scalar() { return {1, ONCE, 0}; }
  bool operator==(const MapPattern &) const = default;
};

/// Which storage an operand names.
enum class MapSource : std::uint8_t {
  INPUT,    ///< region `index` of the type's input field
  OUTPUT,   ///< the vertex's own out (MapInPlace only; always of full length)
  CONSTANT, ///< the value in MapOperand::bits
};

struct MapOperand {
  MapType type = MapType::FLOAT;
  MapSource source = MapSource::INPUT;
  std::uint16_t index = 0;
  MapPattern pattern;     ///< for INPUT
  std::uint32_t bits = 0; ///< for CONSTANT: the value, half in the low 16 bits, BOOL 0 or 1
  bool operator==(const MapOperand &) const = default;
};

struct MapInstruction {
  MapOp op;
  MapType type;         ///< of operands a and b: selects the kernel
  MapType toType;       ///< of the result
  std::uint8_t result;  ///< value id
  std::uint8_t args[3]; ///< value ids; unused ones 0
};

inline constexpr std::uint8_t MAP_SLOT0 = 0x80;  ///< value id of scratch slot 0
inline constexpr std::uint8_t MAP_OUTPUT = 0xff; ///< value id of the vertex's output
inline constexpr unsigned MAP_MAX_OPERANDS = 48;
inline constexpr unsigned MAP_MAX_SLOTS = 16;
inline constexpr unsigned MAP_MAX_INSTRUCTIONS = 255;

/// Reads a program word by word, without allocation; what the kernel does.
class MapProgramView {
public:
  explicit MapProgramView(const std::uint32_t *words) : words_(words) {}
  unsigned numOperands() const { return words_[0] & 0xffu; }
  unsigned numInstructions() const { return (words_[0] >> 8) & 0xffu; }
  unsigned numSlots() const { return (words_[0] >> 16) & 0xffu; }

  MapOperand operand(unsigned i) const {
    const std::uint32_t *w = words_ + 1 + 4 * i;
    MapOperand o;
    o.type = static_cast<MapType>(w[0] & 0xffu);
    o.source = static_cast<MapSource>((w[0] >> 8) & 0xffu);
    o.index = static_cast<std::uint16_t>(w[0] >> 16);
    if (o.source == MapSource::CONSTANT)
      o.bits = w[1];
    else
      o.pattern = {w[1], w[2], w[3]};
    return o;
  }
  MapInstruction instruction(unsigned i) const {
    const std::uint32_t *w = words_ + 1 + 4 * numOperands() + 2 * i;
    return {static_cast<MapOp>(w[0] & 0xffu),
            static_cast<MapType>((w[0] >> 8) & 0xffu),
            static_cast<MapType>((w[0] >> 16) & 0xffu),
            static_cast<std::uint8_t>(w[0] >> 24),
            {static_cast<std::uint8_t>(w[1]), static_cast<std::uint8_t>(w[1] >> 8),
             static_cast<std::uint8_t>(w[1] >> 16)}};
  }

private:
  const std::uint32_t *words_;
};

/// Builds a program from an expression tree, leaves first. Values are numbered as they are made;
/// an operand that equals an earlier one is the same value. finish() assigns scratch slots.
class MapProgramBuilder {
public:
  using Value = unsigned;

  /// Region `index` of the type's input field, read through the pattern.
  Value input(MapType type, unsigned index, MapPattern pattern = {}) {
    return operand({type, MapSource::INPUT, static_cast<std::uint16_t>(index), pattern, 0});
  }
  /// The vertex's output before it is written (MapInPlace).
  Value output(MapType type) { return operand({type, MapSource::OUTPUT, 0, {}, 0}); }
  /// A constant; bits as MapOperand::bits.
  Value constant(MapType type, std::uint32_t bits) {
    return operand({type, MapSource::CONSTANT, 0, {}, bits});
  }
  Value constant(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return constant(MapType::FLOAT, bits);
  }

  /// \throws std::invalid_argument  the operation does not exist on the type of its first operand,
  ///         or operands differ in type.
  Value apply(MapOp op, Value a) { return append(op, {a, a, a}, resultType(op, type(a))); }
  Value apply(MapOp op, Value a, Value b) { return append(op, {a, b, a}, resultType(op, type(a))); }
  Value apply(MapOp op, Value a, Value b, Value c) {
    return append(op, {a, b, c}, resultType(op, type(a)));
  }
  Value cast(Value a, MapType to) { return append(MapOp::CAST, {a, a, a}, to); }

  MapType type(Value v) const { return nodes_.at(v).type; }
  /// Operations so far, for cost functions and for deciding how much to fuse.
  unsigned numOperations() const { return numOperations_; }

  /// The words of the program that computes `result`. Calls with an operand append a COPY.
  /// \throws std::length_error  more operands, slots or instructions than a program can hold.
  std::vector<std::uint32_t> finish(Value result);

private:
  struct Node {
    MapType type;
    bool isOperand;
    unsigned index; // into operands_ or instructions_
  };
  struct Step {
    MapOp op;
    Value args[3];
    Value result;
  };

  Value operand(const MapOperand &o) {
    for (Value v = 0; v < nodes_.size(); ++v)
      if (nodes_[v].isOperand && operands_[nodes_[v].index] == o)
        return v;
    operands_.push_back(o);
    nodes_.push_back({o.type, true, static_cast<unsigned>(operands_.size() - 1)});
    return static_cast<Value>(nodes_.size() - 1);
  }
  MapType resultType(MapOp op, MapType type) const { return givesBool(op) ? MapType::BOOL : type; }
  Value append(MapOp op, std::vector<Value> args, MapType to) {
    check(op, args);
    const Value v = static_cast<Value>(nodes_.size());
    nodes_.push_back({to, false, static_cast<unsigned>(steps_.size())});
    steps_.push_back({op, {args[0], args[1], args[2]}, v});
    ++numOperations_;
    return v;
  }
  void check(MapOp op, const std::vector<Value> &args) const {
    const MapType t = type(args[0]);
    bool good = isSupported(op, t) && (arity(op) < 2 || type(args[1]) == t);
    if (op == MapOp::SELECT)
      good = good && type(args[2]) == MapType::BOOL;
    else if (arity(op) == 3)
      good = good && type(args[2]) == t;
    if (!good)
      throw std::invalid_argument("MapProgramBuilder::apply: operation " +
                                  std::to_string(static_cast<int>(op)) +
                                  " does not exist for operands of these types (first is type " +
                                  std::to_string(static_cast<int>(t)) + ")");
  }
  std::vector<std::size_t> lastUses() const;

  std::vector<MapOperand> operands_;
  std::vector<Node> nodes_;
  std::vector<Step> steps_;
  unsigned numOperations_ = 0;
};

/// Index of the last step that reads each value; 0 for values never read.
inline std::vector<std::size_t> MapProgramBuilder::lastUses() const {
  std::vector<std::size_t> last(nodes_.size(), 0);
  for (std::size_t s = 0; s < steps_.size(); ++s)
    for (unsigned i = 0; i < arity(steps_[s].op); ++i)
      last[steps_[s].args[i]] = s;
  return last;
}

inline std::vector<std::uint32_t> MapProgramBuilder::finish(Value result) {
  if (nodes_.at(result).isOperand || steps_.back().result != result)
    result = apply(MapOp::COPY, result);
  if (operands_.size() > MAP_MAX_OPERANDS || steps_.size() > MAP_MAX_INSTRUCTIONS)
    throw std::length_error(
        "MapProgramBuilder::finish: " + std::to_string(operands_.size()) + " operands and " +
        std::to_string(steps_.size()) + " instructions; a program holds at most " +
        std::to_string(MAP_MAX_OPERANDS) + " and " + std::to_string(MAP_MAX_INSTRUCTIONS));
  const std::vector<std::size_t> last = lastUses();
  std::vector<std::uint8_t> ids(nodes_.size(), 0);
  for (std::size_t v = 0; v < nodes_.size(); ++v)
    if (nodes_[v].isOperand)
      ids[v] = static_cast<std::uint8_t>(nodes_[v].index);

  std::vector<std::uint32_t> code;
  bool busy[MAP_MAX_SLOTS] = {};
  unsigned numSlots = 0;
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const Step &step = steps_[s];
    const MapType from = type(step.args[0]), to = type(step.result);
    // A dying argument's slot can take the result only if elements do not grow over their readers.
    const auto release = [&](bool sameSize) {
      for (unsigned i = 0; i < arity(step.op); ++i) {
        const Value a = step.args[i];
        if (!nodes_[a].isOperand && last[a] == s && (bytesOf(type(a)) == bytesOf(to)) == sameSize)
          busy[ids[a] - MAP_SLOT0] = false;
      }
    };
    release(true);
    if (step.result == result) {
      ids[step.result] = MAP_OUTPUT;
    } else {
      unsigned slot = 0;
      while (slot < MAP_MAX_SLOTS && busy[slot])
        ++slot;
      if (slot == MAP_MAX_SLOTS)
        throw std::length_error("MapProgramBuilder::finish: more than " +
                                std::to_string(MAP_MAX_SLOTS) + " values are alive at once");
      busy[slot] = true;
      numSlots = slot + 1 > numSlots ? slot + 1 : numSlots;
      ids[step.result] = static_cast<std::uint8_t>(MAP_SLOT0 + slot);
    }
    release(false);
    if (step.result != result && last[step.result] <= s)
      busy[ids[step.result] - MAP_SLOT0] = false; // never read
    code.push_back(static_cast<std::uint32_t>(step.op) | static_cast<std::uint32_t>(from) << 8 |
                   static_cast<std::uint32_t>(to) << 16 |
                   static_cast<std::uint32_t>(ids[step.result]) << 24);
    code.push_back(static_cast<std::uint32_t>(ids[step.args[0]]) |
                   static_cast<std::uint32_t>(ids[step.args[1]]) << 8 |
                   static_cast<std::uint32_t>(ids[step.args[2]]) << 16);
  }

  std::vector<std::uint32_t> words;
  words.push_back(static_cast<std::uint32_t>(operands_.size()) |
                  static_cast<std::uint32_t>(steps_.size()) << 8 | numSlots << 16);
  for (const MapOperand &o : operands_) {
    const bool constant = o.source == MapSource::CONSTANT;
    words.push_back(static_cast<std::uint32_t>(o.type) | static_cast<std::uint32_t>(o.source) << 8 |
                    static_cast<std::uint32_t>(o.index) << 16);
    words.push_back(constant ? o.bits : o.pattern.period);
    words.push_back(constant ? 0 : o.pattern.repeat);
    words.push_back(constant ? 0 : o.pattern.phase);
  }
  words.insert(words.end(), code.begin(), code.end());
  return words;
}

} // namespace cottonwood::vertices
