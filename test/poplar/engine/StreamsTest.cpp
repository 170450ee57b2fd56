#include "Vertices.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>

using namespace poplar;
using namespace poplar::program;
using namespace engineTest;

namespace {

/// Gives 1, 2, 3, ... and writes down what it is asked for.
class Numbers : public StreamCallback {
public:
  Numbers(std::string &log, bool prefetches) : log_(log), prefetches_(prefetches) {}
  Result prefetch(void *p) override {
    if (!prefetches_)
      return Result::NotAvailable;
    log_ += 'p';
    *static_cast<int *>(p) = ++next_;
    return Result::Success;
  }
  void fetch(void *p) override {
    log_ += 'f';
    *static_cast<int *>(p) = ++next_;
  }
  void complete() override {
    log_ += 'c';
    ++used_;
  }
  void invalidatePrefetched() override {
    log_ += 'i';
    next_ = used_;
  }

private:
  std::string &log_;
  bool prefetches_;
  int next_ = 0, used_ = 0;
};

/// A graph that passes the ints of stream "in" on to stream "out".
struct Passer {
  explicit Passer(Device const &device, OptionFlags const &options = {})
      : graph(device.getTarget()) {
    Tensor const x = variable(graph, INT, {1}, "x");
    DataStream const in =
        graph.addHostToDeviceFIFO("in", INT, 1, ReplicatedStreamMode::REPLICATE, options);
    DataStream const out = graph.addDeviceToHostFIFO("out", INT, 1);
    graph.addHostToDeviceFIFO("unused", FLOAT, 3);
    program = Sequence({Copy(in, x), Copy(x, out)});
  }
  Graph graph;
  Sequence program;
};

} // namespace

