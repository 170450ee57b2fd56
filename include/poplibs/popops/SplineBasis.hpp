#include <popops/impl/Config.hpp>
#ifndef POPOPS_SPLINE_BASIS_HPP
#define POPOPS_SPLINE_BASIS_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace popops {

/// B-spline basis products and weight indices of edges in a graph, S = (degree + 1)^D of them an
/// edge. For the s-th, with k = (s / (degree + 1)^d) % (degree + 1) in dimension d,
///
///     v[d]              = pseudo[e, d] * (kernelSize[d] - degree * isOpenSpline[d])
///     weightIndex[e, s] = sum over d of (trunc(v[d]) + k) % kernelSize[d]
///                                        * kernelSize[0] * ... * kernelSize[d - 1]
///     basis[e, s]       = product over d of b[degree, k](v[d] - floor(v[d]))
///
/// with, at a fraction f,
///
/// - degree 1: 1 - f, f
/// - degree 2: f^2 / 2 - f + 1/2, -f^2 + f + 1/2, f^2 / 2
/// - degree 3: (1 - f)^3 / 6, (3 f^3 - 6 f^2 + 4) / 6, (-3 f^3 + 3 f^2 + 3 f + 1) / 6, f^3 / 6
///
/// \param pseudo        [E, D] FLOAT or HALF: pseudo-coordinates, in [0, 1]; D at most 16.
/// \param kernelSize    [D] INT, at least 1; less counts as 1.
/// \param isOpenSpline  [D] UNSIGNED_CHAR, 0 or 1.
/// \param basis         [E, S] of the type of pseudo; written.
/// \param weightIndex   [E, S] INT; written.
/// \param degree        1, 2 or 3.
/// \throws poputil::poplibs_error  shapes, types or the degree do not fit, or parts of basis or
/// weightIndex alias.
POP_API void splineBasis(poplar::Graph &graph, poplar::Tensor const &pseudo,
                         poplar::Tensor const &kernelSize, poplar::Tensor const &isOpenSpline,
                         poplar::Tensor const &basis, poplar::Tensor const &weightIndex,
                         unsigned degree, poplar::program::Sequence &prog,
                         poplar::DebugContext const &debugContext = {});

} // namespace popops

#endif
