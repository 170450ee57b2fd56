// Body of PrintFormat.hpp.
#pragma once

#include <poplar/impl/engine/PrintFormat.hpp>

#include <poplar/impl/base/Half.hpp>
#include <poplar/impl/base/QuarterBits.hpp>
#include <poplar/impl/base/TypeInfo.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <numeric>
#include <vector>

namespace cottonwood::engine::detail {

using poplar::PrintTensorFmt;

template <class T> T loadAs(std::byte const *data, std::size_t i) {
  T value;
  std::memcpy(&value, data + i * sizeof(T), sizeof value);
  return value;
}

/// Element i of `count`.
POP_INLINE double floatElement(poplar::Type type, std::byte const *data, std::size_t i,
                               std::size_t count) {
  if (type == poplar::HALF)
    return static_cast<double>(base::halfToFloat(loadAs<std::uint16_t>(data, i)));
  if (type == poplar::QUARTER)
    return base::quarterToDouble(loadAs<std::uint8_t>(data, i),
                                 poplar::QuarterMetadata(loadAs<unsigned char>(data, count)));
  return static_cast<double>(loadAs<float>(data, i));
}

POP_INLINE std::string integerElement(poplar::Type type, std::byte const *data, std::size_t i) {
  base::TypeInfo const &info = base::typeInfo(type);
  switch (info.size) {
  case 1:
    return info.isSigned ? std::to_string(loadAs<std::int8_t>(data, i))
                         : std::to_string(loadAs<std::uint8_t>(data, i));
  case 2:
    return info.isSigned ? std::to_string(loadAs<std::int16_t>(data, i))
                         : std::to_string(loadAs<std::uint16_t>(data, i));
  case 4:
    return info.isSigned ? std::to_string(loadAs<std::int32_t>(data, i))
                         : std::to_string(loadAs<std::uint32_t>(data, i));
  default:
    return info.isSigned ? std::to_string(loadAs<std::int64_t>(data, i))
                         : std::to_string(loadAs<std::uint64_t>(data, i));
  }
}

/// How all floating-point elements of one tensor are written.
struct FloatStyle {
  PrintTensorFmt::FloatFormat format = PrintTensorFmt::FloatFormat::None;
  int decimals = 6;
};

/// Magnitudes that decide the style.
struct Magnitudes {
  double largest = 0, smallest = 0; ///< of finite elements other than zero
};

POP_INLINE FloatStyle chooseStyle(PrintTensorFmt const &format, Magnitudes const &magnitudes) {
  using Format = PrintTensorFmt::FloatFormat;
  int const digits = static_cast<int>(std::min(format.digits(), 64u));
  if (digits == 0 || format.floatFormat() == Format::None)
    return {};
  Format chosen = format.floatFormat();
  // As widely used array printers do: fixed while every value keeps enough digits beside the
  // largest.
  if (chosen == Format::Auto)
    chosen =
        magnitudes.largest >= std::pow(10.0, digits) ||
                (magnitudes.smallest > 0 && magnitudes.smallest < std::pow(10.0, -(digits / 2)))
            ? Format::Scientific
            : Format::Fixed;
  if (chosen == Format::Scientific)
    return {chosen, digits - 1};
  int const integerDigits = magnitudes.largest < 10
                                ? 1
                                : static_cast<int>(std::floor(std::log10(magnitudes.largest))) + 1;
  return {chosen, std::max(1, digits - integerDigits)};
}

POP_INLINE std::string floatText(double value, FloatStyle const &style) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char const *const pattern = style.format == PrintTensorFmt::FloatFormat::Fixed        ? "%.*f"
                              : style.format == PrintTensorFmt::FloatFormat::Scientific ? "%.*e"
                                                                                        : "%.*g";
  int const length = std::snprintf(nullptr, 0, pattern, style.decimals, value);
  std::string text(static_cast<std::size_t>(length) + 1, '\0');
  std::snprintf(text.data(), text.size(), pattern, style.decimals, value);
  text.pop_back();
  return text;
}

class TensorPrinter {
public:
  TensorPrinter(poplar::Type type, std::span<std::size_t const> shape, std::byte const *data,
                PrintTensorFmt const &format)
      : type_(type), shape_(shape), data_(data), format_(format) {
    count_ = std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
    summarise_ = format.summariseThreshold() != 0 && count_ > format.summariseThreshold();
  }
  std::string text();

private:
  void measure();
  void level(std::size_t dim, std::size_t first);
  void row(std::size_t first);
  /// f(i) for the entries of a dimension that are shown; gap() where some are left out.
  template <class F, class Gap> void entries(std::size_t dim, F &&f, Gap &&gap) const;
  template <class F> void forEachShown(std::size_t dim, std::size_t first, F &&f) const;
  std::string element(std::size_t i) const {
    return base::typeInfo(type_).isFloat ? floatText(floatElement(type_, data_, i, count_), style_)
                                         : integerElement(type_, data_, i);
  }

