#pragma once

#include <poputil/DebugInfo.hpp>

namespace poputil {

using poplar::ProfileValue;

template <> POP_INLINE ProfileValue toProfileValue(int const &v) { return ProfileValue(v); }
template <> POP_INLINE ProfileValue toProfileValue(unsigned int const &v) {
  return ProfileValue(v);
}
template <> POP_INLINE ProfileValue toProfileValue(unsigned long const &v) {
  return ProfileValue(v);
}
template <> POP_INLINE ProfileValue toProfileValue(unsigned char const &v) {
  return ProfileValue(v);
}
template <> POP_INLINE ProfileValue toProfileValue(bool const &v) { return ProfileValue(v); }
template <> POP_INLINE ProfileValue toProfileValue(float const &v) {
  return ProfileValue(static_cast<double>(v));
}
template <> POP_INLINE ProfileValue toProfileValue(double const &v) { return ProfileValue(v); }
template <> POP_INLINE ProfileValue toProfileValue(long long const &v) { return ProfileValue(v); }
template <> POP_INLINE ProfileValue toProfileValue(unsigned long long const &v) {
  return ProfileValue(v);
}
template <> POP_INLINE ProfileValue toProfileValue(std::string const &v) { return ProfileValue(v); }
template <> POP_INLINE ProfileValue toProfileValue(poplar::ComputeSet const &t) {
  return ProfileValue(t.getId());
}
template <> POP_INLINE ProfileValue toProfileValue(poplar::OptionFlags const &t) {
  return getAsProfileValue(t);
}
template <> POP_INLINE ProfileValue toProfileValue(poplar::program::Copy const &) {
  return ProfileValue("<Copy>");
}
template <> POP_INLINE ProfileValue toProfileValue(poplar::program::Sequence const &) {
  return ProfileValue("<Sequence>");
}
template <> POP_INLINE ProfileValue toProfileValue(poplar::Tensor const &t) {
  if (!t.valid())
    return ProfileValue("<invalid tensor>");
  ProfileValue::Map members;
  members.emplace("shape", toProfileValue(t.shape()));
  members.emplace("type", toProfileValue(t.elementType()));
  return members;
}
template <> POP_INLINE ProfileValue toProfileValue(poplar::Type const &t) {
  return ProfileValue(static_cast<std::string>(t.toString()));
}
template <> POP_INLINE ProfileValue toProfileValue(poplar::TensorCloneMethod const &t) {
  return ProfileValue(poplar::toString(t));
}

POP_INLINE OpDebugInfo::OpDebugInfo(poplar::DebugContext const &debugContext, std::string api)
    : poplar::DebugInfo(debugContext, "poplibs") {
  setValue("api", ProfileValue(std::move(api)));
}

POP_INLINE OpDebugInfo::~OpDebugInfo() = default;

POP_INLINE void OpDebugInfo::add(std::string name, std::vector<ArgType> const &args) {
  if (args.empty())
    return;
  ProfileValue::Map members;
  for (ArgType const &arg : args)
    members.emplace(arg.n, arg.pv);
  setValue(std::move(name), ProfileValue(std::move(members)));
}

POP_INLINE void OpDebugInfo::add(std::string name, ProfileValue pv) {
  setValue(std::move(name), std::move(pv));
}

POP_INLINE PoplibsOpDebugInfo::PoplibsOpDebugInfo(poplar::DebugContext const &debugContext,
                                                  std::vector<ArgType> const &args,
                                                  std::string const &api)
    : OpDebugInfo(debugContext, api) {
  add("args", args);
}

POP_INLINE PoplibsOpDebugInfo::~PoplibsOpDebugInfo() = default;

POP_INLINE void PoplibsOpDebugInfo::addOutputs(std::vector<ArgType> const &outputs) {
  add("outputs", outputs);
}

POP_INLINE void PoplibsOpDebugInfo::addOutput(poplar::Tensor const &output) {
  addOutputs({ArgType("output", toProfileValue(output))});
}

} // namespace poputil
