#pragma once

#include <poputil/GraphFunction.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Error.hpp>

namespace cottonwood::poputil::detail {

using ::poplar::Tensor;
using ::poputil::graphfn::ArgSig;
using ::poputil::graphfn::Signature;

inline constexpr char const *GRAPH_FUNCTION = "poputil::graphfn";

/// `argument 1 ('weights')`
POP_INLINE std::string argumentText(Signature const &sig, std::size_t i) {
  std::string const &name = sig[i].debugName;
  return base::textOf("argument ", i, name.empty() ? "" : " (" + base::quoted(name) + ")");
}

POP_INLINE bool isRead(ArgSig const &arg) {
  return arg.type == ::poputil::graphfn::InputArg || arg.type == ::poputil::graphfn::InOutArg;
}
POP_INLINE bool isWritten(ArgSig const &arg) {
  return arg.type == ::poputil::graphfn::OutputArg || arg.type == ::poputil::graphfn::InOutArg;
}

POP_INLINE Signature withResult(Signature sig) {
  sig.push_back(::poputil::graphfn::created("result"));
  return sig;
}

/// What the application gave as the body.
template <class F> F const &presentBody(F const &f) {
  if (!f)
    base::fail<::poputil::poplibs_error>(
        GRAPH_FUNCTION, "the function is empty; it must be one that can be called");
  return f;
}

using VoidBody = std::function<void(std::vector<Tensor> &, ::poplar::program::Sequence &,
                                    ::poplar::DebugNameAndId const &)>;

/// A body that assigns what f returns to the last argument.
template <class F> VoidBody assigning(F f) {
  return [f](std::vector<Tensor> &args, ::poplar::program::Sequence &seq,
             ::poplar::DebugNameAndId const &name) {
    std::vector<Tensor> own(args.begin(), args.end() - 1);
    Tensor const result = f(own, seq, name);
    std::copy(own.begin(), own.end(), args.begin());
    args.back() = result;
  };
}

} // namespace cottonwood::poputil::detail

