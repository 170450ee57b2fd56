#pragma once

#include <poplin/ConvParams.hpp>
#include <poplin/ConvUtil.hpp>

#include <algorithm>

namespace cottonwood::poplin::detail {

/// Makes one dimension of valid params canonical, step by step; each step leaves the output as it
/// is.
class ConvCanonicalDim {
public:
  using ConvRange = std::pair<unsigned, unsigned>;

  ConvCanonicalDim(::poplin::ConvParams &p, unsigned d)
      : p_(p), in_(p.inputTransform), kernel_(p.kernelTransform), out_(p.outputTransform), d_(d) {}

  /// False if every output is zero.
  bool hasProducts() const { return usedOutputs().second != 0; }

  void run() {
    dropZeroOutputs();
    dropUnused(kernel_, p_.getTruncatedKernelSize(d_), usedKernel());
    dropUnused(in_, p_.getTruncatedInputSize(d_),
               ::poplin::getInputRange(d_, {0, outputSize()}, p_));
    simplifySingle(in_, p_.getTruncatedInputSize(d_));
    simplifySingle(kernel_, p_.getTruncatedKernelSize(d_));
    // Padding that meets only padding, and outputs of padding that are truncated again.
    dropCommon(lower(in_), lower(kernel_));
    dropCommon(upper(in_), upper(kernel_));
    dropCommon(lower(in_), out_.truncationLower[d_]);
    dropCommon(upper(in_), out_.truncationUpper[d_]);
  }

  /// No products at all: nothing of input and kernel is left, and the output is padding.
  void makeZero() {
    unsigned const size = outputSize();
    for (auto [t, elements] : {std::make_pair(&in_, p_.inputFieldShape[d_]),
                               std::make_pair(&kernel_, p_.kernelShape[d_])}) {
      t->truncationLower[d_] = 0;
      t->truncationUpper[d_] = static_cast<unsigned>(elements);
      t->dilation[d_] = 1;
      t->paddingLower[d_] = 0;
      t->paddingUpper[d_] = 1;
      t->flip[d_] = false;
    }
    out_.truncationLower[d_] = 0;
    out_.truncationUpper[d_] = 1;
    out_.stride[d_] = 1;
    out_.paddingLower[d_] = 0;
    out_.paddingUpper[d_] = size;
  }

private:
  using Input = ::poplin::ConvParams::InputTransform;

  unsigned outputSize() const { return static_cast<unsigned>(p_.getOutputSize(d_)); }

  ConvRange usedOutputs() const {
    auto const kernelSize = static_cast<unsigned>(p_.kernelShape[d_]);
    return ::poplin::getOutputRangeForKernelRange(d_, {0, outputSize()}, {0, kernelSize}, p_);
  }

  ConvRange usedKernel() const {
    auto const inputSize = static_cast<unsigned>(p_.inputFieldShape[d_]);
    return ::poplin::getKernelRange(d_, {0, outputSize()}, std::make_pair(0U, inputSize), p_);
  }

  /// Outputs that are always zero become padding, and what a stride skips at the end is truncated.
  void dropZeroOutputs() {
    auto const [first, end] = usedOutputs();
    unsigned const size = outputSize(), count = end - first;
    auto const whole = static_cast<unsigned>(p_.getUntransformedOutputSize(d_));
    unsigned const before =
        out_.truncationLower[d_] + (first - out_.paddingLower[d_]) * out_.stride[d_];
    unsigned const covered = ::poplin::getDilatedSize(count, out_.stride[d_]);
    out_.truncationLower[d_] = before;
    out_.truncationUpper[d_] = whole - before - covered;
    out_.paddingLower[d_] = first;
    out_.paddingUpper[d_] = size - end;
    if (count == 1)
      out_.stride[d_] = 1;
  }

  /// Elements outside of `used` become padding.
  void dropUnused(Input &t, unsigned size, ConvRange used) const {
    unsigned const below = used.first - t.truncationLower[d_];
    unsigned const above = t.truncationLower[d_] + size - used.second;
    t.truncationLower[d_] += below;
    t.paddingLower[d_] += below * t.dilation[d_];
    t.truncationUpper[d_] += above;
    t.paddingUpper[d_] += above * t.dilation[d_];
  }

  void simplifySingle(Input &t, unsigned size) const {
    if (size != 1)
      return;
    t.dilation[d_] = 1;
    if (t.flip[d_])
      std::swap(t.paddingLower[d_], t.paddingUpper[d_]);
    t.flip[d_] = false;
  }

  /// The padding at the lower side after the flip.
  unsigned &lower(Input &t) const { return t.flip[d_] ? t.paddingUpper[d_] : t.paddingLower[d_]; }
  unsigned &upper(Input &t) const { return t.flip[d_] ? t.paddingLower[d_] : t.paddingUpper[d_]; }

  static void dropCommon(unsigned &a, unsigned &b) {
    unsigned const common = std::min(a, b);
    a -= common;
    b -= common;
  }

  ::poplin::ConvParams &p_;
  Input &in_, &kernel_;
  ::poplin::ConvParams::OutputTransform &out_;
  unsigned d_;
};

} // namespace cottonwood::poplin::detail

namespace poplin {

POP_INLINE ConvParams ConvParams::canonicalize() const {
  using cottonwood::poplin::detail::ConvCanonicalDim;
  validate();
  ConvParams result = *this;
  auto const dims = static_cast<unsigned>(getNumFieldDims());
  bool hasProducts = true;
  for (unsigned d = 0; d != dims; ++d)
    hasProducts = hasProducts && ConvCanonicalDim(result, d).hasProducts();
  for (unsigned d = 0; d != dims; ++d) {
    ConvCanonicalDim dim(result, d);
    if (hasProducts)
      dim.run();
    else
      dim.makeZero();
  }
  return result;
}

} // namespace poplin
