#include <bench/race/Conv.hpp>

#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace cottonwood::bench {
namespace {

constexpr std::string_view PASSES[] = {"forward", "data-gradient", "weight-gradient"};

std::string_view nameOf(Conv::Pass pass) { return PASSES[static_cast<std::size_t>(pass)]; }
std::string_view nameOf(Conv::Layout layout) {
  return layout == Conv::Layout::OWN ? "own" : "plain";
}

Conv::Pass parsePass(std::string_view text) {
  for (std::size_t i = 0; i < std::size(PASSES); ++i)
    if (text == PASSES[i])
      return static_cast<Conv::Pass>(i);
  throw std::invalid_argument("no pass");
}

/// A flat index into a row-major array of four dimensions, taken apart.
struct Place {
  std::size_t i[4];

  Place(std::size_t flat, std::size_t d1, std::size_t d2, std::size_t d3)
      : i{flat / d3 / d2 / d1, flat / d3 / d2 % d1, flat / d3 % d2, flat % d3} {}
};

/// Where the output at `y` meets the kernel at `k`: the place in the input, if it is not padding.
std::optional<std::size_t> inputAt(Conv const &c, std::size_t y, std::size_t k) {
  std::size_t const padded = y * c.stride + k;
  if (padded < c.padding() || padded - c.padding() >= c.size)
    return std::nullopt;
  return padded - c.padding();
}

/// The output that the input at `x` enters through the kernel at `k`.
std::optional<std::size_t> outputAt(Conv const &c, std::size_t x, std::size_t k) {
  std::size_t const padded = x + c.padding();
  if (padded < k || (padded - k) % c.stride != 0 || (padded - k) / c.stride >= c.outSize())
    return std::nullopt;
  return (padded - k) / c.stride;
}

/// Calls f(kernel row, kernel column, place row, place column) for all taps that `placeAt` places.
template <class PlaceAt, class F>
void forEachTap(Conv const &c, std::size_t row, std::size_t column, PlaceAt placeAt, F &&f) {
  for (std::size_t ky = 0; ky < c.kernel; ++ky)
    for (std::size_t kx = 0; kx < c.kernel; ++kx)
      if (auto const y = placeAt(c, row, ky))
        if (auto const x = placeAt(c, column, kx))
          f(ky, kx, *y, *x);
}

std::size_t weightAt(Conv const &c, std::size_t outChannel, std::size_t in, std::size_t ky,
                     std::size_t kx) {
  return ((outChannel * c.in + in) * c.kernel + ky) * c.kernel + kx;
}
std::size_t inputIndex(Conv const &c, std::size_t b, std::size_t channel, std::size_t y,
                       std::size_t x) {
  return ((b * c.groups * c.in + channel) * c.size + y) * c.size + x;
}
std::size_t outputIndex(Conv const &c, std::size_t b, std::size_t channel, std::size_t y,
                        std::size_t x) {
  return ((b * c.groups * c.out + channel) * c.outSize() + y) * c.outSize() + x;
}

using Values = std::span<float const>;

template <class Term>
void forwardTerms(Conv const &c, std::size_t position, Values input, Values weights, Term &&term) {
  auto const [b, channel, y, x] = Place(position, c.groups * c.out, c.outSize(), c.outSize()).i;
  std::size_t const first = channel / c.out * c.in;
  std::size_t const batch = b, outChannel = channel;
  forEachTap(c, y, x, inputAt, [&](auto ky, auto kx, auto inY, auto inX) {
    for (std::size_t i = 0; i < c.in; ++i)
      term(double{input[inputIndex(c, batch, first + i, inY, inX)]} *
           double{weights[weightAt(c, outChannel, i, ky, kx)]});
  });
}

template <class Term>
void dataTerms(Conv const &c, std::size_t position, Values deltas, Values weights, Term &&term) {
  auto const [b, channel, y, x] = Place(position, c.groups * c.in, c.size, c.size).i;
  std::size_t const first = channel / c.in * c.out, i = channel % c.in, batch = b;
  forEachTap(c, y, x, outputAt, [&](auto ky, auto kx, auto outY, auto outX) {
    for (std::size_t o = first; o < first + c.out; ++o)
      term(double{deltas[outputIndex(c, batch, o, outY, outX)]} *
           double{weights[weightAt(c, o, i, ky, kx)]});
  });
}

template <class Term>
void weightTerms(Conv const &c, std::size_t position, Values input, Values deltas, Term &&term) {
  auto const [channel, i, ky, kx] = Place(position, c.in, c.kernel, c.kernel).i;
  std::size_t const inChannel = channel / c.out * c.in + i;
  for (std::size_t b = 0; b < c.batch; ++b)
    for (std::size_t y = 0; y < c.outSize(); ++y)
      for (std::size_t x = 0; x < c.outSize(); ++x)
        if (auto const inY = inputAt(c, y, ky))
          if (auto const inX = inputAt(c, x, kx))
            term(double{input[inputIndex(c, b, inChannel, *inY, *inX)]} *
                 double{deltas[outputIndex(c, b, channel, y, x)]});
}

} // namespace