TEST_SUITE("poplar/engine/streams") {
  TEST_CASE("a circular buffer gives one block a transfer and keeps its place over runs") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const a = variable(graph, INT, {10}, "a"), b = variable(graph, INT, {5, 2}, "b");
      DataStream const in = graph.addHostToDeviceFIFO("in", INT, 10);
      DataStream const out = graph.addDeviceToHostFIFO("out", INT, 10);
      Engine engine(graph,
                    Sequence({Copy(in, a), Copy(in, b.transpose()), Copy(b.transpose(), out)}));
      std::vector<int> data(30), sent(20);
      std::iota(data.begin(), data.end(), 0);
      engine.connectStream("in", data.data(), data.data() + 30);
      engine.connectStream("out", &sent[0], &sent[20]);
      engine.load(device);
      engine.run();
      CHECK(read<int>(engine, "a", 10) == std::vector<int>(data.begin(), data.begin() + 10));
      CHECK(read<int>(engine, "b", 10) == std::vector<int>{10, 15, 11, 16, 12, 17, 13, 18, 14, 19});
      engine.run();
      CHECK(read<int>(engine, "a", 10) == std::vector<int>(data.begin() + 20, data.end()));
      std::vector<int> expected(20);
      std::iota(expected.begin(), expected.begin() + 10, 10);
      std::iota(expected.begin() + 10, expected.end(), 0);
      CHECK(sent == expected);
      engine.connectStream(in, data.data(), data.data() + 10);
      engine.run();
      CHECK(read<int>(engine, "a", 10) == std::vector<int>(data.begin(), data.begin() + 10));
    });
  }

  TEST_CASE("callbacks may be lambdas, functions, objects; connecting again replaces") {
    Device const device = Device::createCPUDevice();
    Passer passer(device);
    Engine engine(passer.graph, passer.program);
    int value = 5, seen = 0;
    engine.connectStreamToCallback("in", [&](void *p) { *static_cast<int *>(p) = value++; });
    std::function<void(void *)> const sink = [&](void *p) { seen = *static_cast<int *>(p); };
    engine.connectStreamToCallback("out", sink);
    engine.load(device);
    engine.run();
    CHECK(seen == 5);
    engine.run();
    CHECK(seen == 6);
    std::string log;
    engine.connectStreamToCallback("in", 0, std::make_unique<Numbers>(log, false));
    engine.run();
    CHECK(seen == 1);
    std::unique_ptr<StreamCallback> again(new Numbers(log, false));
    engine.connectStreamToCallback("in", std::move(again));
    engine.run();
    CHECK(seen == 1);
    CHECK(log == "fcfc");
    struct Legacy : LegacyStreamCallback {
      void fetch(void *__restrict p) noexcept override { *static_cast<int *>(p) = 77; }
    };
    StreamCallbackHandle handle(std::make_unique<Legacy>());
    engine.connectStreamToCallback("in", std::move(handle));
    engine.run();
    CHECK(seen == 77);
  }

  TEST_CASE("blocks are asked for ahead after complete(), up to the buffering depth, and given "
            "back at the end") {
    Device const device = Device::createCPUDevice();
    std::string log;
    {
      Passer passer(device, {{"bufferingDepth", "2"}});
      Engine engine(passer.graph, passer.program);
      int seen = 0;
      engine.connectStream("out", &seen);
      engine.connectStreamToCallback("in", std::make_unique<Numbers>(log, true));
      engine.load(device);
      for (int turn = 1; turn <= 3; ++turn) {
        engine.run();
        CHECK(seen == turn);
      }
      CHECK(log == "fcppcpcp");
      engine.load(device);
      CHECK(log == "fcppcpcpi");
      engine.run();
      CHECK(seen == 4);
      log.clear();
    }
    CHECK(log == "i");
  }

  TEST_CASE("exchange.enablePrefetch false never asks ahead") {
    Device const device = Device::createCPUDevice();
    Passer passer(device);
    Engine engine(passer.graph, passer.program, {{"exchange.enablePrefetch", "false"}});
    std::string log;
    int seen = 0;
    engine.connectStream("out", &seen, &seen + 1);
    engine.connectStreamToCallback("in", std::make_unique<Numbers>(log, true));
    engine.load(device);
    engine.run();
    engine.run();
    CHECK(log == "fcfc");
    CHECK(seen == 2);
  }

  TEST_CASE("an exception of a callback leaves run() as it is") {
    Device const device = Device::createCPUDevice();
    Passer passer(device);
    Engine engine(passer.graph, passer.program);
    engine.connectStreamToCallback("in", [](void *) { throw std::domain_error("no more data"); });
    engine.load(device);
    CHECK_THROWS_WITH_AS(engine.run(), "no more data", std::domain_error);
  }

  TEST_CASE("streams are listed, also those that no program uses, and those may be connected") {
    Device const device = Device::createCPUDevice();
    Passer passer(device);
    Engine engine(passer.graph, passer.program);
    CHECK(engine.listStreams() == std::vector<std::string>{"in", "out", "unused"});
    float data[3] = {};
    engine.connectStream("unused", data, data + 3);
    engine.connectStream("unused", gccs::ArrayRef<float>(data));
  }

  TEST_CASE("an empty stream takes the buffer of an empty vector, which may be null") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const none = variable(graph, INT, {0}, "none");
      DataStream const in = graph.addHostToDeviceFIFO("in", INT, 0);
      DataStream const out = graph.addDeviceToHostFIFO("out", INT, 0);
      Engine engine(graph, Sequence({Copy(in, none), Copy(none, out)}));
      std::vector<int> data;
      engine.connectStream("in", data.data(), data.data() + data.size());
      engine.connectStream("out", static_cast<void *>(data.data()));
      engine.load(device);
      engine.run(0);
      engine.run(0);
      engine.connectStreamToCallback("in", [&](void *) { data.push_back(1); });
      engine.run(0);
      CHECK(data.size() == 1);
    });
  }

  TEST_CASE(
      "host tensors are packed and row-major, whatever the view; a larger buffer is no error") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const x = variable(graph, INT, {2, 3}, "x");
      graph.createHostRead("t", x.transpose());
      graph.createHostWrite("t", x.transpose());
      Engine engine(graph, Sequence());
      engine.load(device);
      std::vector<int> values{1, 2, 3, 4, 5, 6, 99};
      engine.writeTensor("t", values.data(), values.data() + 7);
      CHECK(read<int>(engine, "x", 6) == std::vector<int>{1, 3, 5, 2, 4, 6});
      std::vector<int> back(6);
      engine.readTensor("t", gccs::ArrayRef<int>(back));
      CHECK(back == std::vector<int>{1, 2, 3, 4, 5, 6});
      engine.writeTensor("x", ArrayRef<int>(back));
      CHECK(read<int>(engine, "x", 6) == back);
    });
  }
}
