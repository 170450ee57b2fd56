// The options of matrix products, read and checked.
#pragma once

#include <planners/poplin/MatMulTypes.hpp>
#include <poplar/OptionFlags.hpp>

#include <compare>
#include <string>

namespace cottonwood::poplin {

struct MatMulOptions {
  planner::MatMulType partials = planner::MatMulType::FLOAT;
  double memoryProportion = 0.6;
  std::string constraints;     ///< on CPUs, in the form of planner::Constraints::parse
  std::string tileConstraints; ///< on tiles
  std::string fullyConnectedPass = "NONE";
  bool measure = false;               ///< option planning: measure
  bool use128BitConvUnitLoad = false; ///< on tiles, as the next
  bool enableMultiStageReduce = true;
  /// On tiles, beyond the published options: plans count what moves from where operands are mapped.
  bool useOperandMapping = false;
  // Accepted, but nothing depends on them.
  bool inputRHSIsPreArranged = false;
  bool enableFastReduce = false;
  bool remapOutputTensor = true;
  bool gatherOutput = false;
  bool disableSRForAMPVertices = false;

  bool operator==(MatMulOptions const &) const = default;
  auto operator<=>(MatMulOptions const &) const = default;
};

/// \param where  the function that was given them, which errors begin with
/// \throws poplar::invalid_option  an unknown key, or a value that it does not allow.
POP_API MatMulOptions readMatMulOptions(char const *where, ::poplar::OptionFlags const &options);

} // namespace cottonwood::poplin