std::size_t Conv::sizeC() const {
  return pass == Pass::FORWARD         ? sizeOutput()
         : pass == Pass::DATA_GRADIENT ? sizeInput()
                                       : sizeWeights();
}

double Conv::bytes() const {
  return (half ? 2.0 : 4.0) * static_cast<double>(sizeInput() + sizeOutput() + sizeWeights());
}

double Conv::flops() const {
  return 2.0 * static_cast<double>(sizeOutput()) * static_cast<double>(in * kernel * kernel);
}

std::string nameOf(Conv const &c) {
  std::ostringstream text;
  bool const depthwise = c.groups > 1 && c.in == 1 && c.out == 1;
  text << nameOfType(c) << '/' << (depthwise ? "dw" : "") << c.kernel << 'x' << c.kernel;
  if (c.stride != 1)
    text << 's' << c.stride;
  text << '/';
  if (depthwise)
    text << c.groups;
  else if (c.groups > 1)
    text << c.groups << "x(" << c.in << '-' << c.out << ')';
  else
    text << c.in << '-' << c.out;
  text << '@' << c.size << "/b" << c.batch;
  if (c.pass != Conv::Pass::FORWARD)
    text << '/' << nameOf(c.pass);
  text << '/' << nameOf(c.layout);
  return text.str();
}

std::string textOf(Conv const &c) {
  std::ostringstream text;
  text << (c.halfValues ? "float-of-half" : nameOfType(c)) << ' ' << nameOf(c.pass) << ' '
       << nameOf(c.layout) << ' ' << c.batch << ' ' << c.groups << ' ' << c.in << ' ' << c.out
       << ' ' << c.size << ' ' << c.kernel << ' ' << c.stride;
  return text.str();
}

Conv parseConv(std::string const &text) try {
  std::istringstream words(text);
  std::string type, pass, layout;
  Conv c;
  words >> type >> pass >> layout >> c.batch >> c.groups >> c.in >> c.out >> c.size >> c.kernel >>
      c.stride;
  c.half = type.starts_with("half");
  c.halfValues = type == "float-of-half";
  c.halfPartials = type == "half-partials";
  c.pass = parsePass(pass);
  c.layout = layout == "plain" ? Conv::Layout::PLAIN : Conv::Layout::OWN;
  if (!words || textOf(c) != text || c.stride == 0 || c.kernel == 0 ||
      c.size + 2 * c.padding() < c.kernel)
    throw std::invalid_argument("sizes");
  return c;
} catch (std::invalid_argument const &) {
  throw std::invalid_argument("not a convolution: '" + text + "'");
}

Reference referenceOf(Conv const &conv, std::span<float const> a, std::span<float const> b) {
  Reference reference;
  for (std::size_t position : samplePositions(conv.sizeC()))
    reference.add([&](auto &&term) {
      if (conv.pass == Conv::Pass::FORWARD)
        forwardTerms(conv, position, a, b, term);
      else if (conv.pass == Conv::Pass::DATA_GRADIENT)
        dataTerms(conv, position, a, b, term);
      else
        weightTerms(conv, position, a, b, term);
    });
  return reference;
}

double allowedError(Conv const &conv, bool halfResult) {
  std::size_t const taps = conv.kernel * conv.kernel;
  std::size_t const products = conv.pass == Conv::Pass::FORWARD ? conv.in * taps
                               : conv.pass == Conv::Pass::DATA_GRADIENT
                                   ? conv.out * taps
                                   : conv.batch * conv.outSize() * conv.outSize();
  return roundingError(products, conv.halfPartials, halfResult);
}

} // namespace cottonwood::bench
