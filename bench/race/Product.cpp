#include <bench/race/Product.hpp>

#include <sstream>
#include <stdexcept>

namespace cottonwood::bench {
namespace {

std::string layoutOf(Product const &product) {
  return {product.transposedA ? 't' : 'n', product.transposedB ? 't' : 'n'};
}

} // namespace

double Product::bytes() const {
  return (half ? 2.0 : 4.0) * static_cast<double>(sizeA() + sizeB() + sizeC());
}

std::string nameOf(Product const &product) {
  std::ostringstream text;
  text << nameOfType(product) << '/';
  if (product.batch != 1)
    text << product.batch << "x(";
  text << product.m << 'x' << product.n << 'x' << product.k;
  if (product.batch != 1)
    text << ')';
  if (product.transposedA || product.transposedB)
    text << '/' << layoutOf(product);
  if (product.constantB)
    text << "/constant";
  return text.str();
}

std::string textOf(Product const &product) {
  std::ostringstream text;
  text << (product.halfValues ? "float-of-half" : nameOfType(product)) << ' ' << product.batch
       << ' ' << product.m << ' ' << product.n << ' ' << product.k << ' ' << layoutOf(product)
       << (product.constantB ? " constant" : " plain");
  return text.str();
}

Product parseProduct(std::string const &text) {
  std::istringstream words(text);
  std::string type, layout, form;
  Product product;
  words >> type >> product.batch >> product.m >> product.n >> product.k >> layout >> form;
  product.half = type.starts_with("half");
  product.halfValues = type == "float-of-half";
  product.halfPartials = type == "half-partials";
  product.transposedA = layout.starts_with('t');
  product.transposedB = layout.ends_with('t');
  product.constantB = form == "constant";
  if (!words || textOf(product) != text)
    throw std::invalid_argument("not a product: '" + text + "'");
  return product;
}

Reference referenceOf(Product const &product, std::span<float const> a, std::span<float const> b) {
  Reference reference;
  std::size_t const rowA = product.transposedA ? 1 : product.k,
                    stepA = product.transposedA ? product.m : 1;
  std::size_t const columnB = product.transposedB ? product.k : 1,
                    stepB = product.transposedB ? 1 : product.n;
  for (std::size_t position : samplePositions(product.sizeC())) {
    std::size_t const g = position / (product.m * product.n);
    std::size_t const i = position / product.n % product.m, j = position % product.n;
    reference.add([&](auto &&term) {
      for (std::size_t p = 0; p < product.k; ++p)
        term(double{a[g * product.m * product.k + i * rowA + p * stepA]} *
             double{b[g * product.k * product.n + j * columnB + p * stepB]});
    });
  }
  return reference;
}

double allowedError(Product const &product, bool halfResult) {
  return roundingError(product.k, product.halfPartials, halfResult);
}

} // namespace cottonwood::bench
