#include <poprand/impl/Config.hpp>
#ifndef POPRAND_RANDOM_GEN_HPP
#define POPRAND_RANDOM_GEN_HPP

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>

#include <cmath>
#include <cstdint>

// Tensors of random numbers, and dropout.
//
// Every function takes
//
// - seed: null, or a pointer to a tensor [2] UNSIGNED_INT that is read when the program runs. With
// a
//   seed, element i (in row-major order) of the result is a function of i, the two words of the
//   seed, seedModifier and the parameters: the same on every device and instruction set, with any
//   number of threads and for every tile mapping; two seeds or two modifiers give unrelated
//   numbers. (The generator is Philox4x32-10: the seed is its key, the modifier a word of its
//   counter.) The state of the generators of the tiles is neither used nor changed.
//   Without one, numbers come from the state of the generators of the tiles that the result is
//   mapped to, which the program advances: see poplar::getHwSeeds, poplar::setHwSeeds and setSeed.
//   They do not depend on the number of threads either, but on the tile mapping.
// - reference: gives the shape and the tile mapping of the result; its contents are not read.
// - prog: the sequence that the programs are appended to; debugContext: names them.
//
// All throw poputil::poplibs_error if seed is not a tensor [2] UNSIGNED_INT, the reference is
// invalid or a type is not listed; functions name what they throw besides.

