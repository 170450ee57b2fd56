#include <bench/poplin/Bed.hpp>
#include <bench/poplin/Ours.hpp>
#include <bench/popops/RawArrayOp.hpp>

#include <poplar/Engine.hpp>
#include <poplar/impl/base/Half.hpp>
#include <poplin/codelets.hpp>
#include <popnn/codelets.hpp>
#include <popops/codelets.hpp>
#include <poprand/codelets.hpp>
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

template <class T, class Convert>
void writeAs(Engine &engine, char const *name, std::vector<float> const &values, Convert convert) {
  std::vector<T> converted(values.size());
  std::transform(values.begin(), values.end(), converted.begin(), convert);
  engine.writeTensor(name, converted.data(), converted.data() + converted.size());
}

void write(Engine &engine, char const *name, std::vector<float> const &values, Element element) {
  if (values.empty())
    return;
  if (element == Element::HALF)
    writeAs<std::uint16_t>(engine, name, values,
                           [](float value) { return base::floatToHalf(value); });
  else if (element == Element::INT)
    writeAs<int>(engine, name, values, [](float value) { return static_cast<int>(value); });
  else
    engine.writeTensor(name, values.data(), values.data() + values.size());
}

template <class T, class Convert>
std::vector<double> readAs(Engine &engine, char const *name, std::size_t size, Convert convert) {
  std::vector<T> values(size);
  engine.readTensor(name, values.data(), values.data() + values.size());
  std::vector<double> sample;
  for (std::size_t position : samplePositions(size))
    sample.push_back(convert(values[position]));
  return sample;
}

/// Elements at samplePositions.
std::vector<double> read(Engine &engine, char const *name, std::size_t size, Element element) {
  if (element == Element::HALF)
    return readAs<std::uint16_t>(engine, name, size,
                                 [](std::uint16_t value) { return base::halfToFloat(value); });
  if (element == Element::INT)
    return readAs<int>(engine, name, size, [](int value) { return value; });
  return readAs<float>(engine, name, size, [](float value) { return value; });
}

} // namespace

Tensor Bed::plain(Type const &type, std::vector<std::size_t> const &shape, char const *name) {
  Tensor const tensor = graph.addVariable(type, shape, name);
  ::poputil::mapTensorLinearly(graph, tensor);
  return tensor;
}

struct Ours::Loaded {
  Loaded(Problem const &wanted, OptionFlags const &options) : problem(wanted) {
    if (ArrayOp const *const op = arrayOpOf(problem); op && op->raw) {
      raw.emplace(*op);
      return;
    }
    ::popops::addCodelets(bed.graph);
    ::popnn::addCodelets(bed.graph);
    ::poplin::addCodelets(bed.graph);
    ::poprand::addCodelets(bed.graph);
    with(problem, [&](auto const &p) { build(bed, p, options); });
  }

  /// Compiled anew for every batch size: a Repeat's count is part of the program. Operations over
  /// arrays are calls of their own, as a program makes them.
  void load(unsigned batch, unsigned threads) {
    bool const calls = arrayOpOf(problem);
    runs = calls ? batch : 1;
    if (raw || (calls && engine))
      return;
    unsigned const count = calls ? 1 : batch;
    engine.emplace(bed.graph,
                   std::vector<Program>{bed.arrange, bed.once,
                                        count == 1 ? Program(bed.once) : Repeat(count, bed.once)},
                   OptionFlags{{"engine.numThreads", std::to_string(threads)}});
    engine->load(bed.device);
    writeOperands();
    engine->run(ARRANGE);
  }

  void writeOperands() {
    if (raw) {
      raw->write();
      return;
    }
    write(*engine, "a", valuesOfA(problem), elementOfA(problem));
    write(*engine, "b", valuesOfB(problem), elementOfA(problem));
  }

  Problem problem;
  Bed bed;
  std::optional<Engine> engine;
  std::optional<RawArrayOp> raw; ///< instead of a program
  unsigned runs = 1;             ///< of LOOP, in a batch
};

Ours::Ours(unsigned threads, std::string name, OptionFlags options)
    : threads_(threads), name_(std::move(name)), options_(std::move(options)) {}
Ours::~Ours() = default;

pid_t Ours::process() const { return getpid(); }

Result Ours::result() const {
  return loaded_ && elementOfC(loaded_->problem) == Element::HALF ? Result::HALF : Result::FLOAT;
}

bool Ours::prepare(Problem const &problem) {
  loaded_.reset(); // its memory first
  elsewhere_.move();
  loaded_ = std::make_unique<Loaded>(problem, options_);
  loaded_->load(1, threads_);
  return true;
}

std::vector<double> Ours::sample() {
  Problem const &problem = loaded_->problem;
  if (isInPlace(problem)) // earlier runs have changed it
    loaded_->writeOperands();
  if (loaded_->raw) {
    loaded_->raw->run(1);
    return loaded_->raw->sample();
  }
  loaded_->engine->run(ONCE);
  return read(*loaded_->engine, "c", sizeOfC(problem), elementOfC(problem));
}

void Ours::setBatch(unsigned count) { loaded_->load(count, threads_); }

double Ours::runBatch() {
  auto const timed = [](auto &&once, auto &&all) {
    once();
    auto const start = std::chrono::steady_clock::now();
    all();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  unsigned const runs = loaded_->runs;
  if (loaded_->raw)
    return timed([&] { loaded_->raw->run(1); }, [&] { loaded_->raw->run(runs); });
  Engine &engine = *loaded_->engine;
  return timed([&] { engine.run(ONCE); },
               [&] {
                 for (unsigned i = 0; i < runs; ++i)
                   engine.run(LOOP);
               });
}

} // namespace cottonwood::bench
