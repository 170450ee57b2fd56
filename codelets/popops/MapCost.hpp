/// \file MapCost.hpp
/// What a popops::Map vertex costs a tile of an IPU.
///
/// An operation takes c cycles for u elements of one worker. Where u is the natural vector (64
/// bits) or one element, the loop around it adds to each turn; in a fused program that is paid once
/// for the whole chain. The numbers are those of the published elementwise vertices.
#pragma once

#include <codelets/popops/MapProgram.hpp>

namespace cottonwood::vertices {

/// c cycles for every u elements; u = 0 stands for the natural vector of the type.
struct MapOpCost {
  unsigned cycles;
  unsigned elements;
};

constexpr MapOpCost mapOpCost(MapOp op, MapType type) {
  const bool f = type == MapType::FLOAT, h = type == MapType::HALF;
  const bool integer = !f && !h;
  switch (op) {
  case MapOp::ABSOLUTE:
  case MapOp::NEGATE:
    return integer ? MapOpCost{2, 1} : MapOpCost{1, 0};
  case MapOp::ASIN:
    return {102, 1};
  case MapOp::CBRT:
    return f ? MapOpCost{27, 0} : MapOpCost{17, 0};
  case MapOp::CEIL:
  case MapOp::FLOOR:
  case MapOp::ROUND:
  case MapOp::NEARBY_INT:
    return {2, 0};
  case MapOp::COS:
  case MapOp::SIN:
    return f ? MapOpCost{2300, 1} : MapOpCost{25, 1};
  case MapOp::TAN:
    return f ? MapOpCost{5100, 1} : MapOpCost{5700, 1};
  case MapOp::COUNT_LEADING_ZEROS:
  case MapOp::POPCOUNT:
    return {1, 1};
  case MapOp::ERF:
    return f ? MapOpCost{41, 1} : MapOpCost{13, 1};
  case MapOp::GELU_ERF:
    return f ? MapOpCost{22, 1} : MapOpCost{16, 1};
  case MapOp::GELU:
    return f ? MapOpCost{10, 2} : MapOpCost{5, 4};
  case MapOp::SWISH:
    return f ? MapOpCost{11, 2} : MapOpCost{5, 4};
  case MapOp::HARD_SIGMOID:
    return {4, 0};
  case MapOp::EXPONENT:
  case MapOp::EXPONENT2:
    return f ? MapOpCost{6, 2} : MapOpCost{4, 4};
  case MapOp::EXPONENT_MINUS_ONE:
    return f ? MapOpCost{4, 1} : MapOpCost{5, 0};
  case MapOp::INVERSE:
    return f ? MapOpCost{6, 2} : MapOpCost{14, 4};
  case MapOp::IS_FINITE:
    return {5, 0};
  case MapOp::IS_INF:
    return f ? MapOpCost{3, 0} : MapOpCost{5, 0};
  case MapOp::IS_NAN:
    return {3, 0};
  case MapOp::LOGARITHM:
    return f ? MapOpCost{12, 2} : MapOpCost{4, 4};
  case MapOp::LOGARITHM_ONE_PLUS:
    return {18, 0};
  case MapOp::LOGICAL_NOT:
    return {17, 4};
  case MapOp::RELU:
    return f ? MapOpCost{3, 2} : MapOpCost{3, 4};
  case MapOp::SIGNUM:
    return {5, 0};
  case MapOp::TANH:
    return f ? MapOpCost{12, 2} : MapOpCost{4, 4};
  case MapOp::SIGMOID:
    return f ? MapOpCost{12, 2} : MapOpCost{6, 4};
  case MapOp::SQRT:
    return f ? MapOpCost{10, 2} : h ? MapOpCost{23, 4} : MapOpCost{110, 1};
  case MapOp::RSQRT:
    return f ? MapOpCost{8, 2} : MapOpCost{19, 4};
  case MapOp::SQUARE:
    return integer ? MapOpCost{1, 0} : MapOpCost{2, f ? 2u : 4u};
  case MapOp::TRUNC:
    return f ? MapOpCost{3, 2} : MapOpCost{11, 4};
  case MapOp::COPY:
  case MapOp::BITWISE_NOT:
    return {1, 0};
  case MapOp::CAST:
    return integer ? MapOpCost{2, 1} : MapOpCost{2, 4};
  case MapOp::ADD:
  case MapOp::SUBTRACT:
  case MapOp::MULTIPLY:
    return integer ? MapOpCost{7, 1} : MapOpCost{1, 0};
  case MapOp::ATAN2:
    return f ? MapOpCost{272, 2} : MapOpCost{578, 4};
  case MapOp::DIVIDE:
    return f ? MapOpCost{10, 2} : h ? MapOpCost{21, 4} : MapOpCost{277, 1};
  case MapOp::MAXIMUM:
  case MapOp::MINIMUM:
    return f ? MapOpCost{3, 2} : h ? MapOpCost{4, 4} : MapOpCost{7, 1};
  case MapOp::POWER:
    return f ? MapOpCost{312, 1} : h ? MapOpCost{325, 1} : MapOpCost{32, 1};
  case MapOp::REMAINDER:
    return f ? MapOpCost{133, 2} : h ? MapOpCost{300, 4} : MapOpCost{292, 1};
  case MapOp::INV_STD_DEV_TO_VARIANCE:
    return f ? MapOpCost{11, 2} : MapOpCost{10, 2};
  case MapOp::VARIANCE_TO_INV_STD_DEV:
    return f ? MapOpCost{12, 2} : MapOpCost{24, 4};
  case MapOp::BITWISE_AND:
  case MapOp::BITWISE_OR:
  case MapOp::BITWISE_XOR:
  case MapOp::BITWISE_XNOR:
  case MapOp::SHIFT_LEFT:
  case MapOp::SHIFT_RIGHT:
  case MapOp::SHIFT_RIGHT_SIGN_EXTEND:
    return {7, 1};
  case MapOp::LOGICAL_AND:
  case MapOp::LOGICAL_OR:
    return {5, 4};
  case MapOp::EQUAL:
  case MapOp::GREATER_THAN:
  case MapOp::LESS_THAN:
  case MapOp::GREATER_THAN_EQUAL:
  case MapOp::LESS_THAN_EQUAL:
    return f ? MapOpCost{14, 4} : h ? MapOpCost{9, 4} : MapOpCost{22, 4};
  case MapOp::NOT_EQUAL:
    return f ? MapOpCost{20, 4} : h ? MapOpCost{11, 4} : MapOpCost{22, 4};
  case MapOp::RELU_GRADIENT:
  case MapOp::SIGMOID_GRADIENT:
  case MapOp::TANH_GRADIENT:
  case MapOp::HARD_SIGMOID_GRADIENT:
    return {3, 0};
  case MapOp::GELU_GRADIENT:
  case MapOp::GELU_ERF_GRADIENT:
    return f ? MapOpCost{10, 2} : MapOpCost{5, 4};
  case MapOp::SWISH_GRADIENT:
    return f ? MapOpCost{15, 2} : MapOpCost{9, 4};
  case MapOp::CLAMP:
    return integer ? MapOpCost{7, 1} : MapOpCost{2, 0};
  case MapOp::SELECT:
    return {5, 1};
  }
  return {1, 1};
}

/// Elements of 64 bits.
constexpr unsigned mapVectorWidth(MapType type) { return 8 / bytesOf(type); }

/// Cycles that one worker spends on 8 elements of the program.
inline unsigned mapCyclesPer8(const std::uint32_t *words) {
  const MapProgramView program(words);
  unsigned cycles = 0, turns = 0;
  for (unsigned i = 0; i < program.numInstructions(); ++i) {
    const MapInstruction step = program.instruction(i);
    const MapOpCost cost = mapOpCost(step.op, step.type);
    const unsigned width = cost.elements ? cost.elements : mapVectorWidth(step.type);
    const unsigned stepTurns = (8 + width - 1) / width;
    cycles += cost.cycles * stepTurns;
    if (cost.elements <= 1 && stepTurns > turns)
      turns = stepTurns;
  }
  constexpr unsigned LOOP = 2; // load and store around a vector operation
  return cycles + LOOP * turns;
}

/// Cycles of one worker for its share of the elements.
constexpr std::uint64_t mapWorkerCycles(std::uint64_t elements, unsigned cyclesPer8) {
  constexpr std::uint64_t START = 29;
  return START + (elements * cyclesPer8 + 7) / 8;
}

/// Cycles of the supervisor, which starts the workers of a vertex and waits for them.
inline constexpr std::uint64_t MAP_SUPERVISOR_CYCLES = 11;

/// Cycles of the vertex on a tile with `workers` worker contexts.
constexpr std::uint64_t mapCycles(std::uint64_t elements, unsigned cyclesPer8, unsigned workers) {
  const std::uint64_t each = (elements + workers - 1) / workers;
  return workers * mapWorkerCycles(each, cyclesPer8) + MAP_SUPERVISOR_CYCLES;
}

} // namespace cottonwood::vertices
