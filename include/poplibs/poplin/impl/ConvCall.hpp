// What the functions that run or prepare convolutions have in common.
#pragma once

#include <poplar/DebugContext.hpp>
#include <poplin/impl/ConvEmit.hpp>

namespace cottonwood::poplin {

/// One call of a function of the API.
class POP_API ConvCall {
public:
  ConvCall(char const *where, ::poplar::Graph &graph, ::poplar::DebugContext const &debugContext,
           ::poplar::OptionFlags const &options, ::poplin::PlanningCache *cache)
      : where_(where), graph_(graph), debugContext_(debugContext),
        options_(readConvOptions(where, options)), cache_(cache ? cache : &ownCache_) {}

  /// The result as a new tensor.
  Tensor run(Tensor const &in, Tensor const &weights, ::poplin::ConvParams const &params,
             bool transposeAndFlip, ::poplar::program::Sequence &prog);
  void runInto(Tensor const &in, Tensor const &weights, Tensor const &out,
               ::poplin::ConvParams const &params, bool transposeAndFlip,
               ::poplar::program::Sequence &prog);
  /// All further results of run() and runInto() pass through an epilogue.
  ConvCall &with(EpilogueJob const &epilogue) {
    epilogue_ = &epilogue;
    return *this;
  }
  /// All further results of problem `check` have this plan for tiles, which others share.
  /// \param steps  where vertices go; null: nothing is run
  ConvCall &sideBySide(ConvCheck const &check, planner::TileChoice const &choice, TileSteps *steps);
  /// The gradient of the weights of a forward convolution as a new tensor.
  Tensor weightDeltas(Tensor const &zDeltas, Tensor const &activations,
                      ::poplin::ConvParams const &params, ::poplar::program::Sequence &prog);
  /// A new tensor for one side of a convolution, in the shape that users see.
  Tensor create(::poplin::ConvParams const &params, ConvSide side);

private:
  /// A new variable, mapped, in the form that ConvJob has it.
  Tensor variable(ConvCheck const &check, ConvSide side);
  void map(Tensor const &t, ConvSide side, ConvCheck const &check);
  /// Where options ask for it the plan is one for operands that lie where they are. In the forms
  /// that ConvJob has.
  void countMapping(ConvCheck const &check, Tensor const &in, Tensor const &weights);
  void emit(ConvCheck const &check, Tensor const &in, Tensor const &weights, Tensor const &rows,
            bool transposeAndFlip, ::poplar::program::Sequence &prog);
  void emitSums(ConvJob const &job, ::poplar::program::Sequence &prog);
  void emitPointwiseGradient(Tensor const &activations, Tensor const &zDeltas,
                             ::poplin::ConvParams const &params, Tensor const &rows,
                             ::poplar::program::Sequence &prog);

  char const *where_;
  ::poplar::Graph &graph_;
  ::poplar::DebugContext const &debugContext_;
  ConvOptions options_;
  ::poplin::PlanningCache ownCache_; ///< mapping and emission ask for one plan
  ::poplin::PlanningCache *cache_;
  EpilogueJob const *epilogue_ = nullptr;
  TileSteps *steps_ = nullptr;
};

/// [N, ...field, groups, O] as [N, groups * O, ...field].
POP_API Tensor convFromRows(Tensor const &rows);

} // namespace cottonwood::poplin
