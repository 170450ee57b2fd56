// The vertices with bias and activation on every instruction set, against the same operations on
// what the vertices without them give.
#include <codelets/poplin/FusedVertex.hpp>
#include <codelets/poplin/MatMulChoice.hpp>
#include <codelets/poplin/MatMulWorkspace.hpp>
#include <test/codelets/Isas.hpp>

#include <doctest/doctest.h>

#include <string>

TEST_SUITE_BEGIN("codelets/poplin");

using namespace cottonwood;
using namespace cottonwood::test;
using Half = cottonwood::half;

namespace {

using Scalar = isa::scalar;
template <class In, class Out>
using Fused = vertices::MatMulWith<Scalar, In, Out, kernels::BiasActivation>;

template <class T> std::vector<T> numbers(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> values(-1, 1);
  std::vector<T> all(n);
  for (T &x : all)
    x = fromFloat<T>(values(random));
  return all;
}

template <class V, class In, class Out>
void setProduct(V &v, std::vector<In> &a, std::vector<In> &b, std::vector<Out> &c, Out **rows,
                std::vector<float> &workspace, unsigned m, unsigned n, unsigned k) {
  connect(v.a, a.data());
  connect(v.b, b.data());
  rows[0] = c.data();
  connect(v.c, rows, 1);
  v.m = m, v.n = n, v.k = k, v.batches = 1;
  v.aRow = k, v.aColumn = 1, v.bRow = n, v.bColumn = 1;
  const kernels::MatMulOperand left{!std::is_same_v<In, float>, k, 1};
  const kernels::MatMulOperand right{left.isHalf, n, 1};
  const auto blocking = kernels::chooseMatMulBlocking(m, n, k, left, right, false);
  v.method = static_cast<unsigned>(blocking.method);
  v.blockRows = blocking.rows, v.blockDepth = blocking.depth;
  v.packA = blocking.packA, v.packB = blocking.packB;
  v.blockColumns = blocking.columns, v.panelsA = blocking.panelsA;
  workspace.resize(kernels::matMulWorkspace(blocking, m, k) + 1);
  connect(v.workspace, workspace.data());
}

template <class KernelIn, class In, class KernelOut, class Out>
void checkProducts(isa::Isa isa, unsigned m, unsigned n, unsigned k) {
  CAPTURE(m);
  CAPTURE(n);
  CAPTURE(k);
  auto a = numbers<KernelIn>(m * k, 1), b = numbers<KernelIn>(k * n, 2);
  const auto bias = numbers<float>(n, 3);
  std::vector<float> plain(m * n), workspace;
  std::vector<KernelOut> out(m * n);
  float *plainRows[1];
  KernelOut *rows[1];
  auto unfused = zeroed<vertices::MatMul<Scalar, In, float>>();
  setProduct(unfused, a, b, plain, plainRows, workspace, m, n, k);
  runOn<vertices::MatMulFamily>(isa, unfused);
  auto fused = zeroed<Fused<In, Out>>();
  setProduct(fused, a, b, out, rows, workspace, m, n, k);
  const float *runs[1] = {bias.data()};
  connect(fused.floats, runs, 1);
  long long operand[vertices::EPILOGUE_OPERAND_NUMBERS] = {0, 0, 0, 0, 0, 1};
  connect(fused.operands, operand, vertices::EPILOGUE_OPERAND_NUMBERS);
  unsigned functor[2] = {1, 1}, place[4] = {0, 0, 0, 0};
  connect(fused.functor, functor, 2);
  connect(fused.place, place, 4);
  // A plain vertex: one context is enough.
  constexpr std::size_t position =
      positionIn<Fused<In, Out>>(vertices::FusedFamily::Vertices<Scalar>());
  CHECK(vertices::entriesFor<vertices::FusedFamily>(isa).first[position](&fused, 0, nullptr));
  std::size_t wrong = 0;
  for (std::size_t i = 0; i != out.size(); ++i) {
    const float sum = plain[i] + bias[i % n];
    wrong += same(out[i], fromFloat<KernelOut>(sum > 0 ? sum : 0)) ? 0U : 1U;
  }
  CHECK(wrong == 0);
}

} // namespace

TEST_CASE("products with bias and ReLU have the bits of the operations one after another") {
  for (const isa::Isa isa : isa::availableIsas()) {
    CAPTURE(std::string(isa::name(isa)));
    const unsigned shapes[][3] = {{33, 65, 129}, {3, 100, 40}, {1, 7, 5},   {40, 3, 700},
                                  {13, 32, 1},   {5, 9, 0},    {100, 1, 30}};
    for (const auto &[m, n, k] : shapes) {
      checkProducts<float, float, float, float>(isa, m, n, k);
      checkProducts<Half, poplar::half, Half, poplar::half>(isa, m, n, k);
      checkProducts<Half, poplar::half, float, float>(isa, m, n, k);
      checkProducts<float, float, Half, poplar::half>(isa, m, n, k);
    }
  }
}

TEST_CASE("sums that are there already are finished by all workers together") {
  using Finish = vertices::Finish<Scalar, float, poplar::half, kernels::BiasActivation>;
  for (const isa::Isa isa : isa::availableIsas()) {
    CAPTURE(std::string(isa::name(isa)));
    constexpr unsigned SEGMENTS = 8;
    std::vector<std::vector<float>> sums(SEGMENTS);
    std::vector<std::vector<Half>> out(SEGMENTS), bias(SEGMENTS);
    std::vector<float *> sumRuns;
    std::vector<Half *> outRuns, biasRuns;
    std::vector<unsigned> segments;
    for (unsigned s = 0; s != SEGMENTS; ++s) {
      const unsigned n = s * 7;
      sums[s] = numbers<float>(n, s), bias[s] = numbers<Half>(n, s + 50), out[s].resize(n);
      sumRuns.push_back(sums[s].data());
      outRuns.push_back(out[s].data());
      biasRuns.push_back(bias[s].data());
      for (unsigned number : {0U, s, 5U, n})
        segments.push_back(number);
    }
    auto finish = zeroed<Finish>();
    connect(finish.sums, sumRuns.data(), SEGMENTS);
    connect(finish.out, outRuns.data(), SEGMENTS);
    connect(finish.halves, biasRuns.data(), SEGMENTS);
    unsigned operands[2] = {1, 0}, functor[2] = {1, 0};
    connect(finish.operands, operands, 2);
    connect(finish.functor, functor, 2);
    connect(finish.segments, segments.data(), segments.size());
    runOn<vertices::FusedFamily>(isa, finish);
    for (unsigned s = 0; s != SEGMENTS; ++s)
      for (std::size_t i = 0; i != out[s].size(); ++i)
        CHECK(same(out[s][i], toHalf(sums[s][i] + toFloat(bias[s][i]))));
  }
}

TEST_SUITE_END();
