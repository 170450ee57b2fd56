// A convolution on plain memory: its tables and parts, made once.
#pragma once

#include <codelets/poplin/Conv.hpp>
#include <planners/poplin/ConvTypes.hpp>
#include <poplin/impl/ConvCheck.hpp>
#include <poplin/impl/ConvTables.hpp>
#include <poplin/impl/RawKernels.hpp>

#include <array>
#include <functional>
#include <numeric>
#include <vector>

namespace cottonwood::poplin {

namespace detail {

inline std::size_t elementsOf(std::vector<std::size_t> const &shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

} // namespace detail

/// Outputs (in row-major order of batch and field) and channels that one kernel call computes. The
/// outputs are those of some batches, of a range in the first two dimensions of the field, and of
/// all of the other dimensions.
struct RawConvPart {
  ConvTable table;
  std::array<std::size_t, 3> begin{}; ///< batch, first and second dimension of the field
  std::array<std::size_t, 3> size{};
  std::size_t group = 0, groups = 0, column = 0, columns = 0;
  std::ptrdiff_t inOffset = 0, weightsOffset = 0;
  std::vector<std::size_t> rows; ///< of the outputs in the result; empty: one behind another
  std::size_t firstRow = 0;

  std::size_t row(std::size_t pixel) const { return rows.empty() ? firstRow + pixel : rows[pixel]; }
};

/// How the weights of a RawConv lie in memory.
enum class RawWeights {
  ROWS,  ///< [...kernel, I, groups, O]
  BLOCKS ///< as convWeightsVariable() makes them, if its blocks have whole strips of columns
};

class RawConv {
public:
  /// With the plan that planConvCpu() makes.
  RawConv(::poplin::ConvParams const &params, unsigned threads);
  /// With a plan of this convolution, which is not trivial, without Winograd's filtering.
  RawConv(ConvCheck const &check, unsigned threads, planner::ConvPlan const &plan,
          RawWeights weights);

  ConvCheck const &check() const { return check_; }
  std::vector<RawConvPart> const &parts() const { return parts_; }
  kernels::ConvBlocking const &blocking() const { return blocking_; }
  /// Groups of one channel in and out.
  bool channels() const { return channels_; }
  unsigned threads() const { return threads_; }
  std::size_t inChannels() const { return check_.params.getNumInputChans(); }
  std::size_t outChannels() const { return check_.params.getNumOutputChans(); }

  /// Between the weights of two groups, and of two blocks of so many columns.
  std::ptrdiff_t weightsGroup() const { return weightsGroup_; }
  std::ptrdiff_t weightsBlockStride() const { return weightsBlockStride_; }
  std::size_t weightsBlock() const { return weightsBlock_; }

private:
  void placeOperands(RawWeights weights);
  void addParts(planner::ConvPlan const &plan);
  RawConvPart makePart(std::array<std::size_t, 5> const &begin,
                       std::array<std::size_t, 5> const &end) const;
  void addTables(RawConvPart &part) const;
  void numberRows(RawConvPart &part) const;

  ConvCheck check_;
  std::vector<std::ptrdiff_t> inStrides_, kernelStrides_; ///< batch and field; kernel
  std::ptrdiff_t weightsRow_ = 0, weightsGroup_ = 0, weightsBlockStride_ = 0;
  std::size_t weightsBlock_ = std::size_t{1} << 31U;
  kernels::ConvBlocking blocking_;
  bool channels_ = false;
  unsigned threads_ = 1;
  std::vector<RawConvPart> parts_;
};

/// Calls run(context, part, in, workspace) for all parts. `in` are floats for groups of several
/// channels (converted if need be), else the elements that `in` points to.
POP_API void forEachRawConvPart(RawConv const &conv, RawArray in,
                                void (*run)(void const *context, RawConvPart const &part,
                                            const void *in, float *workspace),
                                void const *context);

/// Runs all parts with the kernels of the library.
/// \param in  as for forEachRawConvPart()
POP_API void runRawConv(RawConv const &conv, RawArray in, RawArray weights, bool halfOut,
                        void *out);

/// \throws poplar::poplar_error  types other than the params', or null pointers to elements.
POP_API void checkRawConv(RawConv const &conv, RawArray in, RawArray weights, RawArray out);

/// Kernel arguments of a part.
/// \param rows  holds pointers to the outputs where these do not lie one behind another
template <class In, class W, class Out>
kernels::ConvArgs<In, W, Out> convArgsOf(RawConv const &conv, RawConvPart const &part,
                                         const void *in, const void *weights, void *out,
                                         float *workspace, std::vector<Out *> &rows) {
  auto const &params = conv.check().params;
  auto const firstColumn = part.group * params.outputChannelsPerConvGroup + part.column;
  std::size_t const total = conv.outChannels();
  Out *const to = static_cast<Out *>(out) + firstColumn;
  for (std::size_t row : part.rows)
    rows.push_back(to + row * total);
  bool const channels = conv.channels();
  return {kernels::ConvGeometry(part.table.dims(), part.table.table().data(),
                                part.table.strides().data()),
          channels ? 1 : part.groups,
          channels ? part.groups : part.columns,
          static_cast<const In *>(in) + part.inOffset,
          static_cast<std::ptrdiff_t>(params.inputChannelsPerConvGroup),
          static_cast<const W *>(weights) + part.weightsOffset,
          conv.weightsGroup(),
          1,
          conv.weightsBlockStride(),
          conv.weightsBlock(),
          part.rows.empty() ? to + part.firstRow * total : nullptr,
          total,
          part.rows.empty() ? nullptr : rows.data(),
          conv.blocking(),
          workspace};
}

} // namespace cottonwood::poplin
