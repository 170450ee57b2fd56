#pragma once

#include <poplin/impl/NormEmit.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/Log.hpp>

namespace cottonwood::poplin {

namespace detail {
POP_INLINE void checkNormType(char const *where, char const *name, Tensor const &t) {
  if (!t.valid())
    base::fail<::poputil::poplibs_error>(where, "'", name, "' is an invalid tensor");
  if (t.elementType() != ::poplar::FLOAT && t.elementType() != ::poplar::HALF)
    base::fail<::poputil::poplibs_error>(where, "'", name, "' is of type ", t.elementType(),
                                         "; allowed: float, half");
}
} // namespace detail

POP_INLINE void checkNormActs(char const *where, char const *name, Tensor const &t) {
  detail::checkNormType(where, name, t);
  if (t.rank() < 2)
    base::fail<::poputil::poplibs_error>(where, "Norm supported for tensors of rank > 1; '", name,
                                         "' has shape ", base::shapeText(t.shape()),
                                         ", and must be [batch, channels, ...field]");
}

POP_INLINE void checkNormLike(char const *where, char const *name, Tensor const &t,
                              Tensor const &acts) {
  detail::checkNormType(where, name, t);
  if (t.shape() != acts.shape() || t.elementType() != acts.elementType())
    base::fail<::poputil::poplibs_error>(
        where, "'", name, "' has shape ", base::shapeText(t.shape()), " of type ", t.elementType(),
        "; it must have that of the activations, ", base::shapeText(acts.shape()), " of type ",
        acts.elementType());
}

POP_INLINE void checkNormVector(char const *where, char const *name, Tensor const &t,
                                std::size_t size, Tensor const &acts) {
  detail::checkNormType(where, name, t);
  if (t.rank() != 1 || t.dim(0) != size)
    base::fail<::poputil::poplibs_error>(where, "'", name, "' has shape ",
                                         base::shapeText(t.shape()), "; for activations of shape ",
                                         base::shapeText(acts.shape()), " it must be [", size, "]");
}

POP_INLINE ::poplar::Type normPartialsType(char const *where, ::poplar::Type const &partialsType,
                                           Tensor const &acts) {
  if (partialsType != ::poplar::FLOAT && partialsType != ::poplar::HALF)
    base::fail<::poputil::poplibs_error>(where, "partialsType is ", partialsType,
                                         "; allowed: float, half");
  if (partialsType == ::poplar::FLOAT || acts.elementType() == ::poplar::HALF)
    return partialsType;
  if (base::logEnabled("POPLIN", base::LogLevel::Warn))
    base::logLine("POPLIN", base::LogLevel::Warn,
                  base::textOf(where, ": partialsType half is smaller than the type of the "
                                      "activations; using float"));
  return acts.elementType();
}

POP_INLINE NormReplicas normReplicas(char const *where,
                                     ::poplin::DistributedNormReduceCallback const &callback,
                                     unsigned normSize, ::poplar::Type const &partialsType,
                                     Tensor const &acts) {
  NormReplicas replicas;
  std::size_t const batch = acts.dim(0);
  if (!callback || normSize <= batch)
    return replicas;
  if (batch == 0 || normSize % batch != 0)
    base::fail<::poputil::poplibs_error>(where, "the norm size ", normSize,
                                         " is no multiple of the batch size ", batch,
                                         " of a replica");
  replicas.callback = &callback;
  replicas.groupSize = static_cast<unsigned>(normSize / batch);
  replicas.type = partialsType;
  return replicas;
}

} // namespace cottonwood::poplin
