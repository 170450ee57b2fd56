#include <bench/poplin/Bed.hpp>

#include <poplin/MatMul.hpp>

#include <sstream>
#include <utility>

namespace cottonwood::bench {
namespace {

using namespace poplar;

/// [batch, rows, columns] as stored; a view of the transpose if that is how it is stored.
Tensor operand(Bed &bed, Product const &product, std::size_t rows, std::size_t columns,
               bool transposed, char const *name) {
  if (transposed)
    std::swap(rows, columns);
  Tensor const stored = bed.plain(bed.typeOf(product.half), {product.batch, rows, columns}, name);
  bed.graph.createHostWrite(name, stored);
  return transposed ? stored.dimShuffle({0, 2, 1}) : stored;
}

OptionFlags optionsOf(Product const &product, OptionFlags options) {
  if (product.halfPartials)
    options.set("partialsType", "half");
  return options;
}

} // namespace

void build(Bed &bed, Product const &product, OptionFlags options) {
  options = optionsOf(product, options);
  Tensor const a = operand(bed, product, product.m, product.k, product.transposedA, "a");
  Tensor b = operand(bed, product, product.k, product.n, product.transposedB, "b");
  Type const type = a.elementType();
  if (product.constantB) {
    options.set({{"fullyConnectedPass", "INFERENCE_FWD"}, {"inputRHSIsPreArranged", "true"}});
    b = ::poplin::preArrangeMatMulGroupedInputRHS(bed.graph, a.shape(), b, bed.arrange, type, "b",
                                                  options);
  }
  Tensor const c = product.batch == 1
                       ? ::poplin::matMul(bed.graph, a[0], b[0], bed.once, type, "c", options)
                       : ::poplin::matMulGrouped(bed.graph, a, b, bed.once, type, "c", options);
  bed.graph.createHostRead("c", c);
}

std::string planReportOf(Product const &p, OptionFlags const &options) {
  Bed const bed;
  Type const type = bed.typeOf(p.half);
  std::ostringstream text;
  ::poplin::matMulGroupedReportPlan(text, bed.graph, type, type, {p.batch, p.m, p.k},
                                    {p.batch, p.k, p.n}, optionsOf(p, options));
  return text.str();
}

} // namespace cottonwood::bench
