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
}
