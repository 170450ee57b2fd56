// The tables by which vertices know the geometry of a convolution.
#pragma once

#include <codelets/poplin/ConvCost.hpp>
#include <codelets/poplin/ConvGeometry.hpp>
#include <codelets/poplin/ConvRegion.hpp>
#include <codelets/poplin/ConvTiles.hpp>
#include <poplin/ConvParams.hpp>
#include <poplin/impl/ConvMeeting.hpp>

#include <cstdint>
#include <vector>

namespace cottonwood::poplin {

/// Collects dimensions, outermost first, for one vertex.
class ConvTable {
public:
  /// A dimension of the field: some of its outputs and taps, and the first input that the vertex is
  /// given; indices in the table count from the first of each.
  void addField(::poplin::ConvParams const &params, unsigned dim, IndexRange outputs,
                IndexRange taps, unsigned firstInput, std::int64_t inStride,
                std::int64_t tapStride);
  /// Outputs that each meet one input of their own: the batch.
  void addOutputs(std::size_t count, std::int64_t inStride);
  /// Taps that each meet one input of their own: input channels.
  void addTaps(std::size_t count, std::int64_t inStride, std::int64_t tapStride);

  unsigned dims() const { return dims_; }
  std::size_t numClasses() const { return numClasses_; }
  /// Outputs and taps of all dimensions.
  std::size_t outputs() const { return outputs_; }
  std::size_t taps() const { return taps_; }
  /// Floats of scratch that a kernel needs for this and so many columns.
  std::size_t workspace(kernels::ConvBlocking const &blocking, std::size_t columns) const;
  std::vector<int> const &table() const { return table_; }
  std::vector<long long> const &strides() const { return strides_; }

private:
  void add(std::size_t outputs, std::size_t taps, std::vector<kernels::ConvClass> const &classes,
           std::int64_t inStride, std::int64_t tapStride);

  unsigned dims_ = 0;
  std::size_t numClasses_ = 0, outputs_ = 1, taps_ = 1;
  std::vector<int> table_;
  std::vector<long long> strides_;
};

/// Classes of a dimension of the field; see ConvTable::addField.
POP_API std::vector<kernels::ConvClass> convClasses(::poplin::ConvParams const &params,
                                                    unsigned dim, IndexRange outputs,
                                                    IndexRange taps, unsigned firstInput);

} // namespace cottonwood::poplin
