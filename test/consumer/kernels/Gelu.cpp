#include "Gelu.hpp"

#include <poplin/Epilogue.hpp>

struct BiasGelu {
  template <class V> V operator()(V sum, poplin::EpilogueAt<V> at) const {
    return poplin::epilogue::math::gelu(sum + at.operand(0));
  }
};

poplar::Tensor geluProduct(poplar::Graph &graph, const poplar::Tensor &a, const poplar::Tensor &b,
                           const poplar::Tensor &bias, poplar::program::Sequence &prog) {
  return poplin::matMul(graph, a, b, prog, BiasGelu{}, {bias});
}

std::vector<float> geluProduct(const std::vector<float> &a, const std::vector<float> &b,
                               const std::vector<float> &bias, std::size_t m) {
  namespace kernels = poplin::kernels;
  const std::size_t k = a.size() / m, n = b.size() / k;
  std::vector<float> c(m * n);
  kernels::matMul(kernels::matrix(a.data(), m, k), kernels::matrix(b.data(), k, n),
                  kernels::matrix(c.data(), m, n), BiasGelu{},
                  {kernels::EpilogueOperand(bias.data())});
  return c;
}

// The width of the vectors that a functor is called with gives the set away.
struct Width {
  template <class V> V operator()(V, poplin::EpilogueAt<V>) const {
    return V::splat(static_cast<float>(V::width));
  }
};

std::string functorIsa() {
  namespace kernels = poplin::kernels;
  float one = 1, width = 0;
  kernels::matMul(kernels::matrix(&one, 1, 1), kernels::matrix(&one, 1, 1),
                  kernels::matrix(&width, 1, 1), Width{});
  return width == 16 ? "avx512" : width == 8 ? "avx2" : "scalar";
}
