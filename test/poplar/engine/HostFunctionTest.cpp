#include "Throws.hpp"
#include "Vertices.hpp"

#include <poplar/HostFunctionCallback.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <stdexcept>

using namespace poplar;
using namespace poplar::program;
using namespace engineTest;

namespace {

/// out = sum of in, and counts its calls.
class Sum : public HostCallback {
public:
  explicit Sum(int &calls) : calls_(calls) {}
  void operator()(ArrayRef<void const *> inputs, ArrayRef<void *> outputs) override {
    ++calls_;
    int const *const in = static_cast<int const *>(inputs[0]);
    *static_cast<int *>(outputs[0]) = in[0] + in[1] + in[2];
  }

private:
  int &calls_;
};

} // namespace

TEST_SUITE("poplar/engine/host-functions") {
  TEST_CASE("inputs are packed rows of any view, outputs are written to any view") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const a = variable(graph, INT, {2, 3}, "a"), h = variable(graph, HALF, {2}, "h", 1),
                   b = variable(graph, INT, {3, 2}, "b", 2), c = variable(graph, FLOAT, {}, "c");
      HostFunction const f =
          graph.addHostFunction("f", {{INT, 6}, {HALF, 2}}, {{INT, 6}, {FLOAT, 1}});
      Engine engine(graph, Call(f, {a.transpose(), h}, {b.transpose(), c}, "call"));
      engine.load(device);
      std::vector<int> seen(6);
      std::vector<std::uint16_t> halves(2);
      bool wereZero = false;
      engine.connectHostFunction("f", 0, [&](ArrayRef<void const *> in, ArrayRef<void *> out) {
        REQUIRE(in.size() == 2);
        REQUIRE(out.size() == 2);
        for (std::size_t i = 0; i < 6; ++i)
          seen[i] = static_cast<int const *>(in[0])[i];
        for (std::size_t i = 0; i < 2; ++i)
          halves[i] = static_cast<std::uint16_t const *>(in[1])[i];
        int *const to = static_cast<int *>(out[0]);
        wereZero = to[0] == 0 && to[5] == 0;
        for (int i = 0; i < 6; ++i)
          to[i] = 10 * (i + 1);
        *static_cast<float *>(out[1]) = 2.5F;
      });
      write<int>(engine, "a", {1, 2, 3, 4, 5, 6});
      write<std::uint16_t>(engine, "h", {0x3c00, 0x4000});
      for (int turn = 0; turn < 2; ++turn) {
        engine.run();
        CHECK(wereZero);
        CHECK(seen == std::vector<int>{1, 4, 2, 5, 3, 6});
        CHECK(halves == std::vector<std::uint16_t>{0x3c00, 0x4000});
        CHECK(read<int>(engine, "b", 6) == std::vector<int>{10, 40, 20, 50, 30, 60});
        CHECK(read<float>(engine, "c", 1)[0] == 2.5F);
      }
    });
  }

  TEST_CASE("callbacks in all forms; in loops, each Call is one call, in program order") {
    Device const device = Device::createCPUDevice();
    Graph graph(device.getTarget());
    Tensor const x = variable(graph, INT, {3}, "x"), y = variable(graph, INT, {1}, "y");
    HostFunction const sum = graph.addHostFunction("sum", {{INT, 3}}, {{INT, 1}});
    HostFunction const nothing = graph.addHostFunction("nothing", {}, {});
    std::vector<Graph::HostFunctionArgument> arguments;
    arguments.emplace_back(INT, 1);
    HostFunction const in = graph.addHostFunction("in", arguments, {});
    std::vector<Tensor> const inputs{y};
    Engine engine(graph, Repeat(3, Sequence({Call(sum, {x}, {y}), Call(nothing, {}, {}),
                                             Call(in, inputs, {}), countUp(graph, x[1], 1)})));
    engine.load(device);
    write<int>(engine, "x", {1, 2, 3});
    int calls = 0, empty = 0;
    std::vector<int> seen;
    engine.connectHostFunction("sum", 0, std::make_unique<Sum>(calls));
    engine.connectHostFunction("nothing", 0,
                               [&](ArrayRef<const void *> ins, ArrayRef<void *> outs) {
                                 empty += ins.empty() && outs.empty();
                               });
    std::function<void(ArrayRef<void const *>, ArrayRef<void *>)> const look =
        [&](ArrayRef<void const *> ins, ArrayRef<void *>) {
          seen.push_back(*static_cast<int const *>(ins[0]));
        };
    engine.connectHostFunction("in", 0, look);
    engine.run();
    CHECK(calls == 3);
    CHECK(empty == 3);
    CHECK(seen == std::vector<int>{6, 7, 8});
    std::unique_ptr<HostCallback> again(new Sum(calls)); // replaces
    engine.connectHostFunction("sum", 0, HostCallbackHandle{std::move(again)});
    engine.load(device); // keeps connections
    engine.run();
    CHECK(calls == 6);
  }

  TEST_CASE("an output may be the input, and a part of a variable") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const x = variable(graph, INT, {4}, "x");
      HostFunction const f = graph.addHostFunction("reverse", {{INT, 4}}, {{INT, 2}});
      Engine engine(graph, Call(f, {x}, {x.slice(1, 3)}));
      engine.load(device);
      write<int>(engine, "x", {1, 2, 3, 4});
      engine.connectHostFunction("reverse", 0, [](ArrayRef<void const *> in, ArrayRef<void *> out) {
        for (int i = 0; i < 2; ++i)
          static_cast<int *>(out[0])[i] = static_cast<int const *>(in[0])[3 - i];
      });
      engine.run();
      CHECK(read<int>(engine, "x", 4) == std::vector<int>{1, 4, 3, 4});
    });
  }

  TEST_CASE("unconnected, unknown, null; exceptions of a callback leave run() as they are") {
    Device const device = Device::createCPUDevice();
    Graph graph(device.getTarget());
    HostFunction const f = graph.addHostFunction("f", {}, {});
    Engine engine(graph, Call(f, {}, {}));
    engine.load(device);
    checkThrows<stream_connection_error>([&] { engine.run(); },
                                         {"'f'", "not connected", "connectHostFunction"});
    auto const nothing = [](ArrayRef<void const *>, ArrayRef<void *>) {};
    checkThrows<stream_connection_error>([&] { engine.connectHostFunction("g", 0, nothing); },
                                         {"'g'", "the graph has 1"});
    checkThrows<stream_connection_error>([&] { engine.connectHostFunction("f", 1, nothing); },
                                         {"replica 1", "'f'"});
    checkThrows<stream_connection_error>(
        [&] { engine.connectHostFunction("f", 0, std::unique_ptr<HostCallback>()); }, {"null"});
    engine.connectHostFunction("f", 0, [](ArrayRef<void const *>, ArrayRef<void *>) {
      throw std::domain_error("no answer");
    });
    CHECK_THROWS_WITH_AS(engine.run(), "no answer", std::domain_error);
  }
}
