// What codelets are given before their first line, here in a program.
#include <poplar/impl/popc/Prelude.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <initializer_list>
#include <limits>
#include <poplar/TileConstants.hpp>
#include <poplar/VectorTypes.hpp>

namespace prelude_test {

cottonwood::codelet::VertexContext context;
cottonwood::codelet::VertexContext *running() { return &context; }
cottonwood::codelet::HostCalls const calls = {cottonwood::codelet::hostCallsVersion, running};

/// Runs f as the vertex that vertex describes.
template <class F> void asVertex(cottonwood::codelet::VertexContext const &vertex, F const &f) {
  context = vertex;
  cottonwood::codelet::hostCalls = &calls;
  f();
  cottonwood::codelet::hostCalls = nullptr;
}

struct Supervisor {
  int target;
  explicit Supervisor(int value) : target(value) {}
  __attribute__((target("supervisor"))) int before() { return target; }
  int after() __attribute__((target("worker"))) { return target + 1; }
  __attribute__((noinline, target("supervisor"))) int second() { return target + 2; }
};

// A source's own functions of such names.
inline unsigned ownResult() { return 77; }

} // namespace prelude_test

static inline unsigned __builtin_ipu_get_tile_id() { return prelude_test::ownResult(); }
static inline float2 __builtin_ipu_f32v2gina(float2 x, int) { return x + 1.0f; }

