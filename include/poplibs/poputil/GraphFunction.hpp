#include <poputil/impl/Config.hpp>
#ifndef POPUTIL_GRAPH_FUNCTION_HPP
#define POPUTIL_GRAPH_FUNCTION_HPP

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

// Parts of programs that exist once and run with different tensors: the code of a function is made
// when the object is constructed, on tensors of its own, its parameters. A call copies arguments
// into them, runs the code and copies results back.

namespace poputil {
namespace graphfn {

/// InputArg: copied in. OutputArg: copied out. InOutArg: both. CreatedArg: made by the function;
/// each call assigns the argument a new tensor.
enum ArgType { InputArg, OutputArg, InOutArg, CreatedArg };

/// What a function says about one argument.
struct ArgSig {
  ArgType type;
  poplar::Tensor similarTensor; ///< the parameter is a clone of it; unused for CreatedArg
  std::string debugName;

  ArgSig(ArgType argType, poplar::Tensor tensor, std::string name)
      : type(argType), similarTensor(std::move(tensor)), debugName(std::move(name)) {}
};

inline ArgSig input(poplar::Tensor similar, std::string debugName = "") {
  return ArgSig(InputArg, std::move(similar), std::move(debugName));
}
inline ArgSig inout(poplar::Tensor similar, std::string debugName = "") {
  return ArgSig(InOutArg, std::move(similar), std::move(debugName));
}
inline ArgSig output(poplar::Tensor similar, std::string debugName = "") {
  return ArgSig(OutputArg, std::move(similar), std::move(debugName));
}
inline ArgSig created(std::string debugName = "") {
  return ArgSig(CreatedArg, poplar::Tensor(), std::move(debugName));
}

using Signature = std::vector<ArgSig>;

/// A function that works on its arguments.
class POP_API VoidFunction {
public:
  VoidFunction(VoidFunction &&fn);

  /// Runs f once, on the parameters in the order of the signature; f adds to the sequence, assigns
  /// the created arguments, and may replace results (not inputs) by tensors of its own.
  /// \param inlined  the code is part of every place of call, instead of being called
  /// \throws poplibs_error  f is empty or left a created argument unset, or a similar tensor is
  /// invalid
  VoidFunction(poplar::Graph &graph, Signature sig,
               std::function<void(std::vector<poplar::Tensor> &, poplar::program::Sequence &)> f,
               bool inlined = false, poplar::DebugContext const &debugContext = {});
  VoidFunction(poplar::Graph &graph, Signature sig,
               std::function<void(std::vector<poplar::Tensor> &, poplar::program::Sequence &,
                                  poplar::DebugNameAndId const &)>
                   f,
               bool inlined = false, poplar::DebugContext const &debugContext = {});
  ~VoidFunction();

  /// Appends a call to seq. Created arguments may be given as invalid tensors; they become clones
  /// of what f assigned, with its values.
  /// \throws poplibs_error  the number of arguments, or the shape or type of one, is not that of
  ///         the signature
  void operator()(std::vector<poplar::Tensor> &args, poplar::program::Sequence &seq,
                  poplar::DebugContext const &debugContext = {});

private:
  void checkArgs(std::vector<poplar::Tensor> const &args) const;

  poplar::Graph &graph_;
  Signature sig_;
  std::vector<poplar::Tensor> inputs_;  ///< what arguments are copied to
  std::vector<poplar::Tensor> results_; ///< what arguments are copied from
  poplar::program::Sequence body_;
  poplar::Function function_;
  bool inlined_;
};

/// A function whose code and calls are programs.
class POP_API ProgramFunction {
public:
  ProgramFunction(poplar::Graph &graph, Signature sig,
                  std::function<poplar::program::Program(std::vector<poplar::Tensor> &)> f,
                  bool inlined = false, poplar::DebugContext const &debugContext = {});
  ProgramFunction(poplar::Graph &graph, Signature sig,
                  std::function<poplar::program::Program(std::vector<poplar::Tensor> &,
                                                         poplar::DebugNameAndId const &)>
                      f,
                  bool inlined = false, poplar::DebugContext const &debugContext = {});

  /// The program of a call.
  poplar::program::Program operator()(std::vector<poplar::Tensor> &args,
                                      poplar::DebugContext const &debugContext = {});

private:
  VoidFunction function_;
};

/// A function with a result.
class POP_API TensorFunction {
public:
  TensorFunction(
      poplar::Graph &graph, Signature sig,
      std::function<poplar::Tensor(std::vector<poplar::Tensor> &, poplar::program::Sequence &)> f,
      bool inlined = false, poplar::DebugContext const &debugContext = {});
  TensorFunction(
      poplar::Graph &graph, Signature sig,
      std::function<poplar::Tensor(std::vector<poplar::Tensor> &, poplar::program::Sequence &,
                                   poplar::DebugNameAndId const &)>
          f,
      bool inlined = false, poplar::DebugContext const &debugContext = {});

  /// Appends a call. \returns  a new tensor with the result
  poplar::Tensor operator()(std::vector<poplar::Tensor> &args, poplar::program::Sequence &prog,
                            poplar::DebugContext const &debugContext = {});

private:
  VoidFunction function_;
};

} // namespace graphfn
} // namespace poputil

#endif
