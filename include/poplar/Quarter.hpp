// The format and scale of 8-bit floating point tensors.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_QUARTER_HPP
#define POPLAR_QUARTER_HPP

#include <iosfwd>
#include <string>

namespace poplar {

constexpr int QUARTER_METADATA_SCALE_BIAS_MIN = -32;
constexpr int QUARTER_METADATA_SCALE_BIAS_MAX = 31;

/// One byte: bit 7 is set for F143 (1 sign, 4 exponent and 3 fraction bits) and clear for F152;
/// bits 0 to 5 hold the scale in two's complement. A value is that of its 8 bits, times 2^scale.
class POP_API QuarterMetadata {
public:
  enum class Format { F143, F152 };

  /// F143 with scale 0.
  QuarterMetadata() noexcept : binary_(0x80) {}
  /// \throws poplar_error  the scale is not in [-32, 31].
  explicit QuarterMetadata(Format format, signed char scale);
  explicit QuarterMetadata(unsigned char binary) noexcept : binary_(binary) {}

  bool operator==(QuarterMetadata const &other) const noexcept { return binary_ == other.binary_; }
  bool operator!=(QuarterMetadata const &other) const noexcept { return binary_ != other.binary_; }

  unsigned char getBinary() const noexcept { return binary_; }
  unsigned char const *data() const noexcept { return &binary_; }
  Format getFormat() const noexcept { return (binary_ & 0x80u) != 0 ? Format::F143 : Format::F152; }
  signed char getScale() const noexcept {
    return static_cast<signed char>((static_cast<int>(binary_ & 0x3fu) ^ 0x20) - 0x20);
  }
  /// `F143 * 2^-3`
  std::string toString() const;

private:
  unsigned char binary_;
};

/// Prints toString().
POP_API std::ostream &operator<<(std::ostream &stream, QuarterMetadata const &metadata);

} // namespace poplar

#endif
