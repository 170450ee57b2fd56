// Streams and callbacks, runs, options, environment, profiles.
#include "Conformance.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <poplar/EngineOptions.hpp>
#include <poplar/RuntimeOptions.hpp>
#include <poplar/exceptions.hpp>
#include <sstream>
#include <stdexcept>
#include <unistd.h>
#include <utility>

using namespace poplar;
using namespace poplar::program;
using namespace conformance;

namespace {

/// in -> x -> out, two elements at a time.
struct Pipe {
  explicit Pipe(Device const &device, OptionFlags const &options = {}) : graph(device) {
    x = variable(graph, FLOAT, {2}, "x");
    in = graph.addHostToDeviceFIFO("in", FLOAT, 2, ReplicatedStreamMode::REPLICATE, options);
    out = graph.addDeviceToHostFIFO("out", FLOAT, 2);
    once = Sequence{Copy(in, x), Copy(x, out)};
  }
  Graph graph;
  Tensor x;
  DataStream in, out;
  Sequence once;
};

/// What a stream asked for, in order.
struct Calls {
  std::string text;
  float next = 0;
};

class Source final : public StreamCallback {
public:
  explicit Source(std::shared_ptr<Calls> calls) : calls_(std::move(calls)) {}
  Result prefetch(void *__restrict p) noexcept override {
    static_cast<void>(p);
    calls_->text += 'p';
    return Result::NotAvailable;
  }
  void fetch(void *__restrict p) noexcept override {
    calls_->text += 'f';
    float *const values = static_cast<float *>(p);
    values[0] = calls_->next++;
    values[1] = calls_->next++;
  }
  void complete() noexcept override { calls_->text += 'c'; }

private:
  std::shared_ptr<Calls> calls_;
};

} // namespace

