// Running vertices on every instruction set of this machine, and comparing floating results.
#pragma once

#include <codelets/arch/CpuFeatures.hpp>
#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Half.hpp>
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace cottonwood::test {

/// Whether a sanitizer watches the kernels. Tests may be compiled without.
extern bool const SANITIZED;

/// The sets of this machine that differ for kernels without tiles.
inline std::vector<isa::Isa> vectorIsas() {
  std::vector<isa::Isa> found;
  for (const isa::Isa isa : isa::availableIsas())
    if (isa::tilesOf(isa) == isa::Tiles::None)
      found.push_back(isa);
  return found;
}

/// The sets of this machine with tiles, software twins included.
inline std::vector<isa::Isa> tileIsas() {
  std::vector<isa::Isa> found;
  for (const isa::Isa isa : isa::availableIsas())
    if (isa::tilesOf(isa) != isa::Tiles::None)
      found.push_back(isa);
  return found;
}

/// The kernels that serve a family on this machine if the set in use is `isa`.
template <class Family> auto kernelsOf(isa::Isa isa) {
  return vertices::withServingTag<Family>(
      isa, [](auto tag) { return Family::template kernels<decltype(tag)>(); });
}

template <class V, class... All> constexpr std::size_t positionIn(vertices::VertexList<All...>) {
  std::size_t position = 0;
  bool found = false;
  ((found = found || std::is_same_v<V, All>, position += found ? 0u : 1u), ...);
  return position;
}

/// Runs worker contexts [first, first + count) of a vertex, together where its class can.
inline void enterWorkers(codelet::Entry entry, void *state, unsigned first, unsigned count) {
  codelet::VertexContext context{};
  for (unsigned worker = first; worker < first + count; worker += context.workersDone) {
    context.workersWanted = first + count - worker;
    context.workersDone = 1;
    CHECK(entry(state, worker, &context));
  }
}

/// Runs all worker contexts of a vertex, whose state is given as an image of its scalar class: some
/// of them together, or one by one.
template <class Family, class V> void runOn(isa::Isa isa, V &state, bool together = true) {
  constexpr std::size_t position = positionIn<V>(typename Family::template Vertices<isa::scalar>());
  const vertices::VertexEntries entries = vertices::entriesFor<Family>(isa);
  REQUIRE(position < entries.count);
  const codelet::Entry entry = entries.first[position];
  if (together) {
    enterWorkers(entry, &state, 5, 1);
    enterWorkers(entry, &state, 3, 2);
    enterWorkers(entry, &state, 0, 3);
    return;
  }
  for (unsigned worker = 6; worker-- > 0;)
    enterWorkers(entry, &state, worker, 1);
}

/// A zeroed image of a vertex class.
template <class V> V zeroed() {
  V v;
  std::memset(static_cast<void *>(&v), 0, sizeof v);
  return v;
}

/// Points a field at data, as the engine does: an address, and a size where the field has one.
template <class Field, class T> void connect(Field &field, T *data, std::size_t n = 0) {
  struct {
    const void *p;
    std::size_t n;
  } image{data, n};
  static_assert(sizeof(Field) <= sizeof image);
  std::memcpy(static_cast<void *>(&field), &image, sizeof(Field));
}

/// Units in the last place of a float between a result and its exact value; 0 for equal infinities
/// and for two NaN, infinity where only one of them is special.
inline double ulps(float got, double exact) {
  if (std::isnan(exact) || std::isnan(got))
    return std::isnan(exact) && std::isnan(got) ? 0 : INFINITY;
  if (std::isinf(got) || std::isinf(static_cast<float>(exact)))
    return got == static_cast<float>(exact) ? 0 : INFINITY;
  const double magnitude = std::max(std::fabs(exact), 0x1p-126);
  int exponent;
  std::frexp(magnitude, &exponent);
  return std::fabs(static_cast<double>(got) - exact) / std::ldexp(1.0, exponent - 24);
}

/// Equal bits, or both NaN.
inline bool same(float a, float b) {
  return arch::bitCast<std::uint32_t>(a) == arch::bitCast<std::uint32_t>(b) || (a != a && b != b);
}
inline bool same(half a, half b) {
  return a.bits == b.bits || ((a.bits & 0x7fff) > 0x7c00 && (b.bits & 0x7fff) > 0x7c00);
}
template <class T>
requires std::is_integral_v<T>
bool same(T a, T b) { return a == b; }

inline float toFloat(float x) { return x; }
inline float toFloat(half x) { return arch::halfToFloat(x.bits); }
inline half toHalf(float x) { return {arch::floatToHalf(x)}; }
template <class T> T fromFloat(float x) {
  if constexpr (std::is_same_v<T, half>)
    return toHalf(x);
  else
    return static_cast<T>(x);
}

/// Lengths around multiples of every vector width, worker shares and the 64 lanes of reductions.
inline const std::vector<std::size_t> &lengths() {
  static const std::vector<std::size_t> all{0,   1,   2,   3,   7,   8,   9,    15,   16,   17,
                                            26,  31,  32,  33,  50,  63,  64,   65,   127,  129,
                                            194, 255, 256, 257, 511, 513, 1000, 1535, 1537, 3001};
  return all;
}

/// Storage in which the data starts one element after an aligned address and is followed by a
/// guard that must stay as it is.
template <class T> class Misaligned {
public:
  explicit Misaligned(std::size_t n) : size_(n), bytes_((n + 1) * sizeof(T) + 128, GUARD) {
    const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
    start_ = (64 - address % 64) % 64 + sizeof(T);
  }
  T *data() { return reinterpret_cast<T *>(bytes_.data() + start_); }
  std::size_t size() const { return size_; }
  T get(std::size_t i) const {
    T x;
    std::memcpy(&x, bytes_.data() + start_ + i * sizeof(T), sizeof x);
    return x;
  }
  void set(std::size_t i, T x) {
    std::memcpy(bytes_.data() + start_ + i * sizeof(T), &x, sizeof x);
  }
  bool guardsIntact() const {
    const std::size_t end = start_ + size_ * sizeof(T);
    for (std::size_t i = 0; i < bytes_.size(); ++i)
      if ((i < start_ || i >= end) && bytes_[i] != GUARD)
        return false;
    return true;
  }

private:
  static constexpr unsigned char GUARD = 0xa5;
  std::size_t size_, start_ = 0;
  std::vector<unsigned char> bytes_;
};

} // namespace cottonwood::test