namespace poprand {

/// out = in * scale with a probability of keepProbability, else 0, for each element by itself.
///
/// The elements that are kept depend on seed and modifier alone: the same call on a gradient gives
/// the gradient of the first. They are those that bernoulli() of the same seed, modifier and
/// probability gives as 1. One pass over the data.
/// \param input  FLOAT or HALF; HALF is multiplied in float and rounded once
/// \param reference  of the same shape
/// \param keepProbability  [0, 1], rounded down to a multiple of 1/65536. Probability 1 only
/// copies:
///        the scale is not applied.
/// \returns  shape and type of input; mapped as reference
/// \throws poputil::poplibs_error  shapes differ, or keepProbability is not in [0, 1]
POP_API poplar::Tensor dropout(poplar::Graph &graph, poplar::Tensor const *seed,
                               std::uint32_t const seedModifier, poplar::Tensor const &input,
                               poplar::Tensor const &reference, double keepProbability,
                               double scale, poplar::program::Sequence &prog,
                               poplar::DebugContext const &debugContext = {});
/// \param outputClonesRef  false: the result is mapped as input
POP_API poplar::Tensor dropout(poplar::Graph &graph, poplar::Tensor const *seed,
                               std::uint32_t const seedModifier, poplar::Tensor const &input,
                               poplar::Tensor const &reference, double keepProbability,
                               double scale, bool outputClonesRef, poplar::program::Sequence &prog,
                               poplar::DebugContext const &debugContext = {});

/// dropout with one choice for all elements of input that share an element of the reference: a mask
/// of the reference's shape, with elements scale and 0, is broadcast to input's shape and
/// multiplied onto it. Needs the vertices of popops (popops::addCodelets) as well.
/// \param input  FLOAT or HALF
/// \param reference  a shape that broadcasts to input's by numpy's rules
/// \param keepProbability  as for dropout
/// \returns  shape, type and mapping of input
/// \throws poputil::poplibs_error  the shapes do not fit, or keepProbability is not in [0, 1]
POP_API poplar::Tensor shapedDropout(poplar::Graph &graph, poplar::Tensor const *seed,
                                     std::uint32_t const seedModifier, poplar::Tensor const &input,
                                     poplar::Tensor const &reference, double keepProbability,
                                     double scale, poplar::program::Sequence &prog,
                                     poplar::DebugContext const &debugContext = {});

/// Uniform numbers in [minVal, maxVal].
/// \param outType  FLOAT or HALF: of the type's numbers in the interval (the nearest one to minVal
///        if there is none; above 0 if minVal is), the reals rounded to 24 bits of the interval's
///        width, or to the next number where numbers lie less close. INT: each integer of the
///        interval with the same probability, up to the width times 2^-32; every int interval is
///        allowed.
/// \returns  shape and mapping of reference, type outType
/// \throws poputil::poplibs_error  minVal > maxVal, a bound is not finite, the interval lies beyond
///         the type's largest numbers, or that of integers reaches beyond INT or is empty
POP_API poplar::Tensor uniform(poplar::Graph &graph, poplar::Tensor const *seed,
                               std::uint32_t seedModifier, poplar::Tensor const &reference,
                               poplar::Type const &outType, double minVal, double maxVal,
                               poplar::program::Sequence &prog,
                               poplar::DebugContext const &debugContext = {});

/// Numbers in [minVal, maxVal] whose logarithm is uniform: their density is proportional to 1 / x.
/// \param outType  FLOAT, HALF or INT (real numbers, truncated). Bounds are rounded inwards to the
///        type's numbers; POPLIBS_POPRAND_LOG_LEVEL=WARN tells when that takes more than 1% of the
///        interval.
/// \param base  of the logarithm; above 0 and not 1. The distribution does not depend on it.
/// \throws poputil::poplibs_error  minVal < 1, maxVal <= minVal, a bound that is not an integer
///         (INT) or beyond the type's range, or no number of the type in between
POP_API poplar::Tensor logUniform(poplar::Graph &graph, poplar::Tensor const *seed,
                                  std::uint32_t seedModifier, poplar::Tensor const &reference,
                                  poplar::Type const &outType, double minVal, double maxVal,
                                  poplar::program::Sequence &prog,
                                  double base = 2.71828182845904523536,
                                  poplar::DebugContext const &debugContext = {});

/// 1 with a probability of prob, else 0.
/// \param outType  FLOAT, HALF or INT
/// \param prob  [0, 1], rounded down to a multiple of 1/65536
/// \throws poputil::poplibs_error  prob is not in [0, 1]
POP_API poplar::Tensor bernoulli(poplar::Graph &graph, poplar::Tensor const *seed,
                                 std::uint32_t seedModifier, poplar::Tensor const &reference,
                                 poplar::Type const &outType, double prob,
                                 poplar::program::Sequence &prog,
                                 poplar::DebugContext const &debugContext = {});

/// Normally distributed numbers, by the method of Box and Muller; magnitudes reach 6.76 standard
/// deviations.
/// \param outType  FLOAT, or HALF (computed in float and rounded once)
POP_API poplar::Tensor normal(poplar::Graph &graph, poplar::Tensor const *seed,
                              std::uint32_t seedModifier, poplar::Tensor const &reference,
                              poplar::Type const &outType, double mean, double stdDev,
                              poplar::program::Sequence &prog,
                              poplar::DebugContext const &debugContext = {});

/// Numbers of the normal distribution cut at mean - alpha * stdDev and mean + alpha * stdDev, by
/// its quantile function (relative error 1e-6): no number is drawn again.
/// \param outType  FLOAT, or HALF (computed in float and rounded once); bounds are rounded inwards
/// \throws poputil::poplibs_error  alpha is not above 0, or mean or stdDev is not finite
POP_API poplar::Tensor truncatedNormal(poplar::Graph &graph, poplar::Tensor const *seed,
                                       std::uint32_t seedModifier, poplar::Tensor const &reference,
                                       poplar::Type const &outType, double mean, double stdDev,
                                       double alpha, poplar::program::Sequence &prog,
                                       poplar::DebugContext const &debugContext = {});

/// Sets the state of the generators of all tiles of the graph: a function of the seed, the modifier
/// and the numbers of tile and worker context in the top-level graph, different for all of them.
/// \param masterSeed  [2] UNSIGNED_INT
POP_API void setSeed(poplar::Graph &graph, poplar::Tensor const &masterSeed,
                     std::uint32_t seedModifier, poplar::program::Sequence &prog,
                     poplar::DebugContext const &debugContext = {});

} // namespace poprand

#endif
