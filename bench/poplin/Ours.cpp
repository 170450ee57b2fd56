#include <bench/poplin/Bed.hpp>
#include <bench/poplin/Ours.hpp>

#include <poplar/Engine.hpp>
#include <poplar/impl/base/Half.hpp>
#include <poplin/codelets.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include <unistd.h>

namespace cottonwood::bench {
namespace {

using namespace poplar;
using namespace poplar::program;

enum Programs : unsigned { ARRANGE, ONCE, LOOP };

void write(Engine &engine, char const *name, std::vector<float> const &values, bool half) {
  if (!half) {
    engine.writeTensor(name, values.data(), values.data() + values.size());
    return;
  }
  std::vector<std::uint16_t> bits(values.size());
  std::transform(values.begin(), values.end(), bits.begin(),
                 [](float value) { return base::floatToHalf(value); });
  engine.writeTensor(name, bits.data(), bits.data() + bits.size());
}

std::vector<float> read(Engine &engine, char const *name, std::size_t size, bool half) {
  std::vector<float> values(size);
  if (!half) {
    engine.readTensor(name, values.data(), values.data() + values.size());
    return values;
  }
  std::vector<std::uint16_t> bits(size);
  engine.readTensor(name, bits.data(), bits.data() + bits.size());
  std::transform(bits.begin(), bits.end(), values.begin(),
                 [](std::uint16_t value) { return base::halfToFloat(value); });
  return values;
}

} // namespace

Tensor Bed::plain(Type const &type, std::vector<std::size_t> const &shape, char const *name) {
  Tensor const tensor = graph.addVariable(type, shape, name);
  ::poputil::mapTensorLinearly(graph, tensor);
  return tensor;
}

struct Ours::Loaded {
  Loaded(Problem const &wanted, OptionFlags const &options) : problem(wanted) {
    ::popops::addCodelets(bed.graph);
    ::poplin::addCodelets(bed.graph);
    with(problem, [&](auto const &p) { build(bed, p, options); });
  }

  /// Compiled anew for every batch size: a Repeat's count is part of the program.
  void load(unsigned count, unsigned threads) {
    engine.emplace(bed.graph, std::vector<Program>{bed.arrange, bed.once, Repeat(count, bed.once)},
                   OptionFlags{{"engine.numThreads", std::to_string(threads)}});
    engine->load(bed.device);
    write(*engine, "a", valuesOfA(problem), isHalf(problem));
    write(*engine, "b", valuesOfB(problem), isHalf(problem));
    engine->run(ARRANGE);
  }

  Problem problem;
  Bed bed;
  std::optional<Engine> engine;
};

Ours::Ours(unsigned threads, std::string name, OptionFlags options)
    : threads_(threads), name_(std::move(name)), options_(std::move(options)) {}
Ours::~Ours() = default;

pid_t Ours::process() const { return getpid(); }

Result Ours::result() const {
  return loaded_ && isHalf(loaded_->problem) ? Result::HALF : Result::FLOAT;
}

bool Ours::prepare(Problem const &problem) {
  loaded_.reset(); // its memory first
  loaded_ = std::make_unique<Loaded>(problem, options_);
  loaded_->load(1, threads_);
  return true;
}

std::vector<double> Ours::sample() {
  Problem const &problem = loaded_->problem;
  loaded_->engine->run(ONCE);
  auto const c = read(*loaded_->engine, "c", sizeOfC(problem), isHalf(problem));
  std::vector<double> values;
  for (std::size_t position : samplePositions(c.size()))
    values.push_back(c[position]);
  return values;
}

void Ours::setBatch(unsigned count) { loaded_->load(count, threads_); }

double Ours::runBatch() {
  loaded_->engine->run(ONCE);
  auto const start = std::chrono::steady_clock::now();
  loaded_->engine->run(LOOP);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace cottonwood::bench