TEST_SUITE("conformance/engine") {
  TEST_CASE("streams walk through buffers and start again at their ends") {
    onDevices([](Device const &device) {
      Pipe pipe(device);
      Engine engine(pipe.graph, Repeat(2, pipe.once));
      std::vector<float> input = {1, 2, 3, 4, 5, 6}, output(4);
      engine.connectStream("in", input.data(), input.data() + input.size());
      engine.connectStream("out", output.data(), output.data() + output.size());
      engine.load(device);
      engine.run();
      CHECK(output == std::vector<float>{1, 2, 3, 4});
      engine.run();
      CHECK(output == std::vector<float>{5, 6, 1, 2});
      engine.connectStream("in", gccs::ArrayRef<float>(input));
      engine.run();
      CHECK(output == std::vector<float>{1, 2, 3, 4});
      CHECK(engine.listStreams().size() == 2);
    });
  }

  TEST_CASE("streams that are unknown, or not connected, are errors") {
    onDevices([](Device const &device) {
      Pipe pipe(device);
      Engine engine(pipe.graph, {pipe.once, Sequence()});
      engine.load(device);
      float data[2] = {};
      CHECK_THROWS_AS(engine.connectStream("none", data), stream_connection_error);
      engine.run(1);
      CHECK_THROWS_AS(engine.run(0), stream_connection_error);
    });
  }

  TEST_CASE("callbacks give and take the data") {
    onDevices([](Device const &device) {
      Pipe pipe(device);
      Engine engine(pipe.graph, Repeat(3, pipe.once));
      auto const calls = std::make_shared<Calls>();
      std::vector<float> taken;
      std::function<void(void *)> const take = [&](void *p) {
        taken.insert(taken.end(), static_cast<float *>(p), static_cast<float *>(p) + 2);
      };
      engine.connectStreamToCallback("in", std::unique_ptr<Source>(new Source(calls)));
      engine.connectStreamToCallback("out", 0, take);
      engine.load(device);
      engine.run();
      CHECK(taken == std::vector<float>{0, 1, 2, 3, 4, 5});
      std::string fetches;
      for (char const call : calls->text)
        if (call != 'p')
          fetches += call;
      CHECK(fetches == "fcfcfc");
      // What a callback throws leaves run().
      engine.connectStreamToCallback("out", [](void *) { throw std::length_error("full"); });
      CHECK_THROWS_AS(engine.run(), std::length_error);
    });
  }

  TEST_CASE("a callback that has data ahead is not asked to fetch") {
    class Ahead : public StreamCallback {
    public:
      explicit Ahead(std::shared_ptr<Calls> calls) : calls_(std::move(calls)) {}
      Result prefetch(void *p) override {
        fill(p);
        return Result::Success;
      }
      void fetch(void *p) override {
        calls_->text += 'f';
        fill(p);
      }
      void complete() override { calls_->text += 'c'; }

    private:
      void fill(void *p) {
        static_cast<float *>(p)[0] = calls_->next++;
        static_cast<float *>(p)[1] = calls_->next++;
      }
      std::shared_ptr<Calls> calls_;
    };
    onDevices([](Device const &device) {
      Pipe pipe(device, {{"bufferingDepth", "2"}});
      Engine engine(pipe.graph, Repeat(4, pipe.once));
      auto const calls = std::make_shared<Calls>();
      std::vector<float> output(8);
      engine.connectStreamToCallback("in", std::unique_ptr<StreamCallback>(new Ahead(calls)));
      engine.connectStream("out", output.data(), output.data() + output.size());
      engine.load(device);
      engine.run();
      CHECK(output == std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7});
      CHECK(std::count(calls->text.begin(), calls->text.end(), 'c') == 4);
      CHECK(std::count(calls->text.begin(), calls->text.end(), 'f') <= 1);
    });
  }

  TEST_CASE("a legacy callback only fetches") {
    class Legacy : public LegacyStreamCallback {
    public:
      explicit Legacy(float value) : value_(value) {}
      void fetch(void *p) override {
        static_cast<float *>(p)[0] = value_;
        static_cast<float *>(p)[1] = value_ + 1;
      }

    private:
      float value_;
    };
    onDevices([](Device const &device) {
      Pipe pipe(device);
      Engine engine(pipe.graph, Copy(pipe.in, pipe.x));
      engine.connectStreamToCallback("in", std::unique_ptr<Legacy>(new Legacy(8)));
      engine.loadAndRun(device);
      CHECK(get<float>(engine, "x", 2) == std::vector<float>{8, 9});
    });
  }

  TEST_CASE("an engine is loaded before it runs, and runs what it has") {
    onDevices([](Device const &device) {
      Graph graph(device);
      Tensor const x = variable(graph, INT, {2}, "x");
      std::vector<Program> const programs = {Copy(constant<int>(graph, INT, {2}, {1, 2}), x),
                                             Copy(constant<int>(graph, INT, {2}, {3, 4}), x)};
      Engine engine(graph, programs);
      int data[2] = {};
      CHECK_THROWS_AS(engine.run(), poplar_error);
      CHECK_THROWS_AS(engine.readTensor("x", data, data + 2), tensor_io_state_error);
      engine.prepare(device);
      engine.deploy();
      engine.run(1, "second");
      CHECK(get<int>(engine, "x", 2) == std::vector<int>{3, 4});
      CHECK_THROWS_AS(engine.run(2), poplar_error);
      engine.load(device);
      CHECK(get<int>(engine, "x", 2) == std::vector<int>{0, 0});
      engine.loadAndRun(device, 0);
      CHECK(get<int>(engine, "x", 2) == std::vector<int>{1, 2});
      Engine moved(std::move(engine));
      moved.run(1);
      engine = std::move(moved);
      CHECK(get<int>(engine, "x", 2) == std::vector<int>{3, 4});
      CHECK_THROWS_AS(engine.load(smallModel(7, 2)), poplar_error);
    });
  }

  TEST_CASE("tensors cross the host boundary as pointers, arrays and views") {
    onDevices([](Device const &device) {
      Graph graph(device);
      variable(graph, FLOAT, {2, 3}, "m");
      Engine engine(graph, Sequence());
      engine.load(device);
      float in[2][3] = {{1, 2, 3}, {4, 5, 6}}, out[2][3] = {};
      engine.writeTensor("m", in, &in[2]);
      engine.readTensor("m", out, &out[2]);
      CHECK(out[1][2] == 6);
      std::vector<float> list = {6, 5, 4, 3, 2, 1};
      engine.writeTensor("m", ArrayRef<float>(list));
      std::vector<float> back(6);
      engine.readTensor("m", gccs::ArrayRef<float>(back));
      CHECK(back == list);
      engine.readTensor("m", static_cast<void *>(out)); // an older form
      CHECK(out[0][0] == 6);
    });
  }

  TEST_CASE("progress is told up to its end") {
    Graph graph(smallModel());
    std::vector<std::pair<int, int>> calls;
    compileGraph(graph, {Sequence()}, {},
                 [&](int progress, int total) { calls.emplace_back(progress, total); });
    REQUIRE_FALSE(calls.empty());
    CHECK(calls.back().first == calls.back().second);
    for (std::size_t i = 1; i < calls.size(); ++i) {
      CHECK(calls[i].second == calls[0].second);
      CHECK(calls[i].first >= calls[i - 1].first);
    }
  }

  TEST_CASE("engine options are known by name") {
    Graph graph(smallModel());
    OptionFlags const options{{"debug.instrument", "true"},
                              {"target.workerStackSizeInBytes", "0x200"},
                              {"opt.enableInlining", "false"},
                              {"prng.seed", "7"}};
    Engine engine(graph, Sequence(), options);
    CHECK(engine.getEngineOptions().at("debug.instrument") == "true");
    CHECK(engine.getEngineOptions().at("target.workerStackSizeInBytes") == "0x200");
    try {
      Engine(graph, Sequence(), {{"debug.instrumnt", "true"}});
      FAIL("no such option");
    } catch (invalid_option const &e) {
      CHECK(std::string(e.what()).find("Unrecognised option 'debug.instrumnt'") !=
            std::string::npos);
    }
    CHECK_THROWS_AS(Engine(graph, Sequence(), {{"debug.instrument", "maybe"}}), invalid_option);
    setenv("POPLAR_ENGINE_OPTIONS", "{\"opt.enableInlining\": true}", 1);
    CHECK(Engine(graph, Sequence(), options).getEngineOptions().at("opt.enableInlining") == "true");
    unsetenv("POPLAR_ENGINE_OPTIONS");
  }

  TEST_CASE("options of runs, and options as keys") {
    Device const device = smallModel();
    Graph graph(device);
    Engine engine(graph, Sequence());
    engine.load(device);
    RuntimeOptions const options(OptionFlags{{"target.hostSyncTimeout", "900"}});
    engine.run(0, "named", options);
    engine.prepare(device, options);
    CHECK_THROWS_AS(RuntimeOptions(OptionFlags{{"no.such", "1"}}), invalid_option);
    EngineOptions const a({{"debug.instrument", "true"}, {"prng.seed", "1"}}, device.getTarget(),
                          1);
    EngineOptions const b({{"prng.seed", "1"}, {"debug.instrument", "true"}}, device.getTarget(),
                          1);
    CHECK(std::hash<EngineOptions>()(a) == std::hash<EngineOptions>()(b));
    CHECK(hash_value(a) == hash_value(b));
    CHECK(std::hash<RuntimeOptions>()(options) ==
          std::hash<RuntimeOptions>()(RuntimeOptions(options)));
  }

  TEST_CASE("the profile's text tells of the target, and is refused on a CPU") {
    Device const model = smallModel();
    Graph graph(model);
    Tensor const x = variable(graph, FLOAT, {8}, "x"), y = variable(graph, FLOAT, {8}, "y");
    Engine engine(graph, Copy(x, y), {{"debug.instrument", "true"}});
    engine.loadAndRun(model);
    std::ostringstream first, second;
    engine.printProfileSummary(first, {{"showExecutionSteps", "true"}});
    engine.printProfileSummary(second, {{"showExecutionSteps", "true"}});
    CHECK(first.str().find("Target:") != std::string::npos);
    CHECK(first.str() == second.str());
    ProfileValue const profile = engine.getProfile();
    ProfileValue const &memory = profile["graphProfile"]["memory"]["byTile"]["total"];
    CHECK(memory.size() == 4);
    CHECK(memory.sumUint() >= 64); // two variables of 8 floats
    CHECK(profile["graphProfile"]["target"]["numTiles"].asInt() == 4);
    CHECK(profile["executionProfile"]["cycles"].asUint() > 0);
    CHECK(profile["executionProfile"]["steps"].size() > 0);
    engine.resetExecutionProfile();
    CHECK(engine.getExecutionProfile()["cycles"].asUint() == 0);
    engine.disableExecutionProfiling();
    engine.enableExecutionProfiling();
    auto const start = engine.getTimeStamp();
    CHECK_FALSE(engine.reportTiming(start, engine.getTimeStamp()).empty());
    Device const cpu = Device::createCPUDevice();
    Graph other(cpu);
    Engine plain(other, Sequence());
    plain.loadAndRun(cpu);
    CHECK_THROWS_AS(plain.getGraphProfile(), profiling_disabled);
    try {
      plain.printProfileSummary(first);
      FAIL("no profile on a CPU");
    } catch (profiling_disabled const &e) {
      CHECK(std::string(e.what()).find("Profiling is disabled for current device type.") !=
            std::string::npos);
    }
  }

  TEST_CASE("profiles come as trees and as files, and print the same from both") {
    auto const folder =
        std::filesystem::temp_directory_path() / ("conformance-" + std::to_string(getpid()));
    Device const model = smallModel();
    Graph graph(model);
    Tensor const x = variable(graph, FLOAT, {8}, "x"), y = variable(graph, FLOAT, {8}, "y");
    OptionFlags const options{{"autoReport.all", "true"},
                              {"autoReport.directory", folder.string()}};
    Engine engine(graph, Copy(x, y), options, {}, "copying");
    engine.load(model);
    engine.run(0, "once");
    std::ostringstream own, fromTrees, fromFile, ofGraph, ofExecution;
    engine.printProfileSummary(own);
    CHECK(own.str().find("\nMemory Usage:\n") != std::string::npos);
    CHECK(own.str().find("once.\n") != std::string::npos);
    printProfileSummary(fromTrees, engine.getGraphProfile(), engine.getExecutionProfile());
    CHECK(fromTrees.str() == own.str());
    printProfileSummary(fromFile, (folder / "copying" / "profile.pop").string());
    CHECK(fromFile.str() == own.str());
    printGraphSummary(ofGraph, (folder / "copying" / "profile.pop").string());
    printExecutionSummary(ofExecution, engine.getGraphProfile(), engine.getExecutionProfile(), {});
    CHECK(ofGraph.str() + ofExecution.str() == own.str());
    std::ostringstream intervals;
    engine.reportIntervals(intervals);
    auto const lines = intervals.str();
    CHECK(std::count(lines.begin(), lines.end(), '\n') > 1);
    std::filesystem::remove_all(folder);
  }

  TEST_CASE("modules are programs that are compiled alone, beside others") {
    onDevices([](Device const &device) {
      Graph graph(device);
      Tensor const x = variable(graph, INT, {2}, "x");
      Sequence const program{Copy(constant<int>(graph, INT, {2}, {4, 5}), x)};
      Module const module = compileModule(graph, program);
      Module const other = compileModule(graph, program, Preallocations::of({module}));
      std::stringstream file;
      other.serialize(file);
      Engine engine(compileGraph(graph, {program}, Preallocations::of({module, other})));
      engine.loadAndRun(device);
      std::vector<int> values(2);
      engine.readTensor("x", values.data(), values.data() + 2);
      CHECK(values == std::vector<int>{4, 5});
      CHECK(file.str().size() > 0);
    });
  }

  TEST_CASE("an emulated IPU runs programs while it is attached") {
    Device device = smallModel();
    {
      std::vector<Device> devices;
      devices.push_back(Device::createSimulatorDevice(Target::createIPUTarget(1, 4, "ipu2")));
      device = std::move(devices[0]);
    }
    Graph graph(device);
    Tensor const x = variable(graph, INT, {1}, "x");
    Engine engine(graph, Copy(constant<int>(graph, INT, {1}, {5}), x));
    engine.load(device);
    device = Device(); // the engine keeps what it needs
    engine.run();
    CHECK(get<int>(engine, "x", 1)[0] == 5);
  }
}
