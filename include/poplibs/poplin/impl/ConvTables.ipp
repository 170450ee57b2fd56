#pragma once

#include <poplin/ConvUtil.hpp>
#include <poplin/impl/ConvTables.hpp>
#include <poputil/impl/Math.hpp>

namespace cottonwood::poplin {

namespace detail {

/// One output with the taps that have an input for it. These solve a linear congruence within
/// bounds, so that they, and their inputs, are arithmetic progressions.
POP_INLINE kernels::ConvClass classOfOutput(::poplin::ConvParams const &params, unsigned dim,
                                            unsigned output, IndexRange taps) {
  kernels::ConvClass c{};
  c.outStep = c.outCount = c.tapStep = 1;
  for (unsigned k = taps.first; k < taps.second; ++k) {
    unsigned const in = ::poplin::getInputIndex(dim, output, k, params);
    if (in == ~0U)
      continue;
    if (c.tapCount == 0)
      c.tap = static_cast<int>(k), c.in = static_cast<int>(in);
    else if (c.tapCount == 1)
      c.tapStep = static_cast<int>(k) - c.tap, c.inTap = static_cast<int>(in) - c.in;
    ++c.tapCount;
  }
  return c;
}

} // namespace detail

POP_INLINE std::vector<kernels::ConvClass> convClasses(::poplin::ConvParams const &params,
                                                       unsigned dim, IndexRange outputs,
                                                       IndexRange taps, unsigned firstInput) {
  std::vector<kernels::ConvClass> classes;
  for (unsigned o = outputs.first; o < outputs.second; ++o) {
    kernels::ConvClass c = detail::classOfOutput(params, dim, o, taps);
    if (c.tapCount == 0)
      continue;
    c.out = static_cast<int>(o - outputs.first);
    c.tap -= static_cast<int>(taps.first);
    c.in -= static_cast<int>(firstInput);
    bool joined = false;
    // The classes of a dilated input take turns, so that any may be the one which goes on.
    for (std::size_t i = classes.size(); i-- > 0 && !joined;)
      joined = kernels::detail::joinClass(classes[i], c);
    if (!joined)
      classes.push_back(c);
  }
  return classes;
}

POP_INLINE void ConvTable::add(std::size_t outputs, std::size_t taps,
                               std::vector<kernels::ConvClass> const &classes,
                               std::int64_t inStride, std::int64_t tapStride) {
  for (std::size_t number : {outputs, taps, classes.size()})
    table_.push_back(static_cast<int>(number));
  for (kernels::ConvClass const &c : classes)
    for (int number :
         {c.out, c.outStep, c.outCount, c.tap, c.tapStep, c.tapCount, c.in, c.inOut, c.inTap})
      table_.push_back(number);
  strides_.push_back(inStride);
  strides_.push_back(tapStride);
  ++dims_;
  numClasses_ += classes.size();
  outputs_ *= outputs;
  taps_ *= taps;
}

POP_INLINE std::size_t ConvTable::workspace(kernels::ConvBlocking const &blocking,
                                            std::size_t columns) const {
  kernels::ConvGeometry const geometry(dims_, table_.data(), strides_.data());
  return kernels::onMatMulTiles(blocking.method)
             ? kernels::convTileWorkspace(blocking.method, geometry, columns)
             : kernels::convWorkspace(blocking, numClasses_, taps_, outputs_,
                                      kernels::convCopyFloats(geometry, blocking));
}

POP_INLINE void ConvTable::addField(::poplin::ConvParams const &params, unsigned dim,
                                    IndexRange outputs, IndexRange taps, unsigned firstInput,
                                    std::int64_t inStride, std::int64_t tapStride) {
  add(outputs.second - outputs.first, taps.second - taps.first,
      convClasses(params, dim, outputs, taps, firstInput), inStride, tapStride);
}

POP_INLINE void ConvTable::addOutputs(std::size_t count, std::int64_t inStride) {
  add(count, 1, {{0, 1, static_cast<int>(count), 0, 1, 1, 0, 1, 0}}, inStride, 0);
}

POP_INLINE void ConvTable::addTaps(std::size_t count, std::int64_t inStride,
                                   std::int64_t tapStride) {
  add(1, count, {{0, 1, 1, 0, 1, static_cast<int>(count), 0, 0, 1}}, inStride, tapStride);
}

} // namespace cottonwood::poplin
