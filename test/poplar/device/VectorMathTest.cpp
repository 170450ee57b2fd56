#include <cmath>
#include <doctest/doctest.h>
#include <initializer_list>
#include <poplar/VectorTypes.hpp>
#include <poplar/device/ipu_intrinsics>

TEST_SUITE("poplar/device/VectorMath") {
  TEST_CASE("functions of float are those of the standard library") {
    for (float x : {0.1f, 0.7f, 0.99f}) {
      CHECK(ipu::exp(x) == std::exp(x));
      CHECK(ipu::exp2(x) == std::exp2(x));
      CHECK(ipu::log(x) == std::log(x));
      CHECK(ipu::sqrt(x) == std::sqrt(x));
      CHECK(ipu::rsqrt(x) == 1.0f / std::sqrt(x));
      CHECK(ipu::sigmoid(x) == 1.0f / (1.0f + std::exp(-x)));
      CHECK(ipu::tanh(x) == std::tanh(x));
      CHECK(ipu::erf(x) == std::erf(x));
      CHECK(ipu::pow(x, 3.0f) == std::pow(x, 3.0f));
      CHECK(ipu::fma(x, x, -x) == std::fma(x, x, -x));
      CHECK(ipu::copysign(x, -1.0f) == -x);
    }
    CHECK(ipu::clz(1u) == 31);
    CHECK(ipu::clz(0u) == 32);
  }

  TEST_CASE("vectors go element by element, halves through float") {
    float4 const x = {0.25f, 1.0f, 2.25f, 4.0f};
    float4 const root = ipu::sqrt(x);
    CHECK((root[0] == 0.5f));
    CHECK((root[2] == 1.5f));
    float2 const least = ipu::fmin(float2{1, 5}, float2{2, -5});
    CHECK((least[0] == 1.0f));
    CHECK((least[1] == -5.0f));
    half const h = 0.3f;
    CHECK(ipu::exp(h).bit16() == half(std::exp(float(h))).bit16());
    half4 const e = ipu::log(half4{1, 2, 3, 4});
    for (unsigned i = 0; i != 4; ++i)
      CHECK(e[i].bit16() == half(std::log(float(i + 1))).bit16());
    CHECK(ipu::fma(half2{1, 2}, half2{3, 4}, half2{5, 6})[1] == 14);
    CHECK(ipu::fmod(half(7), half(4)) == 3);
  }

  TEST_CASE("loads and stores move their pointer") {
    float data[7] = {1, 2, 3, 4, 5, 6, 7};
    float const *in = data;
    CHECK(ipu::load_postinc(&in, 2) == 1);
    CHECK(ipu::load_postinc(&in, -1) == 3);
    CHECK(in == data + 1);
    auto const *pairs = reinterpret_cast<float2 const *>(data);
    float2 const second = (ipu::load_postinc(&pairs, 1), ipu::load_postinc(&pairs, 1));
    CHECK((second[1] == 4.0f));
    // No more than the alignment of the elements.
    auto *__restrict quads = reinterpret_cast<float4 *>(data + 1);
    float4 const four = ipu::load_postinc(&quads, 0);
    CHECK((four[3] == 5.0f));
    ipu::store_postinc(&quads, four * 2.0f, 1);
    CHECK(data[1] == 4);
    CHECK(data[4] == 10);
    CHECK(static_cast<void *>(quads) == data + 5);
  }
}
