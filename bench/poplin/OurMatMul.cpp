#include <bench/poplin/OurMatMul.hpp>

#include <poplar/Device.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/impl/base/Half.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include <unistd.h>

namespace cottonwood::bench {
namespace {

using namespace poplar;
using namespace poplar::program;

enum Programs : unsigned { ARRANGE, ONCE, LOOP };

/// [batch, rows, columns] as stored; a view of the transpose if that is how it is stored.
Tensor operand(Graph &graph, Product const &product, std::size_t rows, std::size_t columns,
               bool transposed, char const *name) {
  Type const &type = product.half ? HALF : FLOAT;
  if (transposed)
    std::swap(rows, columns);
  Tensor const stored = graph.addVariable(type, {product.batch, rows, columns}, name);
  ::poputil::mapTensorLinearly(graph, stored);
  graph.createHostWrite(name, stored);
  return transposed ? stored.dimShuffle({0, 2, 1}) : stored;
}

void write(Engine &engine, char const *name, std::vector<float> const &values, bool half) {
  if (!half) {
    engine.writeTensor(name, values.data(), values.data() + values.size());
    return;
  }
  std::vector<std::uint16_t> bits(values.size());
  std::transform(values.begin(), values.end(), bits.begin(), base::floatToHalf);
  engine.writeTensor(name, bits.data(), bits.data() + bits.size());
}

} // namespace

struct OurMatMul::Bed {
  explicit Bed(Product const &wanted) : product(wanted), graph(device.getTarget()) {
    ::popops::addCodelets(graph);
    ::poplin::addCodelets(graph);
    Tensor const a = operand(graph, product, product.m, product.k, product.transposedA, "a");
    Tensor b = operand(graph, product, product.k, product.n, product.transposedB, "b");
    OptionFlags options;
    if (product.constantB) {
      options = {{"fullyConnectedPass", "INFERENCE_FWD"}, {"inputRHSIsPreArranged", "true"}};
      b = ::poplin::preArrangeMatMulGroupedInputRHS(graph, a.shape(), b, arrange, a.elementType(),
                                                    "b", options);
    }
    c = product.batch == 1
            ? ::poplin::matMul(graph, a[0], b[0], once, a.elementType(), "c", options).expand({0})
            : ::poplin::matMulGrouped(graph, a, b, once, a.elementType(), "c", options);
    graph.createHostRead("c", c);
  }

  /// Compiled anew for every batch size: a Repeat's count is part of the program.
  void load(unsigned count, unsigned threads) {
    engine.emplace(graph, std::vector<Program>{arrange, once, Repeat(count, once)},
                   OptionFlags{{"engine.numThreads", std::to_string(threads)}});
    engine->load(device);
    write(*engine, "a", valuesOfA(product), product.half);
    write(*engine, "b", valuesOfB(product), product.half);
    engine->run(ARRANGE);
  }

  Product product;
  Device device = Device::createCPUDevice();
  Graph graph;
  Sequence arrange, once;
  Tensor c;
  std::optional<Engine> engine;
};

OurMatMul::OurMatMul(unsigned threads) : threads_(threads) {}
OurMatMul::~OurMatMul() = default;

pid_t OurMatMul::process() const { return getpid(); }
bool OurMatMul::givesHalf() const { return bed_ && bed_->product.half; }

bool OurMatMul::prepare(Product const &product) {
  bed_.reset(); // its memory first
  bed_ = std::make_unique<Bed>(product);
  bed_->load(1, threads_);
  return true;
}

std::vector<double> OurMatMul::sample() {
  Product const &product = bed_->product;
  bed_->engine->run(ONCE);
  std::vector<float> c(product.sizeC());
  if (product.half) {
    std::vector<std::uint16_t> bits(c.size());
    bed_->engine->readTensor("c", bits.data(), bits.data() + bits.size());
    std::transform(bits.begin(), bits.end(), c.begin(), base::halfToFloat);
  } else {
    bed_->engine->readTensor("c", c.data(), c.data() + c.size());
  }
  std::vector<double> values;
  for (std::size_t position : samplePositions(product))
    values.push_back(c[position]);
  return values;
}

void OurMatMul::setBatch(unsigned count) { bed_->load(count, threads_); }

double OurMatMul::runBatch() {
  bed_->engine->run(ONCE);
  auto const start = std::chrono::steady_clock::now();
  bed_->engine->run(LOOP);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace cottonwood::bench