namespace poputil {
namespace graphfn {

POP_INLINE VoidFunction::VoidFunction(VoidFunction &&fn) = default;
POP_INLINE VoidFunction::~VoidFunction() = default;

POP_INLINE VoidFunction::VoidFunction(
    poplar::Graph &graph, Signature sig,
    std::function<void(std::vector<poplar::Tensor> &, poplar::program::Sequence &,
                       poplar::DebugNameAndId const &)>
        f,
    bool inlined, poplar::DebugContext const &debugContext)
    : graph_(graph), sig_(std::move(sig)), body_(debugContext), inlined_(inlined) {
  namespace detail = cottonwood::poputil::detail;
  for (std::size_t i = 0; i != sig_.size(); ++i) {
    poplar::Tensor const &similar = sig_[i].similarTensor;
    if (sig_[i].type == CreatedArg)
      inputs_.emplace_back();
    else if (similar.valid())
      inputs_.push_back(graph.clone(similar, {debugContext, sig_[i].debugName}));
    else
      cottonwood::base::fail<poplibs_error>(detail::GRAPH_FUNCTION, "the similar tensor of ",
                                            detail::argumentText(sig_, i), " is invalid");
  }
  results_ = inputs_;
  detail::presentBody(f)(results_, body_, poplar::DebugNameAndId(debugContext.getPathName()));
  for (std::size_t i = 0; i != sig_.size(); ++i)
    if (results_.size() != sig_.size() || !results_[i].valid())
      cottonwood::base::fail<poplibs_error>(detail::GRAPH_FUNCTION, "the function left ",
                                            detail::argumentText(sig_, i), " unset");
  if (!inlined_)
    function_ = graph.addFunction(body_);
}

POP_INLINE VoidFunction::VoidFunction(
    poplar::Graph &graph, Signature sig,
    std::function<void(std::vector<poplar::Tensor> &, poplar::program::Sequence &)> f, bool inlined,
    poplar::DebugContext const &debugContext)
    : VoidFunction(graph, std::move(sig),
                   cottonwood::poputil::detail::VoidBody([&f](std::vector<poplar::Tensor> &args,
                                                              poplar::program::Sequence &seq,
                                                              poplar::DebugNameAndId const &) {
                     cottonwood::poputil::detail::presentBody(f)(args, seq);
                   }),
                   inlined, debugContext) {}

POP_INLINE void VoidFunction::checkArgs(std::vector<poplar::Tensor> const &args) const {
  namespace detail = cottonwood::poputil::detail;
  if (args.size() != sig_.size())
    cottonwood::base::fail<poplibs_error>(detail::GRAPH_FUNCTION, args.size(),
                                          " arguments for a function of ", sig_.size());
  for (std::size_t i = 0; i != args.size(); ++i) {
    if (sig_[i].type == CreatedArg)
      continue;
    if (!args[i].valid())
      cottonwood::base::fail<poplibs_error>(detail::GRAPH_FUNCTION, detail::argumentText(sig_, i),
                                            " is an invalid tensor");
    poplar::Tensor const &parameter = inputs_[i];
    if (args[i].shape() != parameter.shape() || args[i].elementType() != parameter.elementType())
      cottonwood::base::fail<poplibs_error>(
          detail::GRAPH_FUNCTION, detail::argumentText(sig_, i), " has shape ",
          cottonwood::base::shapeText(args[i].shape()), " of type ", args[i].elementType(),
          "; it must be ", cottonwood::base::shapeText(parameter.shape()), " of type ",
          parameter.elementType());
  }
}

POP_INLINE void VoidFunction::operator()(std::vector<poplar::Tensor> &args,
                                         poplar::program::Sequence &seq,
                                         poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::poputil::detail;
  checkArgs(args);
  for (std::size_t i = 0; i != args.size(); ++i)
    if (detail::isRead(sig_[i]))
      seq.add(poplar::program::Copy(args[i], inputs_[i], false, debugContext));
  if (inlined_)
    seq.add(body_);
  else
    seq.add(poplar::program::Call(function_, debugContext));
  for (std::size_t i = 0; i != args.size(); ++i) {
    if (sig_[i].type == CreatedArg)
      args[i] = graph_.clone(results_[i], {debugContext, sig_[i].debugName});
    if (sig_[i].type == CreatedArg || detail::isWritten(sig_[i]))
      seq.add(poplar::program::Copy(results_[i], args[i], false, debugContext));
  }
}

POP_INLINE ProgramFunction::ProgramFunction(
    poplar::Graph &graph, Signature sig,
    std::function<poplar::program::Program(std::vector<poplar::Tensor> &,
                                           poplar::DebugNameAndId const &)>
        f,
    bool inlined, poplar::DebugContext const &debugContext)
    : function_(graph, std::move(sig),
                cottonwood::poputil::detail::VoidBody([&f](std::vector<poplar::Tensor> &args,
                                                           poplar::program::Sequence &seq,
                                                           poplar::DebugNameAndId const &name) {
                  seq.add(cottonwood::poputil::detail::presentBody(f)(args, name));
                }),
                inlined, debugContext) {}

POP_INLINE ProgramFunction::ProgramFunction(
    poplar::Graph &graph, Signature sig,
    std::function<poplar::program::Program(std::vector<poplar::Tensor> &)> f, bool inlined,
    poplar::DebugContext const &debugContext)
    : function_(graph, std::move(sig),
                cottonwood::poputil::detail::VoidBody([&f](std::vector<poplar::Tensor> &args,
                                                           poplar::program::Sequence &seq,
                                                           poplar::DebugNameAndId const &) {
                  seq.add(cottonwood::poputil::detail::presentBody(f)(args));
                }),
                inlined, debugContext) {}

POP_INLINE poplar::program::Program
ProgramFunction::operator()(std::vector<poplar::Tensor> &args,
                            poplar::DebugContext const &debugContext) {
  poplar::program::Sequence call(debugContext);
  function_(args, call, debugContext);
  return call;
}

POP_INLINE TensorFunction::TensorFunction(
    poplar::Graph &graph, Signature sig,
    std::function<poplar::Tensor(std::vector<poplar::Tensor> &, poplar::program::Sequence &,
                                 poplar::DebugNameAndId const &)>
        f,
    bool inlined, poplar::DebugContext const &debugContext)
    : function_(graph, cottonwood::poputil::detail::withResult(std::move(sig)),
                cottonwood::poputil::detail::assigning(cottonwood::poputil::detail::presentBody(f)),
                inlined, debugContext) {}

POP_INLINE TensorFunction::TensorFunction(
    poplar::Graph &graph, Signature sig,
    std::function<poplar::Tensor(std::vector<poplar::Tensor> &, poplar::program::Sequence &)> f,
    bool inlined, poplar::DebugContext const &debugContext)
    : function_(graph, cottonwood::poputil::detail::withResult(std::move(sig)),
                cottonwood::poputil::detail::assigning([f](std::vector<poplar::Tensor> &args,
                                                           poplar::program::Sequence &seq,
                                                           poplar::DebugNameAndId const &) {
                  return cottonwood::poputil::detail::presentBody(f)(args, seq);
                }),
                inlined, debugContext) {}

POP_INLINE poplar::Tensor TensorFunction::operator()(std::vector<poplar::Tensor> &args,
                                                     poplar::program::Sequence &prog,
                                                     poplar::DebugContext const &debugContext) {
  std::vector<poplar::Tensor> all = args;
  all.emplace_back();
  function_(all, prog, debugContext);
  std::copy(all.begin(), all.end() - 1, args.begin());
  return all.back();
}

} // namespace graphfn
} // namespace poputil