TEST_SUITE("poplar/device/Prelude") {
  TEST_CASE("instructions know the running vertex, and give 0 where none runs") {
    unsigned const worker = __builtin_ipu_get(CSR_W_WSR__INDEX) & CSR_W_WSR__CTXTID_M1__MASK;
    CHECK(worker == 0);
    CHECK(__builtin_ipu_get_vertex_base() == nullptr);
    CHECK(__builtin_ipu_urand64() == 0);
    CHECK(__builtin_ipu_urand_f32() == 0);
    int state = 0;
    prelude_test::asVertex({7, 5, &state, nullptr, 1, 0, 1, 1, nullptr, nullptr}, [&] {
      CHECK((__builtin_ipu_get(CSR_W_WSR__INDEX) & CSR_W_WSR__CTXTID_M1__MASK) == 5);
      CHECK(__builtin_ipu_get(CSR_W_FP_CTL__INDEX) == 0);
      CHECK(__builtin_ipu_uget(CSR_W_FP_CTL__INDEX) == 0);
      __builtin_ipu_put(1, CSR_W_WSR__INDEX);
      __builtin_ipu_uput(1.0f, CSR_W_FP_CTL__INDEX);
      CHECK((__builtin_ipu_get(CSR_W_WSR__INDEX) & CSR_W_WSR__CTXTID_M1__MASK) == 5);
      CHECK(__builtin_ipu_get_vertex_base() == &state);
      CHECK(__builtin_ipu_get_tile_id<>() == 7);
    });
    CHECK(__builtin_ipu_is_worker_mode());
  }

  TEST_CASE("a source's own function of an instruction's name is preferred") {
    CHECK(__builtin_ipu_get_tile_id() == 77);
    float2 const sum = __builtin_ipu_f32v2gina(float2{1, 2}, 0);
    CHECK((sum[1] == 3.0f));
  }

  TEST_CASE("random numbers depend on the key, the worker and the number of the draw") {
    unsigned long long first = 0, second = 0;
    prelude_test::asVertex({0, 0, nullptr, nullptr, 42, 0, 1, 1, nullptr, nullptr}, [&] {
      first = __builtin_ipu_urand64();
      second = __builtin_ipu_urand64();
      CHECK(prelude_test::context.randomDraws == 2);
    });
    CHECK(first != second);
    prelude_test::asVertex({0, 0, nullptr, nullptr, 42, 1, 1, 1, nullptr, nullptr},
                           [&] { CHECK(__builtin_ipu_urand64() == second); });
    prelude_test::asVertex({3, 0, nullptr, nullptr, 42, 0, 1, 1, nullptr, nullptr},
                           [&] { CHECK(__builtin_ipu_urand32() == first >> 32); });
    prelude_test::asVertex({0, 1, nullptr, nullptr, 42, 0, 1, 1, nullptr, nullptr},
                           [&] { CHECK(__builtin_ipu_urand64() != first); });
    prelude_test::asVertex({0, 0, nullptr, nullptr, 43, 0, 1, 1, nullptr, nullptr},
                           [&] { CHECK(__builtin_ipu_urand64() != first); });
    // Engines step keys as the algorithm steps its counter.
    std::uint64_t const step = 0x9e3779b97f4a7c15u;
    prelude_test::asVertex({0, 1, nullptr, nullptr, 42 - step, 0, 1, 1, nullptr, nullptr},
                           [&] { CHECK(__builtin_ipu_urand64() != first); });
  }

  TEST_CASE("random floats are uniform in (-0.5, 0.5]") {
    prelude_test::asVertex({0, 2, nullptr, nullptr, 5, 0, 1, 1, nullptr, nullptr}, [] {
      int const n = 20000;
      double sum = 0, squares = 0, halves = 0;
      for (int i = 0; i != n; ++i) {
        float const x = __builtin_ipu_urand_f32();
        REQUIRE(x > -0.5f);
        REQUIRE(x <= 0.5f);
        sum += x;
        squares += double(x) * x;
        half const h = __builtin_ipu_urand_f16();
        REQUIRE(h > -0.5f);
        REQUIRE(h <= 0.5f);
        halves += float(h);
      }
      double const sigma = std::sqrt(1.0 / 12 / n); // of a mean
      CHECK(std::fabs(sum / n) < 5 * sigma);
      CHECK(std::fabs(halves / n) < 5 * sigma);
      CHECK(std::fabs(squares / n - 1.0 / 12) < 0.002);
    });
    CHECK(cottonwood::popc::centred<24>(std::uint64_t(1) << 63) == 0.5f);
    CHECK(cottonwood::popc::centred<24>(~std::uint64_t(0) >> 1) == -0.5f + 1.0f / (1 << 24));
    CHECK(half(cottonwood::popc::centred<12>(~std::uint64_t(0) >> 1)) == -0.5f + 1.0f / 4096);
  }

  TEST_CASE("numbers are classified, one by one and as vectors") {
    float const infinity = std::numeric_limits<float>::infinity(), nan = std::nanf("");
    CHECK(__builtin_ipu_isnan(nan));
    CHECK_FALSE(__builtin_ipu_isnan(infinity));
    CHECK(__builtin_ipu_isinf(-infinity));
    CHECK_FALSE(__builtin_ipu_isinf(nan));
    CHECK(__builtin_ipu_isfinite(1.0f));
    CHECK_FALSE(__builtin_ipu_isfinite(infinity));
    CHECK(__builtin_ipu_isinf(std::numeric_limits<half>::infinity()));
    int2 const mask = __builtin_ipu_isinf(float2{-infinity, nan});
    CHECK((mask[0] == -1));
    CHECK((mask[1] == 0));
    short4 const finite = __builtin_ipu_isfinite(half4{1, infinity, nan, 0});
    CHECK((finite[0] == -1));
    CHECK((finite[1] == 0));
    CHECK((finite[2] == 0));
    CHECK((finite[3] == -1));
    for (float x : {nan, infinity, 0.0f, 1e-40f, 1.0f})
      CHECK(__builtin_ipu_f32class(x) == std::fpclassify(x));
  }

  TEST_CASE("instructions of one result each") {
    CHECK(__builtin_ipu_exp2(3.0f) == 8);
    CHECK(__builtin_ipu_exp2(half(-1)) == 0.5f);
    CHECK(__builtin_ipu_exp2(half2{1, 2})[1] == 4);
    int2 const less = __builtin_ipu_cmplt(float2{1, 2}, float2{2, 1});
    CHECK((less[0] == -1));
    CHECK((less[1] == 0));
    CHECK(__builtin_ipu_andc_f32(-3.0f, -0.0f) == 3);
    CHECK(__builtin_ipu_shuf8x8lo(0xdddd2211u, 0xeeee4433u) == 0x44223311u);
  }

  TEST_CASE("the counter goes on") {
    auto const now = [] {
      std::uint64_t const high = __builtin_ipu_get_scount_u();
      return high << 32 | __builtin_ipu_get_scount_l();
    };
    std::uint64_t const start = now();
    volatile unsigned sink = 0;
    for (unsigned i = 0; i != 100000; ++i)
      sink = sink + i;
    CHECK(now() > start);
  }

  TEST_CASE("clang's idioms are taken by every compiler") {
    prelude_test::Supervisor s(3);
    CHECK(s.before() + s.after() + s.second() == 12);
    float const data[2] = {1, 2};
    float const *__attribute__((align_value(4))) p = data;
    __builtin_assume(p[0] < 3);
    CHECK(p[1] == 2);
  }
}
