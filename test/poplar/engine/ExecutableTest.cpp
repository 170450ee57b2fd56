// Executables as files: what comes back, and what is refused.
#include "StoredExecutables.hpp"
#include "Vertices.hpp"

#include <poplar/CycleCount.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <random>
#include <sstream>

using namespace poplar;
using namespace poplar::program;
using namespace engineTest;

namespace {

/// f() throws a poplar_error whose text has all the parts.
template <class E = poplar_error, class F>
void checkRefused(F &&f, std::vector<std::string> const &parts) {
  try {
    f();
    FAIL("no exception");
  } catch (E const &e) {
    std::string const text = e.what();
    CAPTURE(text);
    for (std::string const &part : parts)
      CHECK_MESSAGE(text.find(part) != std::string::npos, part);
  }
}

/// A little of everything that an executable can hold.
struct Everything {
  Graph graph;
  std::vector<Program> programs;

  explicit Everything(Device const &device) : graph(device.getTarget()) {
    Tensor const x = variable(graph, INT, {}, "x"), m = variable(graph, FLOAT, {4, 6}, "m", 1);
    Tensor const flag = temporary(graph, BOOL, {}, "flag"), t = temporary(graph, FLOAT, {24}, "t");
    Tensor const five = graph.addConstant(INT, {}, 5, "five");
    graph.setTileMapping(five, 0);
    graph.setInitialValue(x, 3);
    DataStream const in = graph.addHostToDeviceFIFO("in", FLOAT, 24);
    DataStream const out = graph.addDeviceToHostFIFO("out", FLOAT, 24);
    ComputeSet const scale = graph.addComputeSet("scale");
    // A column is not contiguous: the engine gathers and scatters.
    for (unsigned c = 0; c < 6; ++c)
      graph.setTileMapping(graph.addVertex(scale, "engineTest::Scale",
                                           {{"in", t.slice(4 * c, 4 * c + 4)},
                                            {"out", m.transpose()[c]},
                                            {"factor", 1.5F + static_cast<float>(c)}}),
                           c % graph.getTarget().getNumTiles());
    Function const count = graph.addFunction(countUp(graph, x, 2));
    Sequence loop{Copy(in, t), Execute(scale), Copy(m.transpose().flatten(), t), Call(count)};
    Tensor const clock = cycleCount(graph, loop, 0, SyncType::INTERNAL);
    graph.createHostRead("clock", clock);
    Sequence body{loop, Repeat(3, loop), PrintTensor("m", m), Copy(t, out)};
    programs = {
        body, Sequence{RepeatWhileTrue(testBelow(graph, x, flag, 20), flag, Call(count)),
                       If(flag, Copy(five, x), Call(count)),
                       Switch(x, {{22, countUp(graph, x, 100)}, {23, Copy(five, x)}}, Sequence())}};
  }
};

/// All that the programs leave behind.
std::string results(Executable const &executable, Device const &device) {
  Engine engine(executable);
  std::ostringstream text;
  engine.setPrintStream(text);
  std::vector<float> in(48), out(24);
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<float>(i);
  engine.connectStream("in", in.data(), in.data() + in.size());
  engine.connectStream("out", out.data(), out.data() + out.size());
  engine.load(device);
  engine.run(0);
  engine.run(1);
  for (float value : out)
    text << value << ' ';
  text << read<int>(engine, "x", 1)[0] << ' ' << read<float>(engine, "m", 24)[5];
  if (device.getTarget().getTargetType() != TargetType::CPU)
    text << ' ' << read<unsigned>(engine, "clock", 2)[0];
  return text.str();
}

/// The file with another text of the same length in it, and right checksums.
std::string replaced(std::string file, std::string const &from, std::string const &to) {
  REQUIRE(from.size() == to.size());
  std::size_t const at = file.find(from);
  REQUIRE(at != std::string::npos);
  file.replace(at, from.size(), to);
  cottonwood::engine::repairChecksums(std::as_writable_bytes(std::span(file)));
  return file;
}

Executable smallExecutable() {
  Graph graph(Device::createCPUDevice().getTarget());
  Tensor const x = variable(graph, FLOAT, {4}, "x"), y = variable(graph, FLOAT, {4}, "y");
  ComputeSet const cs = graph.addComputeSet("scale");
  graph.setTileMapping(
      graph.addVertex(cs, "engineTest::Scale", {{"in", x}, {"out", y}, {"factor", 2.F}}), 0);
  return compileGraph(graph, {Program(Execute(cs))});
}

} // namespace

