// oneDNN: its matmul primitive, plain and with packed weights, and its sgemm.
#include <bench/peers/OneDnn.hpp>

#include <memory>

namespace cottonwood::bench {
namespace {

using Memory = dnnl::memory;
using Dims = Memory::dims;

/// [rows, columns], or [batch, rows, columns], as stored.
Memory::desc descOf(Product const &p, std::size_t rows, std::size_t columns, bool transposed) {
  Memory::dim const r = dim(rows), c = dim(columns);
  Memory::dim const rowStep = transposed ? 1 : c, columnStep = transposed ? r : 1;
  auto const type = Memory::data_type::f32;
  if (p.batch == 1)
    return {Dims{r, c}, type, Dims{rowStep, columnStep}};
  return {Dims{dim(p.batch), r, c}, type, Dims{r * c, rowStep, columnStep}};
}

/// A primitive with its operands.
struct MatMul {
  dnnl::stream stream{engine()};
  dnnl::matmul primitive;
  Memory a, b, c;

  MatMul(Product const &p, Operands const &o, bool packed) {
    auto const aDesc = descOf(p, p.m, p.k, p.transposedA);
    auto const bDesc = descOf(p, p.k, p.n, p.transposedB);
    auto const cDesc = descOf(p, p.m, p.n, false);
    auto const anyB = Memory::desc(bDesc.dims(), Memory::data_type::f32, Memory::format_tag::any);
    dnnl::matmul::primitive_desc const chosen(
        dnnl::matmul::desc(aDesc, packed ? anyB : bDesc, cDesc), engine());
    primitive = dnnl::matmul(chosen);
    a = Memory(aDesc, engine(), const_cast<float *>(o.a));
    b = Memory(bDesc, engine(), const_cast<float *>(o.b));
    c = Memory(cDesc, engine(), o.c);
    if (packed)
      pack(chosen.weights_desc());
  }

  void pack(Memory::desc const &desc) {
    Memory packedB(desc, engine());
    dnnl::reorder(b, packedB).execute(stream, b, packedB);
    stream.wait();
    b = packedB;
  }

  void run() {
    primitive.execute(stream, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}});
    stream.wait();
  }
};

Way matmulWay(Product const &p, Operands const &o, bool packed) {
  auto const matmul = std::make_shared<MatMul>(p, o, packed);
  return {packed ? "onednn(packed)" : "onednn", [matmul] { matmul->run(); }};
}

Way sgemmWay(Product const &p, Operands const &o) {
  return {"onednn(sgemm)", [p, o] {
            for (std::size_t g = 0; g < p.batch; ++g)
              dnnl::sgemm(p.transposedA ? 'T' : 'N', p.transposedB ? 'T' : 'N', dim(p.m), dim(p.n),
                          dim(p.k), 1.0F, o.a + g * p.m * p.k, dim(p.transposedA ? p.m : p.k),
                          o.b + g * p.k * p.n, dim(p.transposedB ? p.k : p.n), 0.0F,
                          o.c + g * p.m * p.n, dim(p.n));
          }};
}

} // namespace

std::string describePeer() {
  dnnl_version_t const *const version = dnnl_version();
  return "onednn " + std::to_string(version->major) + '.' + std::to_string(version->minor) + '.' +
         std::to_string(version->patch);
}

std::vector<Way> waysOfPeer(Product const &product, Operands const &operands) {
  std::vector<Way> ways = {matmulWay(product, operands, false), sgemmWay(product, operands)};
  if (product.constantB)
    ways.push_back(matmulWay(product, operands, true));
  return ways;
}

} // namespace cottonwood::bench
