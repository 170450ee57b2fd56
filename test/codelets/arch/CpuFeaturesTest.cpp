#include <codelets/arch/CpuFeatures.hpp>
#include <codelets/arch/Half.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>

using namespace cottonwood;

TEST_SUITE("codelets/arch/cpuFeatures") {
  TEST_CASE("every machine can run scalar kernels and lists only what it can run") {
    const auto all = isa::availableIsas();
    REQUIRE(!all.empty());
    CHECK(all.front() == isa::Isa::Scalar);
    for (isa::Isa isa : all)
      CHECK(isa::cpuFeatures().supports(isa));
  }

  TEST_CASE("the best set is available and is no software twin") {
    const auto all = isa::availableIsas();
    CHECK(std::find(all.begin(), all.end(), isa::bestIsa()) != all.end());
    CHECK(!isa::isSoft(isa::bestIsa()));
  }

  TEST_CASE("larger sets come with the smaller ones") {
    const isa::CpuFeatures &f = isa::cpuFeatures();
    CHECK((!f.amxfp16 || f.amx));
    CHECK((!f.amx || f.avx512fp16));
    CHECK((!f.avx512fp16 || f.avx512));
    CHECK((!f.avx512 || f.avx2));
  }

  TEST_CASE("an available set is found by its name") {
    for (isa::Isa isa : isa::availableIsas())
      CHECK(isa::parseIsa(isa::name(isa)) == isa);
  }

  TEST_CASE("an unknown name is refused with the list of sets") {
    std::string message;
    try {
      isa::parseIsa("avx7");
    } catch (const std::invalid_argument &error) {
      message = error.what();
    }
    CHECK(message.find("POPLAR_ISA: 'avx7' is unknown; this machine has scalar") == 0);
  }

  TEST_CASE("a set that the machine lacks is refused as such") {
    for (isa::Isa isa : isa::ALL_ISAS) {
      if (isa::cpuFeatures().supports(isa))
        continue;
      std::string message;
      try {
        isa::parseIsa(isa::name(isa));
      } catch (const std::invalid_argument &error) {
        message = error.what();
      }
      CHECK(message.find("is not supported by this machine; this machine has scalar") !=
            std::string::npos);
    }
  }

  TEST_CASE("half conversions are exact for every half and round floats to nearest even") {
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
      const float value = arch::halfToFloat(static_cast<std::uint16_t>(bits));
      if (value == value)
        REQUIRE(arch::floatToHalf(value) == bits);
      else
        REQUIRE(arch::floatToHalf(value) == (bits | 0x200));
    }
    CHECK(arch::floatToHalf(65519.99f) == 0x7bff);
    CHECK(arch::floatToHalf(65520.f) == 0x7c00);
    CHECK(arch::floatToHalf(0x1p-25f) == 0);
    CHECK(arch::floatToHalf(0x1.000002p-25f) == 1);
    CHECK(arch::floatToHalf(1.f + 0x1p-11f) == 0x3c00);
    CHECK(arch::floatToHalf(1.f + 0x3p-11f) == 0x3c02);
  }

  TEST_CASE("a finite float that becomes an infinite half raises the exception for it") {
    const auto raises = [](float value) {
      std::feclearexcept(FE_ALL_EXCEPT);
      volatile float x = value;
      volatile std::uint16_t bits = arch::floatToHalf(x);
      static_cast<void>(bits);
      return std::fetestexcept(FE_OVERFLOW) != 0;
    };
    for (const float value : {65520.f, 65536.f, 1e30f, std::numeric_limits<float>::max()})
      CHECK((raises(value) && raises(-value)));
    for (const float value : {0.f, 1.f, 65519.99f, HUGE_VALF, std::nanf("")})
      CHECK_FALSE((raises(value) || raises(-value)));
  }

  TEST_CASE("a double is rounded to half once, not through float") {
    const double tie = 1.0 + 0x1p-11; // between two halves; the tail decides
    CHECK(arch::doubleToHalf(tie + 0x1p-40) == 0x3c01);
    CHECK(arch::doubleToHalf(tie - 0x1p-40) == 0x3c00);
    CHECK(arch::doubleToHalf(tie) == 0x3c00);
    CHECK(arch::doubleToHalf(-tie - 0x1p-40) == 0xbc01);
    CHECK(arch::doubleToHalf(0x1p-25 + 0x1p-60) == 1);
    CHECK(arch::doubleToHalf(1e300) == 0x7c00);
    CHECK(arch::doubleToHalf(65520.0 - 1e-9) == 0x7bff);
    CHECK(arch::doubleToHalf(-0.0) == 0x8000);
  }
}
