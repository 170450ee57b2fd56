// The options of slices, gathers and scatters.
#pragma once

#include <planners/popops/Slice.hpp>

#include <poplar/OptionFlags.hpp>
#include <poplar/Type.hpp>

#include <string>

namespace cottonwood::popops {

enum class IndicesDistribution { UNIFORM, ONE_POINT };
enum class SlicePartials { NONE, HALF, FLOAT };

/// The meaning of each is in popops/DynamicSlice.hpp.
struct SliceOptions {
  std::string function; ///< that was given them, for errors
  bool usedForSlice = true, usedForUpdate = true;
  planner::SliceUpdate operation = planner::SliceUpdate::ADD;
  SlicePartials partials = SlicePartials::NONE;
  double memoryProportion = 0.6;
  IndicesDistribution distribution = IndicesDistribution::UNIFORM;
  bool sorted = false;
  bool validate = false;
  bool remap = false;
  bool padding = false;
  bool includeRearrangement = true;
  std::string constraints; ///< "lookupSerialSplit=2,...": see planner::Constraints

  /// Where offsets from which on mean nothing begin.
  std::size_t limit(std::size_t size) const { return size + (padding ? 1 : 0); }
  /// Of the vertices: see codelets/popops/MultiSlice.hpp.
  unsigned vertexFlags() const { return (remap ? 1U : 0U) | (padding ? 2U : 0U); }
};

/// Of the function `where`, which errors name.
/// \throws poplar::invalid_option  an unknown option, or a bad value, also of a constraint
/// \throws poputil::poplibs_error  an unknown constraint
POP_API POP_INLINE SliceOptions readSliceOptions(char const *where,
                                                 ::poplar::OptionFlags const &options);

} // namespace cottonwood::popops
