// What the engine costs beside the vertices.
#include <bench/Family.hpp>
#include <bench/Limits.hpp>
#include <bench/Statistics.hpp>
#include <bench/poplar/BusyCore.hpp>
#include <bench/poplar/Vertices.hpp>

#include <poplar/Device.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

POPLAR_VERTEX(benchVertices::AddThree, a, b, c, out)
POPLAR_VERTEX(benchVertices::Increment, x)
POPLAR_VERTEX(benchVertices::Work, x, steps)

namespace cottonwood::bench {
namespace {

using namespace poplar;
using namespace poplar::program;
using Clock = std::chrono::steady_clock;

constexpr unsigned TURNS = 1'000'000;
constexpr unsigned WORK_TURNS = 1'000; // 5 ms: short enough to be undisturbed now and then
constexpr unsigned WORK_RUNS = 10;
constexpr double WORK_SECONDS = 5e-6;
constexpr unsigned BUSY_RUNS = 20'000;
constexpr double BUSY_SECONDS = 20e-6;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A CPU device and a graph for it.
struct Bed {
  Device device = Device::createCPUDevice();
  Graph graph{device.getTarget()};

  Tensor variable(Type const &type, std::vector<std::size_t> const &shape, char const *name) {
    Tensor const t = graph.addVariable(type, shape, name);
    graph.setTileMapping(t, 0);
    return t;
  }

