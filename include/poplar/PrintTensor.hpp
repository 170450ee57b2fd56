// How PrintTensor lays out the elements of a tensor.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_PRINTTENSOR_HPP
#define POPLAR_PRINTTENSOR_HPP

namespace poplar {

/// Text layout of a printed tensor: `[1.0000000 2.0000000]` with the default values.
class PrintTensorFmt {
public:
  /// Fixed 1.5000000, Scientific 1.5000000e+00, Auto the one that suits the values, None each value
  /// by itself.
  enum class FloatFormat { Auto = 0, Fixed = 1, Scientific = 2, None = 3 };

  /// \param summariseThreshold  tensors with more elements show only their corners; 0: never
  /// summarise \param edgeItems           entries shown at both ends of a summarised dimension
  /// \param maxLineWidth        characters after which a row is broken; 0: never break
  /// \param digits              significant digits of the largest value; 0: as FloatFormat::None
  PrintTensorFmt(unsigned summariseThreshold = 1000, unsigned edgeItems = 3,
                 unsigned maxLineWidth = 75, unsigned digits = 8,
                 FloatFormat floatFormat = FloatFormat::Auto, char separator = ' ',
                 char openBracket = '[', char closeBracket = ']')
      : summariseThreshold_(summariseThreshold), edgeItems_(edgeItems), maxLineWidth_(maxLineWidth),
        digits_(digits), floatFormat_(floatFormat), separator_(separator),
        openBracket_(openBracket), closeBracket_(closeBracket) {}

  /// No summary, no line breaks, no alignment.
  static PrintTensorFmt disableFormatting() {
    return PrintTensorFmt(0, 0, 0, 0, FloatFormat::None);
  }

  unsigned summariseThreshold() const { return summariseThreshold_; }
  unsigned edgeItems() const { return edgeItems_; }
  unsigned maxLineWidth() const { return maxLineWidth_; }
  unsigned digits() const { return digits_; }
  FloatFormat floatFormat() const { return floatFormat_; }
  char separator() const { return separator_; }
  char openBracket() const { return openBracket_; }
  char closeBracket() const { return closeBracket_; }

private:
  unsigned summariseThreshold_;
  unsigned edgeItems_;
  unsigned maxLineWidth_;
  unsigned digits_;
  FloatFormat floatFormat_;
  char separator_;
  char openBracket_;
  char closeBracket_;
};

} // namespace poplar

#endif
