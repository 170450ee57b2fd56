// Stored executables of several replicas that speak with their host in every way.
#include "StoredExecutables.hpp"
#include "Vertices.hpp"

#include <poplar/RemoteBuffer.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <sstream>

using namespace poplar;
using namespace poplar::program;
using namespace engineTest;

namespace {

constexpr unsigned REPLICAS = 3, TURNS = 4, ROWS = 5;

Device deviceOf(bool tiled) {
  if (!tiled)
    return Device::createCPUDevice(REPLICAS);
  IPUModel model;
  model.numIPUs = REPLICAS;
  model.tilesPerIPU = 4;
  return model.createDevice();
}

/// Streams of both modes, a remote buffer, a host function, a cross-replica copy, an index of the
/// replica, a loop that only an abort ends.
Executable compiled(Device const &device) {
  Graph graph(device, replication_factor(REPLICAS));
  Tensor const x = variable(graph, INT, {2}, "x"), y = variable(graph, INT, {2}, "y", 1);
  Tensor const shared = variable(graph, INT, {2}, "shared"), at = variable(graph, INT, {2}, "at");
  Tensor const rows = variable(graph, INT, {2, 2}, "rows", 2);
  Tensor const turn = variable(graph, INT, {}, "turn"), low = temporary(graph, BOOL, {}, "low");
  Tensor const f = variable(graph, FLOAT, {4}, "f"), g = variable(graph, FLOAT, {4}, "g");
  Tensor const index = graph.addReplicationIndexConstant("index");
  graph.setTileMapping(index, 0);
  Tensor const copied = variable(graph, UNSIGNED_INT, {}, "copied");
  RemoteBuffer const buffer = graph.addRemoteBuffer("buffer", INT, 2, ROWS);
  HostFunction const twice = graph.addHostFunction("twice", {{INT, 2}}, {{INT, 2}});
  DataStream const own = graph.addHostToDeviceFIFO("own", INT, 2);
  DataStream const all = graph.addHostToDeviceFIFO("all", INT, 2, ReplicatedStreamMode::BROADCAST);
  DataStream const out = graph.addDeviceToHostFIFO("out", INT, 2);
  ComputeSet const cs = graph.addComputeSet("scale");
  graph.setTileMapping(
      graph.addVertex(cs, "engineTest::Scale", {{"in", f}, {"out", g}, {"factor", 3.F}}), 0);
  Sequence const body{Copy(own, x),
                      Copy(all, shared),
                      Call(twice, {x}, {y}),
                      CrossReplicaCopy(y, x, {{0, 1}, {1, 2}, {2, 0}}),
                      Copy(x, out),
                      Copy(concat(x.expand({0}), shared.expand({0})), buffer, at),
                      Copy(buffer, rows, at.reverse(0)),
                      Execute(cs),
                      Copy(index, copied)};
  Program const more = testBelow(graph, turn, low, TURNS);
  Sequence const endless{countUp(graph, turn, 1), more,
                         If(low, Sequence(), Sequence(Abort("all turns are done")))};
  return compileGraph(graph, {body, Loop(endless), ErrorProgram("stop", x)},
                      {{"debug.stopAtNan", "true"}});
}

template <class F> std::string messageOf(F &&f) {
  try {
    f();
  } catch (application_runtime_error const &error) {
    return std::string("application_runtime_error: ") + error.what() + '\n';
  }
  return "nothing was thrown\n";
}

/// All that is seen from outside.
std::string effects(Executable const &executable, Device const &device, bool dedicated) {
  Engine engine(executable,
                {{"streamCallbacks.multiThreadMode", dedicated ? "dedicated" : "singleThread"}});
  std::ostringstream text;
  std::vector<std::vector<int>> sent(REPLICAS);
  std::vector<int> next(REPLICAS, 0);
  int numShared = 0;
  for (unsigned r = 0; r < REPLICAS; ++r) {
    engine.connectStreamToCallback("own", r, [&next, r](void *p) {
      static_cast<int *>(p)[0] = static_cast<int>(100 * r);
      static_cast<int *>(p)[1] = ++next[r];
    });
    engine.connectStreamToCallback("out", r, [&sent, r](void *p) {
      sent[r].insert(sent[r].end(), static_cast<int *>(p), static_cast<int *>(p) + 2);
    });
    engine.connectHostFunction("twice", r, [r](ArrayRef<void const *> in, ArrayRef<void *> to) {
      for (int i = 0; i < 2; ++i)
        static_cast<int *>(to[0])[i] = 2 * static_cast<int const *>(in[0])[i] + static_cast<int>(r);
    });
  }
  engine.connectStreamToCallback("all", [&numShared](void *p) {
    static_cast<int *>(p)[0] = static_cast<int *>(p)[1] = 7 + numShared++;
  });
  engine.load(device);
  write<int>(engine, "at", {0, 4, 1, 3, 2, 0});
  for (int i = 0; i < 3; ++i)
    engine.run(0);
  for (auto const &values : sent)
    for (int value : values)
      text << value << ' ';
  text << "shared " << numShared;
  for (char const *const handle : {"x", "shared"})
    for (int value : read<int>(engine, handle, 2 * REPLICAS))
      text << ' ' << value;
  for (int value : read<int>(engine, "rows", 4 * REPLICAS))
    text << ' ' << value;
  for (unsigned value : read<unsigned>(engine, "copied", REPLICAS))
    text << " replica " << value;
  for (unsigned r = 0; r < REPLICAS; ++r)
    for (unsigned row = 0; row < ROWS; ++row) {
      int values[2];
      engine.copyFromRemoteBuffer("buffer", values, row, r);
      text << ' ' << values[0] << ',' << values[1];
    }
  text << '\n' << messageOf([&] { engine.run(1); });
  for (int turn : read<int>(engine, "turn", REPLICAS))
    text << turn << ' ';
  text << messageOf([&] { engine.run(2); });
  std::vector<float> f(4 * REPLICAS, 1);
  f[9] = std::numeric_limits<float>::quiet_NaN();
  write(engine, "f", f);
  text << messageOf([&] { engine.run(0); });
  return text.str();
}

} // namespace

TEST_SUITE("poplar/engine/executable-host") {
  TEST_CASE("replicas, remote buffers, host functions and aborts are the same after storing") {
    for (bool const tiled : {false, true}) {
      Device const device = deviceOf(tiled);
      Executable const executable = compiled(device);
      std::string const file = stored(executable);
      Executable const again = loaded(file);
      CHECK(stored(again) == file);
      std::string const wanted = effects(executable, device, false);
      CAPTURE(wanted);
      CHECK(effects(again, device, false) == wanted);
      CHECK(effects(again, device, true) == wanted);
      // own = (100 r, k), twice gives (200 r + r, 2 k + r), which the next replica sends.
      CHECK(wanted.starts_with("402 4 402 6 402 8 0 2 0 4 0 6 201 3 201 5 201 7 shared 3 "));
      CHECK(wanted.find("402 8 0 6 201 7 9 9 9 9 9 9") != std::string::npos);
      CHECK(wanted.find("replica 0 replica 1 replica 2") != std::string::npos);
      CHECK(wanted.find("Abort: all turns are done") != std::string::npos);
      CHECK(wanted.find("ErrorProgram: stop") != std::string::npos);
      CHECK(wanted.find("NaN in field 'out'") != std::string::npos);
    }
  }

  TEST_CASE("a wrong field under right checksums is refused or harmless") {
    CHECK(refusedWithWrongByte(stored(compiled(deviceOf(false))), 3000, 11) > 200);
  }
}