TEST_SUITE("poplar/engine/executable") {
  TEST_CASE("a stored executable computes what it computed before") {
    onAllDevices([](Device const &device) {
      Everything all(device);
      Executable const executable = compileGraph(all.graph, all.programs, {}, {}, "trained");
      std::string const file = stored(executable);
      Executable const again = loaded(file);
      CHECK(stored(again) == file);
      CHECK(results(again, device) == results(executable, device));
    });
  }

  TEST_CASE("the stream may hold other things before and behind") {
    std::stringstream stream;
    Executable const executable = smallExecutable();
    stream << "before";
    executable.serialize(stream);
    executable.serialize(stream);
    stream << "behind";
    std::string text(6, ' ');
    stream.read(text.data(), 6);
    CHECK(stored(Executable::deserialize(stream)) == stored(executable));
    CHECK(stored(Executable::deserialize(stream)) == stored(executable));
    stream >> text;
    CHECK(text == "behind");
    CHECK(stored(Executable::deserialize(
              std::make_unique<std::istringstream>(stored(executable)))) == stored(executable));
  }

  TEST_CASE("an engine writes the executable it has") {
    Executable const executable = smallExecutable();
    std::ostringstream out;
    Engine(executable).serializeExecutable(out);
    CHECK(out.str() == stored(executable));
  }

  TEST_CASE("a file that was cut or changed anywhere is refused") {
    std::string const file = stored(smallExecutable());
    for (std::size_t length = 0; length < file.size(); ++length)
      CHECK_THROWS_AS(loaded(file.substr(0, length)), poplar_error);
    for (std::size_t i = 0; i < file.size(); ++i)
      for (int const change : {1, 0x80}) {
        std::string changed = file;
        changed[i] = static_cast<char>(changed[i] ^ change);
        CHECK_THROWS_AS(loaded(changed), poplar_error);
      }
  }

  TEST_CASE("a wrong field under right checksums is refused or harmless") {
    CHECK(refusedWithWrongByte(stored(smallExecutable()), 5000, 7) > 300);
  }

  TEST_CASE("errors name the field, what was found and what is wanted") {
    std::string const file = stored(smallExecutable());
    checkRefused(
        [&] {
          loaded("\x7f"
                 "ELF plus some more text");
        },
        {"magic", "7f 45 4c 46", "no stored executable"});
    checkRefused([&] { loaded(""); }, {"header: 0 bytes found, 12 are wanted"});
    checkRefused([&] { loaded(file.substr(0, file.size() - 5)); },
                 {"payload", "bytes found", "are wanted", "truncated"});
    std::string version = file;
    version[8] = 99;
    checkRefused([&] { loaded(version); }, {"format version: 99 found, 6 is wanted"});
    std::string damaged = file;
    damaged[damaged.size() - 20] ^= 4;
    checkRefused([&] { loaded(damaged); }, {"payload: its checksum", "damaged"});
    std::string count = file;
    std::memset(count.data() + count.find("engineTest::Scale") - 8, 0x11, 4);
    cottonwood::engine::repairChecksums(std::as_writable_bytes(std::span(count)));
    checkRefused([&] { loaded(count); },
                 {"codelets[0].name: text of 286331153 bytes found, but only", "are left"});
  }

  TEST_CASE("only the same release is taken unless any is asked for") {
    std::string const file = stored(smallExecutable());
    std::string const hash = packageHash();
    std::string const other = replaced(file, hash, "C" + hash.substr(1));
    checkRefused([&] { loaded(other); }, {"release", hash, "checkPackageHash = false"});
    CHECK_NOTHROW(loaded(other, false));
    CHECK(hash == "cottonwood-" POP_VERSION);
  }

  TEST_CASE("vertices must be known with the same fields where they are loaded") {
    Device const device = Device::createCPUDevice();
    std::string const file = stored(smallExecutable());
    Engine unknown(loaded(replaced(file, "engineTest::Scale", "engineTest::Scald")));
    checkRefused<unknown_vertex_type>([&] { unknown.load(device); },
                                      {"engineTest::Scald", "near names", "engineTest::Scale"});
    Engine other(loaded(replaced(file, "engineTest::Scale", "engineTest::Count")));
    checkRefused<graph_object_load_error>([&] { other.load(device); },
                                          {"engineTest::Count", "other fields"});
    CHECK_NOTHROW(Engine(loaded(file)).load(device));
  }

  TEST_CASE("empty executables and streams that fail are errors") {
    std::ostringstream out;
    checkRefused([&] { Executable().serialize(out); }, {"Executable::serialize", "empty"});
    out.setstate(std::ios::badbit);
    checkRefused([&] { smallExecutable().serialize(out); }, {"the stream failed"});
    checkRefused([&] { Executable::deserialize(std::unique_ptr<std::istream>()); }, {"null"});
    std::ifstream missing("there/is/no/such/file", std::ios::binary);
    checkRefused([&] { Executable::deserialize(missing); },
                 {"Executable::deserialize: the stream cannot be read"});
  }

  TEST_CASE("progress grows to its total, which is the same in all calls") {
    Graph graph(Device::createCPUDevice().getTarget());
    std::vector<std::pair<int, int>> calls;
    auto const note = [&](int progress, int total) { calls.emplace_back(progress, total); };
    compileGraph(graph, {Program(Sequence())}, {}, note);
    REQUIRE(!calls.empty());
    CHECK(calls.back().first == calls.back().second);
    CHECK(calls.back().second > 0);
    for (std::size_t i = 1; i < calls.size(); ++i) {
      CHECK(calls[i].first >= calls[i - 1].first);
      CHECK(calls[i].second == calls[0].second);
    }
  }

  TEST_CASE("modules compile") {
    Graph graph(Device::createCPUDevice().getTarget());
    CHECK(compileModule(graph, Sequence()).executable().data() != nullptr);
    CHECK(Module().executable().data() == nullptr);
  }

  TEST_CASE("modules are stored as executables are") {
    Device const device = Device::createCPUDevice();
    Graph graph(device.getTarget());
    Tensor const x = variable(graph, INT, {}, "x");
    std::stringstream file;
    compileModule(graph, countUp(graph, x, 5)).serialize(file);
    Engine engine(Module::deserialize(file).executable());
    engine.loadAndRun(device);
    CHECK(read<int>(engine, "x", 1) == std::vector<int>{5});
    checkRefused([] { Module().serialize(std::cout); }, {"Module::serialize", "empty"});
  }

  TEST_CASE("the other forms of compileGraph compile the same") {
    Device const device = Device::createCPUDevice();
    struct Sevens {
      explicit Sevens(Device const &device)
          : graph(device.getTarget()), program(countUp(graph, variable(graph, INT, {}, "x"), 7)) {}
      Graph graph;
      Program program;
    };
    Sevens kept(device), a(device), b(device), c(device), d(device);
    Graph &graph = kept.graph;
    Program const program = kept.program;
    Preallocations const held = Preallocations::of({compileModule(graph, Sequence())});
    CHECK(held.bytesByTile().empty()); // a CPU has no tile memory
    OptionFlags const options{{"debug.verify", "true"}};
    int calls = 0;
    auto const note = [&](int, int) { ++calls; };
    std::vector<Executable> all;
    all.push_back(compileGraph(graph, {program}, true));
    all.push_back(compileGraph(graph, {program}, false, options, note, "name"));
    all.push_back(compileGraph(graph, {program}, {}));
    all.push_back(compileGraph(graph, {program}, {}, {}));
    all.push_back(compileGraph(graph, {program}, {}, {}, "name"));
    all.push_back(compileGraph(graph, {program}, held));
    all.push_back(compileGraph(graph, {program}, held, options, note, "name"));
    all.push_back(compileGraph(graph, {program}, held, true));
    all.push_back(compileGraph(graph, {program}, held, false, options, note, "name"));
    all.push_back(compileModule(graph, program, held, options, note, "name").executable());
    all.push_back(compileModule(std::move(a.graph), a.program, held).executable());
    all.push_back(compileGraph(std::move(b.graph), {b.program}, true));
    all.push_back(compileGraph(std::move(c.graph), {c.program}, held));
    all.push_back(compileGraph(std::move(d.graph), {d.program}, held, false));
    CHECK(calls >= 4);
    for (Executable const &executable : all) {
      Engine engine(executable);
      engine.loadAndRun(device);
      CHECK(read<int>(engine, "x", 1) == std::vector<int>{7});
    }
  }

  TEST_CASE("a module is compiled to fit beside others") {
    Graph graph(Target::createIPUTarget(1, 2, "ipu2"));
    // Kept between programs: 400,000 of 638,976 bytes of tile 1.
    Tensor const x = variable(graph, FLOAT, {100000}, "weights", 1);
    Module const first = compileModule(graph, Sequence(Copy(x, x.reverse(0))));
    Preallocations const one = Preallocations::of({first});
    CHECK(one.bytesByTile() == std::vector<std::uint64_t>{0, 400000});
    CHECK(Preallocations::of({first, first}).bytesByTile()[1] == 800000);
    Graph other(graph.getTarget());
    Tensor const y = variable(other, FLOAT, {80000}, "more", 1);
    Sequence const program(Copy(y, y.reverse(0)));
    compileModule(other, program);
    checkRefused<graph_memory_allocation_error>([&] { compileModule(other, program, one); },
                                                {"out of memory on 1 of 2 tiles", "tile 1 needs ",
                                                 "has 638976 (400000 held by other modules, "
                                                 "320000 variables that are always live, "});
    compileGraph(other, {program}, one, {{"debug.allowOutOfMemory", "true"}});
    Graph wide(Target::createIPUTarget(1, 4, "ipu2"));
    checkRefused([&] { compileModule(wide, Sequence(), one); },
                 {"a target with 2 tiles; this one has 4"});
    checkRefused(
        [&] {
          Preallocations::of({first, compileModule(wide, Sequence())});
        },
        {"one module has 2 tiles", "another 4"});
    checkRefused([] { Preallocations::of({Module()}); }, {"Preallocations", "empty"});
  }
}
