// Callbacks on threads of their own (streamCallbacks.multiThreadMode = dedicated).
#include "Throws.hpp"
#include "Vertices.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>

using namespace poplar;
using namespace poplar::program;
using namespace engineTest;

namespace {

OptionFlags dedicated() { return {{"streamCallbacks.multiThreadMode", "dedicated"}}; }

/// Block b of a stream is b, b + 1, ...; some blocks are at hand, others have to be fetched. Checks
/// that its calls never overlap.
class Source : public StreamCallback {
public:
  struct Facts {
    std::atomic<int> overlaps{0}, fetched{0}, prefetched{0}, completed{0}, invalidated{0};
    std::atomic<std::thread::id> thread{};
  };
  Source(Facts &facts, std::size_t elements, unsigned refuses = 3)
      : facts_(facts), elements_(elements), refuses_(refuses) {}
  Result prefetch(void *p) override {
    Call const call(*this);
    if (refuses_ != 0 && ++asked_ % refuses_ == 0)
      return Result::NotAvailable;
    ++facts_.prefetched;
    fill(p);
    return Result::Success;
  }
  void fetch(void *p) override {
    Call const call(*this);
    ++facts_.fetched;
    fill(p);
  }
  void complete() override {
    Call const call(*this);
    ++facts_.completed;
    ++used_;
  }
  void invalidatePrefetched() override {
    Call const call(*this);
    ++facts_.invalidated;
    next_ = used_;
  }

private:
  struct Call {
    explicit Call(Source &source) : source_(source) {
      if (source.inside_.exchange(true))
        ++source.facts_.overlaps;
      source.facts_.thread = std::this_thread::get_id();
    }
    ~Call() { source_.inside_ = false; }
    Source &source_;
  };
  void fill(void *p) {
    for (std::size_t i = 0; i < elements_; ++i)
      static_cast<int *>(p)[i] = next_ + static_cast<int>(i);
    ++next_;
  }

  Facts &facts_;
  std::size_t elements_;
  unsigned refuses_, asked_ = 0;
  std::atomic<bool> inside_{false};
  int next_ = 0, used_ = 0;
};

} // namespace

