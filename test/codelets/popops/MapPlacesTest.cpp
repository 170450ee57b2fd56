// Elementwise kernels on arrays wherever they lie beside each other in memory.
#include "MapKernels.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

using namespace cottonwood;
using kernels::Walk;
using vertices::MapOp;
using vertices::MapType;

TEST_SUITE_BEGIN("codelets/popops/mapPlaces");

namespace {

kernels::MapKernel kernelOf(isa::Isa isa, MapOp op) {
  return test::mapKernel(isa, op, MapType::FLOAT, MapType::FLOAT);
}

// Floats from a place in a page on; what is around them must stay as it is.
class Page {
public:
  Page(std::size_t place, std::size_t n) : n_(n), bytes_(n * 4 + 3 * 4096, GUARD) {
    auto const address = reinterpret_cast<std::uintptr_t>(bytes_.data());
    begin_ = (4096 - address % 4096) % 4096 + place;
  }
  float *data() { return reinterpret_cast<float *>(bytes_.data() + begin_); }
  bool guarded() const {
    for (std::size_t i = 0; i != bytes_.size(); ++i)
      if ((i < begin_ || i >= begin_ + 4 * n_) && bytes_[i] != GUARD)
        return false;
    return true;
  }

private:
  static constexpr unsigned char GUARD = 0xa5;
  std::size_t n_, begin_;
  std::vector<unsigned char> bytes_;
};

std::uint32_t bitsOf(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

} // namespace

TEST_CASE("results do not depend on where arrays lie") {
  for (isa::Isa const isa : test::vectorIsas())
    for (std::size_t const n : {1U, 63U, 64U, 127U, 128U, 200U, 1000U})
      for (std::size_t const a : {0U, 4U, 16U, 4032U})
        for (std::size_t const b : {0U, 64U, 512U, 4000U})
          for (std::size_t const out : {0U, 16U, 64U, 128U, 600U, 2048U, 4092U}) {
            Page x(a, n), y(b, n), z(out, n);
            for (std::size_t i = 0; i != n; ++i) {
              x.data()[i] = static_cast<float>(i) - 100;
              y.data()[i] = static_cast<float>(3 * i % 97);
            }
            kernelOf(isa, MapOp::ADD)(z.data(), x.data(), y.data(), nullptr, n, Walk::NEAR);
            std::size_t wrong = 0;
            for (std::size_t i = 0; i != n; ++i)
              wrong += z.data()[i] != static_cast<float>(i) - 100 + static_cast<float>(3 * i % 97);
            kernelOf(isa, MapOp::RELU)(z.data(), x.data(), nullptr, nullptr, n, Walk::NEAR);
            for (std::size_t i = 0; i != n; ++i)
              wrong += z.data()[i] != (i > 100 ? static_cast<float>(i) - 100 : 0.f);
            // In place, the other operand elsewhere.
            kernelOf(isa, MapOp::SUBTRACT)(x.data(), x.data(), y.data(), nullptr, n, Walk::NEAR);
            for (std::size_t i = 0; i != n; ++i)
              wrong += x.data()[i] != static_cast<float>(i) - 100 - static_cast<float>(3 * i % 97);
            CAPTURE(std::string(isa::name(isa)));
            CAPTURE(n);
            CAPTURE(a);
            CAPTURE(b);
            CAPTURE(out);
            CHECK(wrong == 0);
            CHECK(z.guarded());
            CHECK(x.guarded());
          }
}

TEST_CASE("functions of long arrays take arguments of all kinds, wherever these lie") {
  float const inf = std::numeric_limits<float>::infinity();
  std::size_t const n = 333;
  for (isa::Isa const isa : test::vectorIsas())
    for (MapOp const op :
         {MapOp::COS, MapOp::ERF, MapOp::EXPONENT, MapOp::EXPONENT2, MapOp::GELU, MapOp::GELU_ERF,
          MapOp::LOGARITHM, MapOp::RSQRT, MapOp::SIGMOID, MapOp::SIN, MapOp::SWISH, MapOp::TANH})
      for (float const special : {0.f, -0.f, -2.f, 1e-40f, 9.8f, 87.5f, -87.5f, 1e5f, inf, -inf,
                                  std::numeric_limits<float>::quiet_NaN()})
        for (std::size_t const every : {7U, 100U, 1000U})
          for (std::size_t const out : {0U, 64U}) {
            Page x(0, n), y(out, n), expected(0, n);
            for (std::size_t i = 0; i != n; ++i)
              x.data()[i] = i % every == 3 ? special : static_cast<float>(i % 50) / 16 + 0.1f;
            kernelOf(isa::Isa::Scalar, op)(expected.data(), x.data(), nullptr, nullptr, n,
                                           Walk::NEAR);
            kernelOf(isa, op)(y.data(), x.data(), nullptr, nullptr, n, Walk::NEAR);
            kernelOf(isa, op)(x.data(), x.data(), nullptr, nullptr, n, Walk::NEAR);
            std::size_t wrong = 0, wrongInPlace = 0;
            for (std::size_t i = 0; i != n; ++i) {
              std::uint32_t const right = bitsOf(expected.data()[i]);
              if (std::isnan(expected.data()[i])) { // which one is open
                wrong += !std::isnan(y.data()[i]);
                wrongInPlace += !std::isnan(x.data()[i]);
                continue;
              }
              wrong += bitsOf(y.data()[i]) != right;
              wrongInPlace += bitsOf(x.data()[i]) != right;
            }
            CAPTURE(std::string(isa::name(isa)));
            CAPTURE(static_cast<int>(op));
            CAPTURE(special);
            CAPTURE(every);
            CHECK(wrong == 0);
            CHECK(wrongInPlace == 0);
            CHECK(y.guarded());
          }
}

TEST_SUITE_END();
