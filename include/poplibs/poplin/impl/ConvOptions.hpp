// The options of convolutions, read and checked.
#pragma once

#include <planners/poplin/ConvTypes.hpp>
#include <poplar/OptionFlags.hpp>

#include <compare>
#include <string>

namespace cottonwood::poplin {

struct ConvOptions {
  planner::MatMulType partials = planner::MatMulType::FLOAT;
  planner::MatMulType interTile = planner::MatMulType::FLOAT;
  planner::MatMulType interIPU = planner::MatMulType::FLOAT;
  double memoryProportion = 0.6;
  std::string constraints;     ///< on CPUs, in the form of planner::Constraints::parse
  std::string tileConstraints; ///< on tiles
  std::string constraintsOutputFilename;
  std::string pass = "NONE";
  /// On CPUs, beyond the published options: the largest blocks of Winograd's minimal filtering.
  unsigned winograd = 0;
  bool measure = false;               ///< on CPUs, beyond the published options: `planning`
  bool use128BitConvUnitLoad = false; ///< on tiles, as the next
  bool enableMultiStageReduce = true;
  /// On tiles, beyond the published options: plans count what moves from where operands are mapped.
  bool useOperandMapping = false;
  // Accepted, but nothing depends on them.
  bool enableFastReduce = false;
  bool remapOutputTensor = true;
  bool enableConvDithering = false;
  bool disableTransformations = false;
  bool insertTransformsCycleCountProgs = false;
  bool convTransformsEstimates = false;
  bool gatherConvOutput = false;
  bool slicVmac16 = false;
  bool disableSRForAMPVertices = false;
  bool enableTileLevelExpandDims = false;

  std::string sideBySide; ///< not an option: tells plans that share the tiles with others apart

  bool operator==(ConvOptions const &) const = default;
  auto operator<=>(ConvOptions const &) const = default;
};

/// \param where  the function that was given them, which errors begin with
/// \throws poplar::invalid_option  an unknown key, or a value that it does not allow.
POP_API ConvOptions readConvOptions(char const *where, ::poplar::OptionFlags const &options);

} // namespace cottonwood::poplin
