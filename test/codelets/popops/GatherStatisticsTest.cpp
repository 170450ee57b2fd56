// Histograms, image normalisation and spline weighting: every instruction set of this machine gives
// the bits of the scalar one. Their values are tested in test/popops.
#include <codelets/popops/GatherStatistics.hpp>
#include <codelets/popops/NormaliseImage.hpp>
#include <codelets/popops/SplineWeighting.hpp>
#include <test/codelets/Isas.hpp>

#include <algorithm>
#include <string>

using namespace cottonwood;

TEST_SUITE_BEGIN("codelets/popops/statistics");

namespace {

template <class T> void fillRandom(std::mt19937 &random, test::Misaligned<T> &out) {
  std::uniform_real_distribution<float> numbers(-2.f, 2.f);
  for (std::size_t i = 0; i < out.size(); ++i)
    out.set(i, test::fromFloat<T>(numbers(random)));
}

template <class Out> std::size_t differences(const Out &a, const Out &b) {
  std::size_t wrong = !a.guardsIntact() || !b.guardsIntact();
  for (std::size_t i = 0; i < a.size(); ++i)
    wrong += !test::same(a.get(i), b.get(i));
  return wrong;
}

template <class T> void checkHistogram(isa::Isa isa, std::size_t n, std::size_t levels) {
  using K = vertices::KernelType<T>;
  std::mt19937 random(static_cast<unsigned>(n + levels));
  test::Misaligned<K> in(n), limits(levels);
  fillRandom(random, in);
  std::vector<float> sorted;
  for (std::size_t i = 0; i < levels; ++i)
    sorted.push_back(std::uniform_real_distribution<float>(-2.f, 2.f)(random));
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < levels; ++i)
    limits.set(i, test::fromFloat<K>(sorted[i]));
  test::Misaligned<unsigned> counts(6 * (levels + 1)), expected(6 * (levels + 1));
  auto v = test::zeroed<vertices::Histogram<isa::scalar, T>>();
  test::connect(v.in, in.data(), n);
  test::connect(v.levels, limits.data(), levels);
  v.absolute = levels % 2 == 0;
  test::connect(v.counts, counts.data());
  test::runOn<vertices::GatherStatisticsFamily>(isa, v);
  test::connect(v.counts, expected.data());
  test::runOn<vertices::GatherStatisticsFamily>(isa::Isa::Scalar, v);
  CHECK(differences(counts, expected) == 0);
  std::size_t sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i)
    sum += counts.get(i);
  CHECK(sum == n);
}

template <class T> void checkWeighting(isa::Isa isa, unsigned outChannels) {
  using K = vertices::KernelType<T>;
  std::mt19937 random(outChannels);
  const unsigned edges = 7, kernels = 3, inChannels = 4, splines = 2;
  test::Misaligned<K> input(edges * inChannels), weight(kernels * inChannels * outChannels),
      basis(edges * splines), out(edges * outChannels), expected(edges * outChannels);
  fillRandom(random, input);
  fillRandom(random, weight);
  fillRandom(random, basis);
  std::vector<int> index(edges * splines);
  for (int &i : index)
    i = static_cast<int>(random() % (kernels + 2)) - 1;
  auto v = test::zeroed<vertices::SplineWeighting<isa::scalar, T>>();
  test::connect(v.input, input.data());
  test::connect(v.weight, weight.data());
  test::connect(v.basis, basis.data());
  test::connect(v.weightIndex, index.data());
  v.kernels = kernels;
  v.inChannels = inChannels;
  v.outChannels = outChannels;
  v.splines = splines;
  test::connect(v.out, out.data(), out.size());
  test::runOn<vertices::SplineWeightingFamily>(isa, v);
  test::connect(v.out, expected.data(), out.size());
  test::runOn<vertices::SplineWeightingFamily>(isa::Isa::Scalar, v);
  CHECK(differences(out, expected) == 0);
}

template <class In, class Out> void checkImage(isa::Isa isa, std::size_t pixels) {
  using KIn = vertices::KernelType<In>;
  using KOut = vertices::KernelType<Out>;
  std::mt19937 random(static_cast<unsigned>(pixels));
  test::Misaligned<KIn> in(3 * pixels);
  if constexpr (std::is_same_v<KIn, unsigned char>)
    for (std::size_t i = 0; i < in.size(); ++i)
      in.set(i, static_cast<unsigned char>(random()));
  else
    fillRandom(random, in);
  test::Misaligned<KOut> offsets(3), scales(3), out(4 * pixels), expected(4 * pixels);
  fillRandom(random, offsets);
  fillRandom(random, scales);
  auto v = test::zeroed<vertices::NormaliseImage<isa::scalar, In, Out>>();
  test::connect(v.in, in.data());
  test::connect(v.offsets, offsets.data());
  test::connect(v.scales, scales.data());
  v.inScale = 0.7f;
  test::connect(v.out, out.data(), out.size());
  test::runOn<vertices::NormaliseImageFamily>(isa, v);
  test::connect(v.out, expected.data(), out.size());
  test::runOn<vertices::NormaliseImageFamily>(isa::Isa::Scalar, v);
  CHECK(differences(out, expected) == 0);
}

} // namespace

TEST_CASE("histograms") {
  for (const isa::Isa isa : test::vectorIsas())
    for (std::size_t n : test::lengths())
      for (std::size_t levels : {1, 6, 40}) {
        CAPTURE(std::string(isa::name(isa)));
        CAPTURE(n);
        CAPTURE(levels);
        checkHistogram<float>(isa, n, levels);
        checkHistogram<poplar::half>(isa, n, levels);
      }
}

TEST_CASE("spline weighting") {
  for (const isa::Isa isa : test::vectorIsas())
    for (unsigned outChannels : {1u, 7u, 8u, 16u, 17u, 63u, 64u, 65u, 150u}) {
      CAPTURE(std::string(isa::name(isa)));
      CAPTURE(outChannels);
      checkWeighting<float>(isa, outChannels);
      checkWeighting<poplar::half>(isa, outChannels);
    }
}

TEST_CASE("image normalisation") {
  for (const isa::Isa isa : test::vectorIsas())
    for (std::size_t pixels : {0u, 1u, 2u, 3u, 4u, 5u, 16u, 17u, 100u, 131u}) {
      CAPTURE(std::string(isa::name(isa)));
      CAPTURE(pixels);
      checkImage<unsigned char, poplar::half>(isa, pixels);
      checkImage<poplar::half, poplar::half>(isa, pixels);
      checkImage<float, float>(isa, pixels);
    }
}

TEST_SUITE_END();
