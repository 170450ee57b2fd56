/// \file SplineBasisKernel.hpp
/// Basis products and weight indices of one edge.
#pragma once

#include <codelets/arch/Simd.hpp>

namespace cottonwood::kernels {

/// The most dimensions of pseudo-coordinates: tables of one edge live on the stack.
inline constexpr unsigned SPLINE_DIMS = 16;

struct SplineShape {
  const int *kernelSize;
  const unsigned char *isOpen;
  unsigned dims, degree, numSplines;
};

namespace detail {
/// Values at the fraction f of the degree + 1 basis functions that are not 0 there.
template <class Tag> POP_SIMD_INLINE void basisFunctions(unsigned degree, float f, float *out) {
  const float f2 = f * f, f3 = f2 * f, g = 1.f - f;
  if (degree == 1) {
    out[0] = g;
    out[1] = f;
  } else if (degree == 2) {
    out[0] = 0.5f * f2 - f + 0.5f;
    out[1] = f - f2 + 0.5f;
    out[2] = 0.5f * f2;
  } else {
    out[0] = g * g * g / 6.f;
    out[1] = (3.f * f3 - 6.f * f2 + 4.f) / 6.f;
    out[2] = (3.f * (f2 + f - f3) + 1.f) / 6.f;
    out[3] = f3 / 6.f;
  }
}
} // namespace detail

template <class Tag, class T>
void splineBasis(const T *pseudo, const SplineShape &shape, T *basis, int *weightIndex) {
  using V = simd<float, Tag>;
  float factors[SPLINE_DIMS][4];
  int indices[SPLINE_DIMS][4];
  int stride = 1;
  for (unsigned d = 0; d < shape.dims; ++d) {
    // Numbers of a program: what is no size must not end the process.
    const int size = shape.kernelSize[d] < 1 ? 1 : shape.kernelSize[d];
    const int spans = size - static_cast<int>(shape.isOpen[d] != 0 ? shape.degree : 0u);
    const float v = V::loadPartial(pseudo + d, 1).first() * static_cast<float>(spans);
    const int whole = V::splat(v).toInt().first();
    const float rest = v - static_cast<float>(whole);
    detail::basisFunctions<Tag>(shape.degree, rest < 0.f ? rest + 1.f : rest, factors[d]);
    for (unsigned k = 0; k <= shape.degree; ++k)
      indices[d][k] =
          static_cast<int>((static_cast<unsigned>(whole) + k) % static_cast<unsigned>(size)) *
          stride;
    stride *= size;
  }
  for (unsigned s = 0; s < shape.numSplines; ++s) {
    float product = 1.f;
    int index = 0;
    for (unsigned d = 0, rest = s; d < shape.dims; ++d, rest /= shape.degree + 1) {
      const unsigned k = rest % (shape.degree + 1);
      product *= factors[d][k];
      index += indices[d][k];
    }
    V::splat(product).storePartial(basis + s, 1);
    weightIndex[s] = index;
  }
}

} // namespace cottonwood::kernels
