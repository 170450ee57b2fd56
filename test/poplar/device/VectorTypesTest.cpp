#include <doctest/doctest.h>
#include <poplar/VectorTypes.hpp>

TEST_SUITE("poplar/device/VectorTypes") {
  TEST_CASE("compiler vectors have braces, elements, operators and masks") {
    float2 a = {1.0f, 2.0f};
    float2 const b{3.0f, 5.0f};
    a = a * b + 1.0f;
    a[0] += 0.5f;
    CHECK((a[0] == 4.5f));
    CHECK((a[1] == 11.0f));
    int2 const mask = a < b;
    CHECK((mask[0] == 0));
    CHECK((mask[1] == 0));
    CHECK((float2{} + 2.0f)[1] == 2.0f);
    int4 const numbers{1, 2, 3, 4};
    CHECK((numbers + numbers)[3] == 8);
    CHECK(sizeof(float2) == 8);
    CHECK(sizeof(char4) == 4);
    CHECK(sizeof(longlong2) == 16);
    CHECK(alignof(float2) == 8);
  }

  TEST_CASE("vectors of halves compute element by element") {
    half4 a{1, 2, 3, 4};
    half4 const b{0.5f, 0.5f, 0.5f, 2048.0f};
    a = a + b * 2;
    a[0] = 7.0f;
    CHECK(a[0] == 7);
    CHECK(a[1] == 3);
    CHECK(a[3] == 4100);
    CHECK(sizeof(half2) == 4);
    CHECK(alignof(half4) == 8);
    rptsize_t const n = 4;
    CHECK(n == 4);
  }

  TEST_CASE("vectors of halves take scalars on either side and compare to masks") {
    half4 const a{1, 2, 3, 4};
    half4 const b = 10.0f - a * 2;
    CHECK(b[0] == 8);
    CHECK(b[3] == 2);
    CHECK((12 / a)[2] == 4);
    short4 const less = a < b;
    CHECK((less[0] == -1));
    CHECK((less[3] == 0));
    short4 const equal = 2 == a;
    CHECK((equal[0] == 0));
    CHECK((equal[1] == -1));
    short2 const different = half2{1, 2} != half2{1, 3};
    CHECK((different[0] == 0));
    CHECK((different[1] == -1));
    CHECK((-a)[2] == -3);
    CHECK(half2{}[1] == 0);
    CHECK(sizeof(half8) == 16);
    CHECK(alignof(half8) == 8);
  }

  TEST_CASE("no vector wants more than the alignment of the device") {
    CHECK(alignof(float4) == 8);
    alignas(16) float data[6] = {0, 0, 1, 2, 3, 4};
    float4 const sum = *reinterpret_cast<float4 *>(data + 2) + 1.0f;
    CHECK((sum[0] == 2.0f));
    CHECK((sum[3] == 5.0f));
    CHECK(sizeof(long4) == 32);
    CHECK(alignof(long4) == 8);
  }
}
