// One-hot rows, ascending numbers, scalars in rows and the search for special numbers on every
// instruction set of this machine.
#include <codelets/popops/Encoding.hpp>
#include <codelets/popops/NaN.hpp>
#include <codelets/popops/ScalarInRows.hpp>
#include <test/codelets/Isas.hpp>

#include <string>

using namespace cottonwood;
using Half = cottonwood::half; // codelets also see the global name

TEST_SUITE_BEGIN("codelets/popops/encoding");

TEST_CASE("one-hot elements from the middle of a row on") {
  for (const isa::Isa isa : test::vectorIsas())
    for (std::size_t n : test::lengths())
      for (unsigned columns : {1u, 5u, 70u}) {
        CAPTURE(std::string(isa::name(isa)));
        CAPTURE(n);
        const unsigned column = columns / 2;
        std::vector<unsigned> indices((column + n) / columns + 1);
        for (std::size_t r = 0; r < indices.size(); ++r)
          indices[r] = r % 7 == 0 ? 0xffffffffu : static_cast<unsigned>(r * 3 % (columns + 1));
        test::Misaligned<unsigned short> out(n);
        unsigned short on = 7, off = 9;
        auto v = test::zeroed<vertices::OneHot<isa::scalar, unsigned short>>();
        test::connect(v.indices, indices.data());
        test::connect(v.out, out.data(), n);
        test::connect(v.on, &on);
        test::connect(v.off, &off);
        v.columns = columns;
        v.column = column;
        test::runOn<vertices::EncodingFamily>(isa, v);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < n; ++i) {
          const std::size_t at = column + i;
          wrong += out.get(i) != (indices[at / columns] == at % columns ? on : off);
        }
        CHECK(wrong == 0);
        CHECK(out.guardsIntact());
      }
}

TEST_CASE("numbers count up") {
  for (const isa::Isa isa : test::vectorIsas())
    for (std::size_t n : test::lengths()) {
      test::Misaligned<unsigned> out(n);
      auto v = test::zeroed<vertices::Iota<isa::scalar>>();
      test::connect(v.out, out.data(), n);
      v.start = 0xfffffff0u;
      test::runOn<vertices::EncodingFamily>(isa, v);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < n; ++i)
        wrong += out.get(i) != 0xfffffff0u + static_cast<unsigned>(i);
      CHECK(wrong == 0);
      CHECK(out.guardsIntact());
    }
}

namespace {
template <class T> void checkSpecial(isa::Isa isa, std::size_t n) {
  using K = vertices::KernelType<T>;
  std::mt19937 random(static_cast<unsigned>(n));
  for (float special : {0.f, INFINITY, -INFINITY, NAN, -NAN})
    for (bool infinities : {false, true}) {
      test::Misaligned<K> in(n);
      for (std::size_t i = 0; i < n; ++i)
        in.set(i, test::fromFloat<K>(i % 3 == 0 ? -65504.f : static_cast<float>(i % 9)));
      if (special != 0 && n != 0)
        in.set(random() % n, test::fromFloat<K>(special));
      bool found[6];
      auto v = test::zeroed<vertices::HasSpecial<isa::scalar, T>>();
      test::connect(v.in, in.data(), n);
      test::connect(v.found, found);
      v.infinities = infinities;
      test::runOn<vertices::NaNFamily>(isa, v);
      bool any = false;
      for (bool f : found)
        any = any || f;
      CHECK(any == (n != 0 && special != 0 && (infinities || std::isnan(special))));
    }
}
} // namespace

TEST_CASE("special numbers are found") {
  for (const isa::Isa isa : test::vectorIsas())
    for (std::size_t n : test::lengths()) {
      CAPTURE(std::string(isa::name(isa)));
      CAPTURE(n);
      checkSpecial<float>(isa, n);
      checkSpecial<poplar::half>(isa, n);
    }
}

TEST_SUITE_END();
