#pragma once

#include <poplin/impl/ConvTables.hpp>
#include <poputil/impl/Math.hpp>

namespace cottonwood::poplin {

POP_INLINE std::vector<kernels::ConvClass> convClasses(::poplin::ConvParams const &params,
                                                       unsigned dim, IndexRange outputs,
                                                       IndexRange taps, unsigned firstInput) {
  ConvMeeting const meeting(params, dim);
  std::vector<kernels::ConvClass> classes;
  for (unsigned o = outputs.first; o < outputs.second; ++o) {
    MetTaps const met = meeting.taps(o, taps);
    if (met.count == 0)
      continue;
    kernels::ConvClass c{};
    c.out = static_cast<int>(o - outputs.first);
    c.outStep = c.outCount = 1;
    c.tap = static_cast<int>(met.tap - taps.first);
    c.tapStep = static_cast<int>(met.tapStep), c.tapCount = static_cast<int>(met.count);
    c.in = static_cast<int>(met.in) - static_cast<int>(firstInput);
    c.inTap = static_cast<int>(met.inStep);
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
  return kernels::inMatMulBlocks(blocking.method)
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
