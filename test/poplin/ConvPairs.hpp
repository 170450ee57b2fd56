// Convolutions of one dimension spelt out: which elements meet, by transforming lists of indices.
#pragma once

#include <poplin/ConvParams.hpp>
#include <poplin/ConvUtil.hpp>

#include <poplar/Type.hpp>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace convolutions {

using poplin::ConvParams;

inline constexpr unsigned NONE = ~0U;
inline std::string textOf(ConvParams const &p) {
  std::ostringstream text;
  text << p;
  return text.str();
}

using Range = std::pair<unsigned, unsigned>; ///< [first, second)

inline bool within(Range range, unsigned i) { return i >= range.first && i < range.second; }

using Indices = std::vector<unsigned>; ///< NONE: a zero

/// The indices of an operand's elements after its transform.
inline Indices transformed(std::size_t size, ConvParams::InputTransform const &t, unsigned d) {
  Indices result(t.paddingLower[d], NONE);
  for (std::size_t i = t.truncationLower[d]; i + t.truncationUpper[d] < size; ++i) {
    if (i != t.truncationLower[d])
      result.insert(result.end(), t.dilation[d] - 1, NONE);
    result.push_back(static_cast<unsigned>(i));
  }
  result.insert(result.end(), t.paddingUpper[d], NONE);
  if (t.flip[d])
    std::reverse(result.begin(), result.end());
  return result;
}

/// Output, kernel and input index of every product in dimension d.
using Triples = std::set<std::array<unsigned, 3>>;

inline Triples triplesOf(ConvParams const &p, unsigned d, std::size_t *outputSize = nullptr) {
  Indices const in = transformed(p.inputFieldShape[d], p.inputTransform, d),
                kernel = transformed(p.kernelShape[d], p.kernelTransform, d);
  auto const &out = p.outputTransform;
  Triples triples;
  unsigned o = out.paddingLower[d];
  std::size_t const end = in.size() - kernel.size() + 1 - out.truncationUpper[d];
  for (std::size_t i = out.truncationLower[d]; i < end; i += out.stride[d], ++o)
    for (std::size_t k = 0; k != kernel.size(); ++k)
      if (in[i + k] != NONE && kernel[k] != NONE)
        triples.insert({o, kernel[k], in[i + k]});
  if (outputSize)
    *outputSize = o + out.paddingUpper[d];
  return triples;
}

inline bool isValid(ConvParams const &p) {
  try {
    p.validate();
    return true;
  } catch (std::exception const &) {
    return false;
  }
}

/// Random params that are valid, of any transforms.
class RandomParams {
public:
  explicit RandomParams(unsigned seed) : engine_(seed) {}

  unsigned below(unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(engine_); }

  ConvParams make(std::size_t dims, unsigned size = 8, poplar::Type const &type = poplar::FLOAT) {
    for (;;) {
      std::vector<std::size_t> field, kernel;
      for (std::size_t d = 0; d != dims; ++d) {
        field.push_back(below(size));
        kernel.push_back(1 + below(size / 2));
      }
      ConvParams p(type, 1 + below(3), field, kernel, 1 + below(4), 1 + below(4), 1 + below(3));
      for (unsigned d = 0; d != dims; ++d)
        transform(p, d);
      if (isValid(p))
        return p;
    }
  }

private:
  unsigned sometimes(unsigned n) { return below(3) == 0 ? below(n) : 0; }

  void transform(ConvParams &p, unsigned d) {
    for (ConvParams::InputTransform *t : {&p.inputTransform, &p.kernelTransform}) {
      t->truncationLower[d] = sometimes(3);
      t->truncationUpper[d] = sometimes(3);
      t->dilation[d] = 1 + sometimes(3);
      t->paddingLower[d] = sometimes(4);
      t->paddingUpper[d] = sometimes(4);
      t->flip[d] = below(3) == 0;
    }
    p.outputTransform.truncationLower[d] = sometimes(4);
    p.outputTransform.truncationUpper[d] = sometimes(4);
    p.outputTransform.stride[d] = 1 + sometimes(4);
    p.outputTransform.paddingLower[d] = sometimes(3);
    p.outputTransform.paddingUpper[d] = sometimes(3);
  }

  std::mt19937 engine_;
};

} // namespace convolutions
