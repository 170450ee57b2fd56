// Planning convolutions and making their vertices.
#pragma once

#include <planners/poplin/Conv.hpp>
#include <planners/poplin/TileSideBySide.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplin/PlanningCache.hpp>
#include <poplin/impl/ConvCheck.hpp>
#include <poplin/impl/ConvOptions.hpp>
#include <poplin/impl/EpilogueEmit.hpp>
#include <poplin/impl/MatMulOptions.hpp>
#include <poplin/impl/TileEmit.hpp>
#include <poplin/impl/WisdomStore.hpp>

namespace cottonwood::poplin {

namespace detail {
/// Columns of weights that createWeights puts side by side: a strip of the widest kernel.
inline constexpr std::size_t CONV_BLOCK = kernels::MATMUL_MAX_TILE_COLUMNS;
/// Of so many columns: all, where blocks would not be whole.
inline std::size_t convBlockOf(std::size_t columns) {
  return columns % CONV_BLOCK == 0 ? CONV_BLOCK : columns;
}

/// Whether multiply-adds go through the taps of the last dimension for each input channel, not the
/// other way round: of few channels and many taps, as in the gradient of weights, so that what lies
/// side by side is long.
inline bool addsTapsLast(::poplin::ConvParams const &p) {
  std::size_t const channels = p.inputChannelsPerConvGroup;
  auto const dims = static_cast<unsigned>(p.getNumFieldDims());
  return dims != 0 && channels < 16 && p.getTruncatedKernelSize(dims - 1) >= 4 * channels;
}
} // namespace detail

/// Whether a convolution is like the gradient of the weights of several groups of few channels,
/// whatever computes it: multiply-adds then go through the taps of each input channel, which are
/// the images of the forward layer.
POP_API bool updatesGroups(::poplin::ConvParams const &p);

namespace detail {
/// The problem that planConv() plans: with the partials and blocks of Winograd's filtering that the
/// options allow.
POP_API planner::ConvProblem convProblem(ConvCheck const &check, ConvOptions const &options);
} // namespace detail

/// Plans a convolution that is not trivial.
/// \throws poputil::poplibs_error  the options' constraints admit no plan.
POP_API planner::ConvChoice planConv(char const *where, ::poplar::Target const &target,
                                     ConvCheck const &check, ConvOptions const &options,
                                     ::poplin::PlanningCache *cache);

/// Whether a convolution with channels last is a product of matrices: on CPUs of pointwise kernels,
/// [N * field, C] by [C, O] in each group, unless groups are vectors or `options` force a plan, or
/// outputs leave out inputs of floats, which the kernels of convolutions read in place.
POP_API bool isProduct(::poplar::Target const &target, ConvCheck const &check,
                       ConvOptions const &options);
/// Its problem, with weights as createWeights() lays them out.
POP_API planner::MatMulProblem pointwiseProduct(ConvCheck const &check);

/// The inputs [groups, N, ...field, C] that a pointwise kernel meets.
POP_API Tensor pointwiseInputs(::poplin::ConvParams const &p, Tensor in);

/// Whether the gradient of a forward convolution's weights is a product of matrices: on CPUs that
/// of pointwise weights, [C, N * field] by [N * field, O] in each group, unless groups are vectors
/// or `options` force a plan, or outputs leave out inputs of floats and there are few of them.
POP_API bool gradientIsProduct(::poplar::Target const &target, ConvCheck const &forward,
                               ConvOptions const &options);
/// Its problem, and its options.
POP_API planner::MatMulProblem gradientProduct(ConvCheck const &forward);
POP_API MatMulOptions productOptions(ConvOptions const &options);

/// The quickest plan on a CPU of those that leave the bits as `estimated` has them; nothing if the
/// convolution is too large to be tried. `estimated` has no blocks of Winograd's filtering.
POP_API std::optional<Measured<planner::ConvPlan>> measureConv(ConvCheck const &check,
                                                               planner::ConvProblem const &problem,
                                                               planner::MatMulCpu const &cpu,
                                                               planner::ConvPlan const &estimated);

/// Makes a cache know a plan for tiles whose operands, in the forms that ConvJob has, are mapped
/// already: what the plan's tiles bring from there is counted. Up to three dimensions of the field.
/// \throws poputil::poplibs_error  as planConv()
POP_API void planForMapping(char const *where, ::poplar::Graph const &graph, ConvCheck const &check,
                            ConvOptions const &options, Tensor const &in, Tensor const &weights,
                            ::poplin::PlanningCache &cache);

/// Makes a cache know a plan for tiles.
POP_API void rememberPlan(::poplar::Target const &target, ConvCheck const &check,
                          ConvOptions const &options, planner::TileChoice const &choice,
                          ::poplin::PlanningCache &cache);

/// Plans of convolutions on tiles side by side, or none where one after another they take less.
/// \throws poputil::poplibs_error  as planConv()
POP_API std::vector<planner::TileChoice>
planConvGroup(char const *where, ::poplar::Target const &target,
              std::vector<std::pair<ConvCheck, ConvOptions>> const &convs,
              planner::SideBySideOptions const &options, ::poplin::PlanningCache *cache);

/// A convolution that is not trivial and whose arguments were checked.
struct ConvJob {
  char const *where = "";
  ConvCheck check;
  Tensor in;      ///< [groups, N, ...field, C], see convActivations()
  Tensor weights; ///< [groups, O, ...kernel, I], see convWeights()
  Tensor out;     ///< [N, ...field, groups, O], see convRows()
  ConvOptions options;
  ::poplin::PlanningCache *cache = nullptr;
  EpilogueJob const *epilogue = nullptr; ///< of vertices for CPUs; null: the sums are the result
  EpilogueViews operands;                ///< of the epilogue: [1, N * field, channels]
  TileSteps *steps = nullptr;            ///< on tiles, side by side with others: where vertices go
};

/// Adds the program of the convolution for the kind of target that the graph has.
POP_API void emitConv(::poplar::Graph &graph, ConvJob job, ::poplar::program::Sequence &prog,
                      ::poplar::DebugContext const &debugContext);
/// Adds the program of a pointwise convolution as products of matrices, on CPUs where that is
/// quicker. \returns  whether it did.
POP_API bool emitPointwise(::poplar::Graph &graph, ConvJob const &job,
                           ::poplar::program::Sequence &prog,
                           ::poplar::DebugContext const &debugContext);
/// Adds the program of a convolution of groups of one channel plane by plane, on CPUs where the
/// fields of input and result lie side by side. \returns  whether it did.
POP_API bool emitConvPlanes(::poplar::Graph &graph, ConvJob const &job,
                            ::poplar::program::Sequence &prog,
                            ::poplar::DebugContext const &debugContext);
/// The same for a convolution from maps to maps, of few input channels, and, where copies are maps,
/// to few output channels.
POP_API bool emitConvMaps(::poplar::Graph &graph, ConvJob const &job,
                          ::poplar::program::Sequence &prog,
                          ::poplar::DebugContext const &debugContext);
/// The same for a convolution that updatesGroups().
POP_API bool emitConvUpdate(::poplar::Graph &graph, ConvJob const &job,
                            ::poplar::program::Sequence &prog,
                            ::poplar::DebugContext const &debugContext);
/// Whether several groups of a convolution share a vector, or one that has no more channels fills
/// most of it: on a CPU, with nothing that forces a plan.
POP_API bool sharesVectors(::poplar::Target const &target, ConvCheck const &check,
                           ConvOptions const &options);
/// Whether a plan for a CPU is one for kernels that do not filter, and whose sums are not blocks of
/// products.
inline bool usesVectors(planner::ConvPlan const &plan) {
  return plan.winograd == 0 && !kernels::inMatMulBlocks(plan.method);
}
/// The same for a convolution whose groups share vectors. Pointwise ones only with channels last.
POP_API bool emitConvGroups(::poplar::Graph &graph, ConvJob const &job,
                            ::poplar::program::Sequence &prog,
                            ::poplar::DebugContext const &debugContext);
POP_API void emitConvCpu(::poplar::Graph &graph, ConvJob const &job,
                         ::poplar::program::Sequence &prog,
                         ::poplar::DebugContext const &debugContext);
/// \param plan  with winograd != 0; the job has no epilogue
POP_API void emitConvWinograd(::poplar::Graph &graph, ConvJob const &job,
                              planner::ConvPlan const &plan, ::poplar::program::Sequence &prog,
                              ::poplar::DebugContext const &debugContext);
POP_API void emitConvTiles(::poplar::Graph &graph, ConvJob const &job,
                           ::poplar::program::Sequence &prog,
                           ::poplar::DebugContext const &debugContext);

/// Which operand a tensor is.
enum class ConvSide { INPUT, WEIGHTS, OUTPUT };

/// Maps a tensor, in the form that ConvJob has it, to the tiles that use it.
POP_API void mapForPlan(::poplar::Graph &graph, Tensor const &t, ConvSide side,
                        ConvCheck const &check, ConvOptions const &options,
                        planner::TilePlan const &plan);
/// A new variable in the layout of a plan for tiles and mapped by it, in the form that ConvJob has.
POP_API Tensor convTileVariable(::poplar::Graph &graph, ConvCheck const &check, ConvSide side,
                                ConvOptions const &options, planner::TilePlan const &plan,
                                ::poplar::Type const &type,
                                ::poplar::DebugContext const &debugContext);

/// Groups of one output channel are vectors of groups on a CPU.
inline bool convolvesChannels(ConvCheck const &check) {
  return check.problem.n == 1 && check.problem.g >= 4;
}

/// A new variable in the memory layout that CPU kernels read best, in the form that ConvJob has it
/// but for the order of channels: see the functions' results.
/// \returns  [groups, N, ...field, C]
POP_API Tensor convInputVariable(::poplar::Graph &graph, ConvCheck const &check,
                                 ::poplar::Type const &type,
                                 ::poplar::DebugContext const &debugContext);
/// \returns  [groups, O, ...kernel, I]
POP_API Tensor convWeightsVariable(::poplar::Graph &graph, ConvCheck const &check,
                                   ::poplar::DebugContext const &debugContext);
/// \returns  [N, ...field, groups, O]
POP_API Tensor convOutputVariable(::poplar::Graph &graph, ConvCheck const &check,
                                  ::poplar::DebugContext const &debugContext);

} // namespace cottonwood::poplin
