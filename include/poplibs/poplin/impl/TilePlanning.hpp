// From products and convolutions to problems for tiles, and from their plans to operands.
#pragma once

#include <planners/poplin/MatMulTypes.hpp>
#include <planners/poplin/TilePlanner.hpp>
#include <poplin/impl/ConvCheck.hpp>
#include <poplin/impl/ConvOptions.hpp>
#include <poplin/impl/TileEmit.hpp>

#include <poplar/impl/model/Machine.hpp>

namespace cottonwood::poplin {

/// Plans of which reports tell, the chosen one included.
inline constexpr std::size_t REPORTED_PLANS = 6;

/// What options of products and convolutions say about plans for tiles.
struct TileOptions {
  double memoryProportion = 0.6;
  bool multiStage = true; ///< enableMultiStageReduce
  bool wideLoads = false; ///< use128BitConvUnitLoad
  std::string constraints;

  TileOptions() = default;
  /// \tparam Options  MatMulOptions or ConvOptions
  template <class Options>
  explicit TileOptions(Options const &options)
      : memoryProportion(options.memoryProportion), multiStage(options.enableMultiStageReduce),
        wideLoads(options.use128BitConvUnitLoad), constraints(options.tileConstraints) {}
};

/// What plans for tiles depend on, for a problem of these types.
POP_API planner::TileMachine tileMachine(model::Machine const &machine,
                                         planner::TileProblem const &problem,
                                         TileOptions const &options);

POP_API planner::TileProblem tileProblem(planner::MatMulProblem const &problem);
POP_API planner::TileProblem tileProblem(ConvCheck const &check, ConvOptions const &options);

/// Operands and result [g, m, k] x [g, k, n] = [g, m, n] of a product as a plan wants them.
POP_API TileOperands tileOperands(Tensor const &a, Tensor const &b, Tensor const &out,
                                  planner::TilePlan const &plan);
/// Those of a convolution, in the forms that ConvJob has them.
POP_API TileOperands tileOperands(ConvCheck const &check, Tensor const &in, Tensor const &weights,
                                  Tensor const &out, planner::TilePlan const &plan);

/// A choice for tiles as one of products or convolutions.
/// \tparam Choice  planner::MatMulChoice or ConvChoice
template <class Choice> Choice choiceWith(planner::TileChoice tiles) {
  Choice choice;
  choice.tiles = std::move(tiles);
  choice.cost = choice.tiles.cost;
  choice.explanation = planner::candidatesOf(choice.tiles);
  return choice;
}

/// What a planner of products or convolutions chooses for tiles.
template <class Choice>
Choice choiceOnTiles(model::Machine const &machine, planner::TileProblem const &problem,
                     TileOptions const &options) {
  return choiceWith<Choice>(planner::planTiles(problem, tileMachine(machine, problem, options),
                                               planner::Constraints::parse(options.constraints),
                                               REPORTED_PLANS));
}

/// The plan of a choice for the kind of machine that it was made for.
template <class Choice> std::string planText(Choice const &choice, bool onCpu) {
  return onCpu ? toText(choice.plan) : toText(choice.tiles.plan);
}

/// A plan with what it is to be emitted with. \param params  of what is not flat
POP_API TileJob tileJob(::poplar::Target const &target, planner::TileProblem const &problem,
                        planner::TilePlan const &plan, TileOptions const &options,
                        TileOperands const &operands, ::poplin::ConvParams const *params = nullptr);

/// Leaves a note of a plan in the graph, for reports.
POP_API void notePlan(::poplar::Graph &graph, ::poplar::DebugContext const &debugContext,
                      planner::TileProblem const &problem, planner::TileChoice const &choice);

/// Which operand a tensor is.
enum class TileSide { INPUT, WEIGHTS, OUTPUT };

/// A new variable in the layout of a plan, not mapped. Shapes begin with groups; channels come
/// last, for weights output channels second.
POP_API Tensor layoutVariable(::poplar::Graph &graph, ::poplar::Type const &type, TileSide side,
                              std::vector<std::size_t> const &shape, planner::TilePlan const &plan,
                              ::poplar::DebugContext const &debugContext);
/// A new variable in the layout of a plan, mapped to the tiles that use it, in the dimensions of
/// TileOperands.
POP_API Tensor tileVariable(::poplar::Graph &graph, ::poplar::Type const &type, TileSide side,
                            std::vector<std::size_t> const &shape,
                            planner::TileProblem const &problem, planner::TilePlan const &plan,
                            ::poplar::DebugContext const &debugContext);
/// Maps a tensor of these dimensions.
POP_API void mapTileOperand(::poplar::Graph &graph, Tensor const &t, TileSide side,
                            planner::TileProblem const &problem, planner::TilePlan const &plan);

} // namespace cottonwood::poplin
