// `quarter` for codelets: 8-bit floating point numbers, whose format and scale stand beside them.
//
// A number is its sign, an exponent with a bias and a fraction, times 2^scale. f143 has 4 bits of
// exponent (bias 8) and 3 of fraction, f152 has 5 (bias 16) and 2. The pattern of negative zero is
// the only NaN; there are no infinities.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_QUARTERFLOAT_HPP
#define POPLAR_QUARTERFLOAT_HPP

#include <cmath>
#include <limits>
#include <poplar/HalfFloat.hpp>
#include <poplar/InOutTypes.hpp>

/// One byte of storage; nothing is computed with it.
struct quarter {
  unsigned char value;

  quarter() = default;
  /// The bits, not a conversion of a number.
  quarter(unsigned bits) noexcept : value(static_cast<unsigned char>(bits)) {}
};

/// The format and the power of two of quarters.
struct quarter_metadata {
  enum format { f143, f152 };
  format fmt;
  signed char scale;
};

/// Bit 7 is set for f143; bits 0 to 5 are the scale in two's complement.
typedef unsigned char MetadataType;

namespace poplar {

inline quarter_metadata unpackMetadata(MetadataType const *in) {
  quarter_metadata metadata;
  metadata.fmt = (*in & 0x80u) != 0 ? quarter_metadata::f143 : quarter_metadata::f152;
  metadata.scale = static_cast<signed char>((static_cast<int>(*in & 0x3fu) ^ 0x20) - 0x20);
  return metadata;
}
inline MetadataType packMetadata(quarter_metadata::format fmt, signed char scale) {
  return static_cast<MetadataType>((fmt == quarter_metadata::f143 ? 0x80u : 0u) |
                                   (static_cast<unsigned>(scale) & 0x3fu));
}

/// Exact.
inline float quarterToFloat(quarter q, quarter_metadata md) {
  if (q.value == 0x80)
    return std::numeric_limits<float>::quiet_NaN();
  int const fractionBits = md.fmt == quarter_metadata::f143 ? 3 : 2;
  int const bias = md.fmt == quarter_metadata::f143 ? 8 : 16;
  int const field = (q.value & 0x7f) >> fractionBits;
  int const leading = field == 0 ? 0 : 1 << fractionBits;
  int const fraction = (q.value & ((1 << fractionBits) - 1)) + leading;
  float const magnitude = std::ldexp(static_cast<float>(fraction),
                                     (field == 0 ? 1 : field) - bias - fractionBits + md.scale);
  return (q.value & 0x80) != 0 ? -magnitude : magnitude;
}

/// Rounds to nearest, ties to even. NaN for infinities and what is too large if `nanoo`; the
/// largest value otherwise.
inline quarter floatToQuarter(float f, quarter_metadata md, bool nanoo) {
  if (std::isnan(f))
    return quarter(0x80);
  int const fractionBits = md.fmt == quarter_metadata::f143 ? 3 : 2;
  int const bias = md.fmt == quarter_metadata::f143 ? 8 : 16;
  unsigned const sign = std::signbit(f) ? 0x80u : 0u;
  quarter const overflow(nanoo ? 0x80u : sign | 0x7fu);
  float const limit = 1e9f; // far above every quarter, also with what a carry adds
  float const magnitude = std::ldexp(std::fabs(f), -md.scale);
  if (!(magnitude < limit))
    return overflow;
  int exponent = 1 - bias; // of the subnormals
  if (magnitude >= std::ldexp(1.0f, exponent))
    exponent = std::ilogb(magnitude);
  // In units of the last place; a carry out of the fraction lands in the exponent field, as it
  // should.
  float const units = std::ldexp(magnitude, fractionBits - exponent);
  float const whole = std::floor(units);
  float const rest = units - whole;
  int rounded = static_cast<int>(whole);
  if (rest > 0.5f || (!(rest < 0.5f) && rounded % 2 != 0))
    ++rounded;
  int const bits = rounded + (exponent + bias - 1) * (1 << fractionBits);
  if (bits > 0x7f)
    return overflow;
  return quarter(bits == 0 ? 0u : sign | static_cast<unsigned>(bits));
}
inline quarter floatToQuarter(float f, quarter_metadata md) { return floatToQuarter(f, md, true); }

inline half quarterToHalf(quarter q, quarter_metadata md) { return half(quarterToFloat(q, md)); }
inline quarter halfToQuarter(half h, quarter_metadata md) {
  return floatToQuarter(static_cast<float>(h), md);
}

inline float toFloat(quarter q, quarter_metadata md) { return quarterToFloat(q, md); }
inline half toHalf(quarter q, quarter_metadata md) { return quarterToHalf(q, md); }
/// T is float or half.
template <class T> quarter toQuarter(T v, quarter_metadata md) {
  return floatToQuarter(static_cast<float>(v), md, true);
}
inline quarter toQuarter(float v, quarter_metadata md, bool nanoo) {
  return floatToQuarter(v, md, nanoo);
}

} // namespace poplar

namespace cottonwood {
namespace field {

/// Data of a quarter edge, which know the metadata of their tensor.
template <class Q, class Metadata> class QuarterPointer {
public:
  Q *data() const { return data_; }
  Q &operator[](std::size_t i) const { return data_[i]; }
  Q &operator*() const { return *data_; }
  Q *begin() const { return data_; }
  Metadata *getMetadata() const { return metadata_; }

private:
  Q *data_;
  Metadata *metadata_;
};
template <class Q, class Metadata> class QuarterSpan : public QuarterPointer<Q, Metadata> {
public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Q &front() const { return (*this)[0]; }
  Q &back() const { return (*this)[size_ - 1]; }
  Q *end() const { return this->begin() + size_; }

private:
  std::size_t size_;
};
template <> class Elements<quarter, true> : public QuarterSpan<quarter, MetadataType> {};
template <> class Elements<quarter, false> : public QuarterPointer<quarter, MetadataType> {};
template <>
class Elements<quarter const, true> : public QuarterSpan<quarter const, MetadataType const> {};
template <>
class Elements<quarter const, false> : public QuarterPointer<quarter const, MetadataType const> {};

/// A list of quarter edges, which share their metadata.
template <class Row, class Metadata> class QuarterRows {
public:
  Row *data() const { return rows_; }
  Row &operator[](std::size_t i) const { return rows_[i]; }
  Row *begin() const { return rows_; }
  Metadata *getMetadata() const { return rows_[0].getMetadata(); }

private:
  Row *rows_;
};
template <class Row, class Metadata> class QuarterRowSpan : public QuarterRows<Row, Metadata> {
public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Row *end() const { return this->begin() + size_; }

private:
  std::size_t size_;
};
#define POP_QUARTER_ROWS(EDGE, METADATA)                                                           \
  template <poplar::VectorLayout L, unsigned A, bool I>                                            \
  class Elements<poplar::EDGE<poplar::Vector<quarter, L, A, I>>, true>                             \
      : public QuarterRowSpan<poplar::EDGE<poplar::Vector<quarter, L, A, I>>, METADATA> {};        \
  template <poplar::VectorLayout L, unsigned A, bool I>                                            \
  class Elements<poplar::EDGE<poplar::Vector<quarter, L, A, I>>, false>                            \
      : public QuarterRows<poplar::EDGE<poplar::Vector<quarter, L, A, I>>, METADATA> {}
POP_QUARTER_ROWS(Input, MetadataType const);
POP_QUARTER_ROWS(Output, MetadataType);
POP_QUARTER_ROWS(InOut, MetadataType);
#undef POP_QUARTER_ROWS

} // namespace field
} // namespace cottonwood

#endif