  std::unique_ptr<Engine> load(Program const &program, unsigned threads) {
    auto engine = std::make_unique<Engine>(
        graph, program, OptionFlags{{"engine.numThreads", std::to_string(threads)}});
    engine->load(device);
    engine->run();
    return engine;
  }
};

/// Seconds of one of `turns` equal turns in each iteration.
benchmark::Counter perTurn(double turns) {
  return {turns, benchmark::Counter::Flags(benchmark::Counter::kIsIterationInvariantRate |
                                           benchmark::Counter::kInvert)};
}

/// An engine that repeats a compute set of `count` Increments.
std::unique_ptr<Engine> incrementLoop(unsigned count, unsigned threads) {
  Bed bed;
  Tensor const x = bed.variable(UNSIGNED_INT, {count}, "x");
  ComputeSet const cs = bed.graph.addComputeSet("increment");
  for (unsigned i = 0; i < count; ++i)
    bed.graph.setTileMapping(bed.graph.addVertex(cs, "benchVertices::Increment", {{"x", x[i]}}), 0);
  return bed.load(Repeat(TURNS / count, Execute(cs)), threads);
}

/// The time of a turn for one vertex; for many, the time of each.
LimitCase incrementCase(unsigned count, LimitRow const &row) {
  return {{row}, [count, row](benchmark::State &state) {
            auto const engine = incrementLoop(count, 1);
            for (auto _ : state)
              engine->run();
            state.counters[row.name] = perTurn(TURNS);
          }};
}

/// Seconds of one chain of `steps`, without an engine: the best of a few batches.
double chainSeconds(unsigned steps) {
  double best = 1;
  unsigned value = 1;
  for (int batch = 0; batch < 5; ++batch) {
    Clock::time_point const start = Clock::now();
    for (int i = 0; i < 200; ++i)
      benchmark::DoNotOptimize(value = benchVertices::chain(value, steps));
    best = std::min(best, secondsSince(start) / 200);
  }
  return best;
}

/// An engine that executes a compute set of `count` vertices of `steps` each, `turns` times.
std::unique_ptr<Engine> workLoop(unsigned count, unsigned steps, unsigned threads, unsigned turns) {
  Bed bed;
  // A cache line each, as primitives lay out what different threads write.
  Tensor const x = bed.variable(UNSIGNED_INT, {count, 16}, "x");
  ComputeSet const cs = bed.graph.addComputeSet("work");
  for (unsigned i = 0; i < count; ++i)
    bed.graph.setTileMapping(
        bed.graph.addVertex(cs, "benchVertices::Work", {{"x", x[i][0]}, {"steps", steps}}), 0);
  return bed.load(Repeat(turns, Execute(cs)), threads);
}

double secondsOfRun(Engine &engine) {
  Clock::time_point const start = Clock::now();
  engine.run();
  return secondsSince(start);
}

/// Two 5-us vertices on two threads: a turn, and what it takes beyond the vertex alone, whose time
/// is measured side by side because the clock drifts.
void twoWorkers(benchmark::State &state) {
  auto const steps = static_cast<unsigned>(WORK_SECONDS / (chainSeconds(10'000) / 10'000));
  auto const engine = workLoop(2, steps, 2, WORK_TURNS);
  double turn = 1, over = 1;
  for (auto _ : state) {
    double const alone = chainSeconds(steps);
    for (unsigned i = 0; i < WORK_RUNS; ++i) {
      double const seconds = secondsOfRun(*engine) / WORK_TURNS;
      turn = std::min(turn, seconds);
      over = std::min(over, seconds - alone);
    }
  }
  state.counters["two-5us-vertices/turn"] = turn;
  state.counters["two-5us-vertices/over-the-longer"] = over;
}

/// Two vertices of 20 us on two threads, one of whose cores another process keeps busy: medians of
/// single runs, beside those of one thread on the free core.
void besideBusyCore(benchmark::State &state) {
  auto const steps = static_cast<unsigned>(BUSY_SECONDS / (chainSeconds(10'000) / 10'000));
  auto const one = workLoop(2, steps, 1, 1), two = workLoop(2, steps, 2, 1);
  std::vector<double> ofOne, ofTwo;
  for (auto _ : state) {
    BusyCore const busy;
    for (unsigned i = 0; i < BUSY_RUNS; ++i) {
      ofOne.push_back(secondsOfRun(*one));
      ofTwo.push_back(secondsOfRun(*two));
    }
  }
  double const alone = quartiles(ofOne).median, shared = quartiles(ofTwo).median;
  state.counters["busy-core/one-thread"] = alone;
  state.counters["busy-core/two-threads"] = shared;
  state.counters["busy-core/speed-of-two"] = alone / shared;
}

void emptyRun(benchmark::State &state) {
  Bed bed;
  auto const engine = bed.load(Sequence(), 1);
  for (auto _ : state)
    engine->run();
}

void copyOfOne(benchmark::State &state) {
  Bed bed;
  Tensor const x = bed.variable(FLOAT, {1}, "x"), y = bed.variable(FLOAT, {1}, "y");
  auto const engine = bed.load(Repeat(TURNS, Sequence({Copy(x, y), Copy(y, x)})), 1);
  for (auto _ : state)
    engine->run();
  state.counters["copy/one-element"] = perTurn(2.0 * TURNS);
}

/// A callback that only counts.
class Counting : public StreamCallback {
public:
  explicit Counting(unsigned &count) : count_(count) {}
  Result prefetch(void *) override { return Result::NotAvailable; }
  void fetch(void *) override { ++count_; }
  void complete() override {}

private:
  unsigned &count_;
};

void streamIn(benchmark::State &state) {
  Bed bed;
  unsigned count = 0;
  Tensor const x = bed.variable(FLOAT, {1}, "x");
  DataStream const stream = bed.graph.addHostToDeviceFIFO("in", FLOAT, 1);
  Engine engine(bed.graph, Repeat(TURNS / 10, Copy(stream, x)));
  engine.connectStreamToCallback("in", std::make_unique<Counting>(count));
  engine.load(bed.device);
  for (auto _ : state)
    engine.run();
  benchmark::DoNotOptimize(count);
  state.counters["stream/callback-one-element"] = perTurn(TURNS / 10);
}

void hostWrite(benchmark::State &state) {
  Bed bed;
  Tensor const x = bed.variable(FLOAT, {1}, "x");
  bed.graph.createHostWrite("x", x);
  auto const engine = bed.load(Sequence(), 1);
  float const value = 1;
  for (auto _ : state)
    engine->writeTensor("x", &value, &value + 1);
}

} // namespace

int runBusyCore(Arguments const &arguments) {
  if (arguments.workers < 2)
    throw UsageError("--busy-core needs 2 threads or more");
  LimitCase const busy{{{"busy-core/one-thread", "us", {}},
                        {"busy-core/two-threads", "us", {}},
                        {"busy-core/speed-of-two", "x", 1 / 1.3}},
                       besideBusyCore,
                       Set::Smoke,
                       1,
                       0};
  return runLimitCases({&busy, 1}, Set::Smoke);
}

int runEngine(Arguments const &arguments) {
  if (arguments.busyCore)
    return runBusyCore(arguments);
  std::vector<LimitCase> cases = {incrementCase(1, {"repeat/one-trivial-vertex", "us", 0.3})};
  if (arguments.workers >= 2)
    cases.push_back(
        {{{"two-5us-vertices/turn", "us", {}}, {"two-5us-vertices/over-the-longer", "us", 0.8}},
         twoWorkers});
  else
    std::fprintf(stderr, "poplar-bench: two-5us-vertices needs 2 threads, left out\n");
  cases.push_back(incrementCase(1000, {"repeat/one-of-1000-vertices", "ns", 20}));
  cases.push_back({{{"run/empty-program", "us", 1}}, emptyRun});
  cases.push_back({{{"copy/one-element", "us", 0.1}}, copyOfOne});
  cases.push_back({{{"stream/callback-one-element", "us", 0.3}}, streamIn});
  cases.push_back({{{"host/write-one-element", "us", 1}}, hostWrite});
  return runLimitCases(cases, arguments.set);
}

} // namespace cottonwood::bench
