// Compiled once per instruction set; POP_ISA is its tag.
#include <codelets/arch/Simd.hpp>
#include <test/codelets/arch/SimdProbe.hpp>

namespace cottonwood::test {

template <class Tag> struct Probe {
  using V = simd<float, Tag>;
  using I = simd<std::int32_t, Tag>;
  using U = simd<std::uint32_t, Tag>;
  using H = simd<half, Tag>;
  using M = simdMask<Tag>;
  using B = simd<std::uint8_t, Tag>;

  static void floatBinary(char op, const float *pa, const float *pb, float *out) {
    const V a = V::load(pa), b = V::load(pb);
    const V r = op == '+'   ? a + b
                : op == '-' ? a - b
                : op == '*' ? a * b
                : op == '/' ? a / b
                : op == '<' ? V::min(a, b)
                            : V::max(a, b);
    r.store(out);
  }
  static void floatUnary(char op, const float *pa, float *out) {
    const V a = V::load(pa);
    const V r = op == 's'   ? V::sqrt(a)
                : op == 'a' ? V::abs(a)
                : op == 'f' ? V::floor(a)
                : op == 'c' ? V::ceil(a)
                : op == 't' ? V::trunc(a)
                : op == 'n' ? V::nearest(a)
                            : -a;
    r.store(out);
  }
  static void floatFma(char op, const float *pa, const float *pb, const float *pc, float *out) {
    const V a = V::load(pa), b = V::load(pb), c = V::load(pc);
    (op == 'a' ? V::fma(a, b, c) : op == 'n' ? V::fnma(a, b, c) : V::fms(a, b, c)).store(out);
  }
  static void compare(char op, const float *pa, const float *pb, unsigned char *out) {
    const V a = V::load(pa), b = V::load(pb);
    const M m = op == '='   ? a == b
                : op == '!' ? a != b
                : op == '<' ? a < b
                : op == '[' ? a <= b
                : op == '>' ? a > b
                            : a >= b;
    m.storeBool(out);
  }
  static void select(const unsigned char *mask, const float *a, const float *b, float *out) {
    V::select(M::loadBool(mask), V::load(a), V::load(b)).store(out);
  }
  static void copyPartial(const float *in, float *out, std::size_t n) {
    V::loadPartial(in, n).storePartial(out, n);
  }
  static void halfToFloat(const half *in, float *out) { V::load(in).store(out); }
  static void floatToHalf(const float *in, half *out) { V::load(in).store(out); }
  static void halfToFloatPartial(const half *in, float *out, std::size_t n) {
    V::loadPartial(in, n).storePartial(out, n);
  }
  static void floatToHalfPartial(const float *in, half *out, std::size_t n) {
    V::loadPartial(in, n).storePartial(out, n);
  }
  static void toInt(const float *in, std::int32_t *out) { V::load(in).toInt().store(out); }
  static void toUint(const float *in, std::uint32_t *out) { V::load(in).toUint().store(out); }
  static void fromInt(const std::int32_t *in, float *out) { V::fromInt(I::load(in)).store(out); }
  static void fromUint(const std::uint32_t *in, float *out) { V::fromUint(U::load(in)).store(out); }
  static float reduce(char op, const float *in) {
    const V v = V::load(in);
    return op == '+'   ? v.reduceAdd()
           : op == '*' ? v.reduceMul()
           : op == '<' ? v.reduceMin()
                       : v.reduceMax();
  }
  template <class X, class T> static void integerBinary(char op, const T *pa, const T *pb, T *out) {
    const X a = X::load(pa), b = X::load(pb), one = X::splat(1), zero = X::zero();
    const X r = op == '+'   ? a + b
                : op == '-' ? a - b
                : op == '*' ? a * b
                : op == '&' ? a & b
                : op == '|' ? a | b
                : op == '^' ? a ^ b
                : op == 'l' ? X::shiftLeft(a, b)
                : op == 'r' ? X::shiftRight(a, b)
                : op == 'a' ? X::shiftRightArithmetic(a, b)
                : op == 'm' ? X::min(a, b)
                : op == 'M' ? X::max(a, b)
                : op == '<' ? X::select(a < b, one, zero)
                : op == '[' ? X::select(a <= b, one, zero)
                : op == '>' ? X::select(a > b, one, zero)
                : op == ']' ? X::select(a >= b, one, zero)
                : op == '=' ? X::select(a == b, one, zero)
                            : X::select(a != b, one, zero);
    r.store(out);
  }
  static void intBinary(char op, const std::int32_t *a, const std::int32_t *b, std::int32_t *out) {
    integerBinary<I>(op, a, b, out);
  }
  static void uintBinary(char op, const std::uint32_t *a, const std::uint32_t *b,
                         std::uint32_t *out) {
    integerBinary<U>(op, a, b, out);
  }
  static void uintWide(const std::uint32_t *pa, const std::uint32_t *pb, std::uint32_t *low,
                       std::uint32_t *high, std::uint32_t *onlyHigh) {
    const U a = U::load(pa), b = U::load(pb);
    U upper;
    U::multiplyWide(a, b, upper).store(low);
    upper.store(high);
    U::multiplyHigh(a, b).store(onlyHigh);
  }
  static void uintIota(std::uint32_t *out) { U::iota().store(out); }
  static void intUnary(char op, const std::int32_t *pa, std::int32_t *out) {
    const I a = I::load(pa);
    (op == 'z'   ? I::countLeadingZeros(a)
     : op == 'p' ? I::populationCount(a)
     : op == '~' ? ~a
                 : -a)
        .store(out);
  }
  static void halfBinary(char op, const half *pa, const half *pb, half *out) {
    const H a = H::load(pa), b = H::load(pb);
    (op == '+' ? a + b : op == '-' ? a - b : op == '*' ? a * b : a / b).store(out);
  }
  static void halfFma(const half *a, const half *b, const half *c, half *out) {
    H::fma(H::load(a), H::load(b), H::load(c)).store(out);
  }
  static void halfCopyPartial(const half *in, half *out, std::size_t n) {
    H::loadPartial(in, n).storePartial(out, n);
  }
  static void maskCopyPartial(const unsigned char *in, unsigned char *out, std::size_t n) {
    M::loadBoolPartial(in, n).storeBoolPartial(out, n);
  }
  static void byteCopyPartial(const unsigned char *in, unsigned char *out, std::size_t n) {
    B::loadPartial(in, n).storePartial(out, n);
  }
};

template <class Tag> SimdProbe simdProbe() {
  using P = Probe<Tag>;
  return {P::V::width,
          P::H::width,
          P::B::width,
          P::floatBinary,
          P::floatUnary,
          P::floatFma,
          P::compare,
          P::select,
          P::copyPartial,
          P::halfToFloat,
          P::floatToHalf,
          P::halfToFloatPartial,
          P::floatToHalfPartial,
          P::toInt,
          P::toUint,
          P::fromInt,
          P::fromUint,
          P::reduce,
          P::intBinary,
          P::uintBinary,
          P::uintWide,
          P::uintIota,
          P::intUnary,
          P::halfBinary,
          P::halfFma,
          P::halfCopyPartial,
          P::maskCopyPartial,
          P::byteCopyPartial};
}

template SimdProbe simdProbe<isa::POP_ISA>();

} // namespace cottonwood::test