TEST_SUITE("poplar/engine/stream-threads") {
  TEST_CASE("many transfers of several streams at once give the same data as on one thread") {
    onAllDevices([](Device const &device) {
      std::size_t const numStreams = 3, elements = 64;
      unsigned const turns = 150, runs = 4;
      Graph graph(device.getTarget());
      Sequence body;
      std::vector<Tensor> inputs;
      for (std::size_t s = 0; s < numStreams; ++s) {
        std::string const n = std::to_string(s);
        Tensor const x = variable(graph, INT, {elements}, "x" + n, static_cast<unsigned>(s));
        DataStream const in =
            graph.addHostToDeviceFIFO("in" + n, INT, elements, ReplicatedStreamMode::REPLICATE,
                                      {{"bufferingDepth", std::to_string(s + 1)}});
        DataStream const out = graph.addDeviceToHostFIFO("out" + n, INT, elements);
        body.add(Copy(in, x));
        body.add(countUp(graph, x[0], 1000));
        body.add(Copy(x, out));
      }
      Engine engine(graph, Repeat(turns, body), dedicated());
      Source::Facts facts[numStreams];
      std::vector<int> wrong(numStreams), blocks(numStreams); // each written on one thread
      for (std::size_t s = 0; s < numStreams; ++s) {
        std::string const n = std::to_string(s);
        engine.connectStreamToCallback("in" + n, std::make_unique<Source>(facts[s], elements));
        engine.connectStreamToCallback("out" + n, [&, s](void *p) {
          int const *const values = static_cast<int const *>(p);
          for (std::size_t i = 0; i < elements; ++i)
            wrong[s] += values[i] != blocks[s] + static_cast<int>(i) + (i == 0 ? 1000 : 0);
          ++blocks[s];
        });
      }
      engine.load(device);
      for (unsigned r = 0; r < runs; ++r)
        engine.run();
      int const total = static_cast<int>(turns * runs);
      for (std::size_t s = 0; s < numStreams; ++s) {
        CHECK(wrong[s] == 0);
        CHECK(blocks[s] == total);
        CHECK(facts[s].overlaps == 0);
        CHECK(facts[s].completed == total);
        CHECK(facts[s].prefetched > 0);
        CHECK(facts[s].fetched > 0);
        CHECK(facts[s].fetched + facts[s].prefetched <= total + static_cast<int>(s + 1));
        CHECK(facts[s].thread.load() != std::this_thread::get_id());
      }
      // What was asked for ahead is given back, and comes again.
      int const before = facts[2].invalidated;
      engine.load(device);
      CHECK(facts[2].invalidated >= before);
      engine.run(0, "", RuntimeOptions({{"streamCallbacks.multiThreadMode", "singleThread"}}));
      for (std::size_t s = 0; s < numStreams; ++s) {
        CHECK(wrong[s] == 0);
        CHECK(facts[s].thread.load() == std::this_thread::get_id());
      }
    });
  }

  TEST_CASE("prefetching goes on while the program computes") {
    Device const device = Device::createCPUDevice();
    Graph graph(device.getTarget());
    Tensor const x = variable(graph, INT, {1}, "x");
    DataStream const in = graph.addHostToDeviceFIFO("in", INT, 1);
    HostFunction const compute = graph.addHostFunction("compute", {}, {});
    Engine engine(graph, Sequence({Copy(in, x), Call(compute, {}, {}), Copy(in, x)}), dedicated());
    Source::Facts facts;
    engine.connectStreamToCallback("in", std::make_unique<Source>(facts, 1, 0));
    bool ahead = false;
    engine.connectHostFunction("compute", 0, [&](ArrayRef<void const *>, ArrayRef<void *>) {
      for (int wait = 0; wait < 10000 && facts.prefetched == 0; ++wait)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ahead = facts.prefetched == 1; // the buffering depth
    });
    engine.loadAndRun(device);
    CHECK(ahead);
    CHECK(read<int>(engine, "x", 1)[0] == 1);
    CHECK(facts.fetched == 1);
  }

  TEST_CASE("data to the host have arrived before the program goes on") {
    Device const device = Device::createCPUDevice();
    Graph graph(device.getTarget());
    Tensor const x = variable(graph, INT, {1}, "x");
    DataStream const in = graph.addHostToDeviceFIFO("in", INT, 1);
    DataStream const out = graph.addDeviceToHostFIFO("out", INT, 1);
    // "in" sends back what "out" has got.
    Engine engine(graph, Repeat(50, Sequence({countUp(graph, x, 1), Copy(x, out), Copy(in, x)})),
                  dedicated());
    std::atomic<int> box{0};
    engine.connectStreamToCallback("out", [&](void *p) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      box = 2 * *static_cast<int *>(p) % 1000;
    });
    engine.connectStreamToCallback("in", [&](void *p) { *static_cast<int *>(p) = box; });
    engine.loadAndRun(device);
    int expected = 0;
    for (int i = 0; i < 50; ++i)
      expected = 2 * (expected + 1) % 1000;
    CHECK(read<int>(engine, "x", 1)[0] == expected);
  }

  TEST_CASE("a run that fails lets callbacks finish what they have begun") {
    struct Slow : Source {
      using Source::Source;
      Result prefetch(void *p) override {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return Source::prefetch(p);
      }
    };
    Device const device = Device::createCPUDevice();
    Graph graph(device.getTarget());
    Tensor const x = variable(graph, INT, {1}, "x");
    DataStream const in = graph.addHostToDeviceFIFO("in", INT, 1, ReplicatedStreamMode::REPLICATE,
                                                    {{"bufferingDepth", "3"}});
    Engine engine(graph, Sequence({Copy(in, x), ErrorProgram("stop", x)}), dedicated());
    Source::Facts facts;
    engine.connectStreamToCallback("in", std::make_unique<Slow>(facts, 1, 0));
    engine.load(device);
    CHECK_THROWS_AS(engine.run(), application_runtime_error);
    CHECK(facts.completed == 1);
    CHECK(facts.prefetched == 3);
  }

  TEST_CASE("exceptions of callbacks come out of run(), wherever the callback was") {
    struct Fails : Source {
      Fails(Facts &facts, char const *where) : Source(facts, 1, 0), where_(where) {}
      Result prefetch(void *p) override {
        if (where_ == std::string("prefetch"))
          throw std::domain_error(where_);
        return Source::prefetch(p);
      }
      void fetch(void *p) override {
        if (where_ == std::string("fetch"))
          throw std::domain_error(where_);
        Source::fetch(p);
      }
      void complete() override {
        if (where_ == std::string("complete"))
          throw std::domain_error(where_);
        Source::complete();
      }
      char const *where_;
    };
    Device const device = Device::createCPUDevice();
    Graph graph(device.getTarget());
    Tensor const x = variable(graph, INT, {1}, "x");
    DataStream const in = graph.addHostToDeviceFIFO("in", INT, 1);
    Engine engine(graph, Copy(in, x), dedicated());
    for (char const *where : {"fetch", "complete", "prefetch"}) {
      CAPTURE(where);
      Source::Facts facts;
      engine.load(device);
      engine.connectStreamToCallback("in", std::make_unique<Fails>(facts, where));
      CHECK_THROWS_WITH_AS(engine.run(), where, std::domain_error);
      engine.connectStreamToCallback("in", [](void *p) { *static_cast<int *>(p) = 5; });
      engine.load(device);
      engine.run();
      CHECK(read<int>(engine, "x", 1)[0] == 5);
    }
  }

  TEST_CASE("streamCallbacks.maxLookahead bounds what is asked for ahead") {
    Device const device = Device::createCPUDevice();
    for (char const *mode : {"singleThread", "collaborative", "dedicated"})
      for (int const most : {0, 2, 9}) {
        CAPTURE(mode);
        CAPTURE(most);
        Graph graph(device.getTarget());
        Tensor const x = variable(graph, INT, {1}, "x");
        DataStream const in =
            graph.addHostToDeviceFIFO("in", INT, 1, ReplicatedStreamMode::REPLICATE,
                                      {{"bufferingDepth", "4"}, {"splitLimit", "0"}});
        Engine engine(graph, Copy(in, x), {{"exchange.streamBufferOverlap", "none"}});
        Source::Facts facts;
        engine.connectStreamToCallback("in", std::make_unique<Source>(facts, 1, 0));
        engine.load(device);
        engine.run(0, "",
                   RuntimeOptions({{"streamCallbacks.multiThreadMode", mode},
                                   {"streamCallbacks.maxLookahead", std::to_string(most)}}));
        CHECK(facts.prefetched == std::min(most, 4));
        engine.stop();
        CHECK(facts.invalidated == (most == 0 ? 0 : 1));
      }
  }

  TEST_CASE("a resumable callback waits in fetch until it is notified") {
    struct Waits : ResumableStreamCallback {
      Result prefetch(void *) override { return Result::NotAvailable; }
      void fetch(void *p) override {
        wait();
        *static_cast<int *>(p) = ++value;
      }
      void complete() override {}
      int value = 0;
    };
    Device const device = Device::createCPUDevice();
    Graph graph(device.getTarget());
    Tensor const x = variable(graph, INT, {1}, "x");
    DataStream const in = graph.addHostToDeviceFIFO("in", INT, 1);
    Engine engine(graph, Sequence(Copy(in, x), Copy(in, x)));
    auto callback = std::make_unique<Waits>();
    Waits &waits = *callback;
    engine.connectStreamToCallback("in", std::move(callback));
    engine.load(device);
    waits.notify(); // before it is waited for
    std::atomic<bool> done{false};
    std::thread other([&] {
      for (; !done; std::this_thread::yield())
        if (waits.isAwaiting())
          waits.notify();
    });
    engine.run();
    done = true;
    other.join();
    CHECK(read<int>(engine, "x", 1)[0] == 2);
  }
}