  poplar::Type type_;
  std::span<std::size_t const> shape_;
  std::byte const *data_;
  PrintTensorFmt format_;
  std::size_t count_ = 0;
  bool summarise_ = false;
  FloatStyle style_;
  std::size_t width_ = 0;
  std::string out_;
};

template <class F, class Gap> void TensorPrinter::entries(std::size_t dim, F &&f, Gap &&gap) const {
  std::size_t const size = shape_[dim], edge = format_.edgeItems();
  bool const cut = summarise_ && size > 2 * edge;
  for (std::size_t i = 0; i < size; ++i) {
    if (cut && i == edge) {
      gap();
      i = size - edge;
      if (i == size)
        break;
    }
    f(i);
  }
}

template <class F>
void TensorPrinter::forEachShown(std::size_t dim, std::size_t first, F &&f) const {
  if (dim == shape_.size())
    return f(first);
  entries(
      dim, [&](std::size_t i) { forEachShown(dim + 1, first * shape_[dim] + i, f); }, [] {});
}

/// One style and one width for the whole tensor, as far as it is shown.
POP_INLINE void TensorPrinter::measure() {
  if (base::typeInfo(type_).isFloat) {
    Magnitudes magnitudes;
    forEachShown(0, 0, [&](std::size_t i) {
      double const value = std::abs(floatElement(type_, data_, i, count_));
      if (!std::isfinite(value) || value == 0)
        return;
      magnitudes.largest = std::max(magnitudes.largest, value);
      magnitudes.smallest = magnitudes.smallest == 0 ? value : std::min(magnitudes.smallest, value);
    });
    style_ = chooseStyle(format_, magnitudes);
  }
  bool const aligned =
      format_.digits() != 0 && format_.floatFormat() != PrintTensorFmt::FloatFormat::None;
  if (aligned)
    forEachShown(0, 0, [&](std::size_t i) { width_ = std::max(width_, element(i).size()); });
}

POP_INLINE void TensorPrinter::row(std::size_t first) {
  std::size_t const depth = shape_.size() - 1; // blanks before the row's bracket
  std::size_t column = depth + 1, inLine = 0;
  bool begun = false;
  out_ += format_.openBracket();
  auto const item = [&](std::string const &text) {
    if (begun) {
      out_ += format_.separator();
      ++column;
    }
    // The separator stays at the end of a broken line; one character is left for what follows.
    if (inLine != 0 && format_.maxLineWidth() != 0 &&
        column + text.size() + 1 > format_.maxLineWidth()) {
      out_ += '\n';
      out_.append(depth + 2, ' ');
      column = depth + 2;
      inLine = 0;
    }
    out_ += text;
    column += text.size();
    begun = true;
    ++inLine;
  };
  entries(
      depth,
      [&](std::size_t i) {
        std::string const text = element(first * shape_[depth] + i);
        item(std::string(width_ > text.size() ? width_ - text.size() : 0, ' ') + text);
      },
      [&] { item("..."); });
  out_ += format_.closeBracket();
}

POP_INLINE void TensorPrinter::level(std::size_t dim, std::size_t first) {
  if (dim + 1 == shape_.size())
    return row(first);
  out_ += format_.openBracket();
  out_ += '\n';
  entries(
      dim,
      [&](std::size_t i) {
        out_.append(dim + 1, ' ');
        level(dim + 1, first * shape_[dim] + i);
        out_ += '\n';
      },
      [&] {
        out_.append(dim + 1, ' ');
        out_ += "...\n";
      });
  out_.append(dim, ' ');
  out_ += format_.closeBracket();
}

POP_INLINE std::string TensorPrinter::text() {
  if (count_ == 0)
    return {format_.openBracket(), format_.closeBracket()};
  measure();
  if (shape_.empty())
    return element(0);
  level(0, 0);
  return out_;
}

} // namespace cottonwood::engine::detail

namespace cottonwood::engine {

POP_INLINE std::string tensorText(poplar::Type type, std::span<std::size_t const> shape,
                                  std::byte const *data, poplar::PrintTensorFmt const &format) {
  return detail::TensorPrinter(type, shape, data, format).text();
}

} // namespace cottonwood::engine
