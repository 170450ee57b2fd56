// Damaged files of executables, half of them with right checksums: refused, or good enough to load,
// to be written again, and for their tensors to be read.
#include "Fuzz.hpp"
#include "Vertices.hpp"

#include <poplar/Device.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Executable.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/engine/ExecutableFile.hpp>
#include <poplar/impl/lower/ExecutableData.hpp>

#include <cstring>
#include <new>
#include <sstream>
#include <string>
#include <vector>

using namespace poplar;
using namespace poplar::program;
using fuzz::below;
using fuzz::oneIn;
using fuzz::Random;

namespace {

/// Loading a larger one would test the machine's memory.
constexpr std::uint64_t MAX_BYTES = std::uint64_t{1} << 26;

/// A little of everything.
std::string fileFor(Device const &device) {
  Graph graph(device.getTarget());
  auto const variable = [&](Type const &type, std::vector<std::size_t> const &shape,
                            std::string const &name) {
    Tensor const t = graph.addVariable(type, shape, name);
    graph.setTileMapping(t, 0);
    graph.createHostRead(name, t);
    return t;
  };
  Tensor const x = variable(INT, {6, 4}, "x"), y = variable(INT, {4}, "y");
  Tensor const flag = variable(BOOL, {}, "flag"), i = variable(INT, {}, "i");
  graph.setInitialValue(i, 7);
  DataStream const in = graph.addHostToDeviceFIFO("in", INT, 4);
  DataStream const out = graph.addDeviceToHostFIFO("out", INT, 24);
  ComputeSet const mix = graph.addComputeSet("mix"), odd = graph.addComputeSet("odd");
  graph.setTileMapping(
      graph.addVertex(
          mix, "fuzzTest::Mix",
          {{"a", y}, {"b", x[1]}, {"out", x.slice(2, 6).transpose()[3]}, {"factor", 3}}),
      0);
  graph.setTileMapping(graph.addVertex(odd, "fuzzTest::Odd", {{"x", i}, {"flag", flag}}), 0);
  Function const function = graph.addFunction(Sequence(Execute(mix)));
  Sequence const program{Copy(in, y),
                         Repeat(3, Sequence{Call(function), Copy(x[2], x[1])}),
                         Execute(odd),
                         If(flag, Copy(y.reverse(0), x[0]), Call(function)),
                         Switch(i, {{1, Sequence(Copy(y, x[3]))}, {7, Sequence()}}),
                         PrintTensor("x", x),
                         Copy(x, out)};
  std::ostringstream file;
  compileGraph(graph, {program, Sequence(Call(function))}, {}, {}, "fuzz").serialize(file);
  return file.str();
}

void change(Random &random, std::string &file) {
  std::size_t const at = below(random, file.size());
  switch (below(random, 6)) {
  case 0:
    file[at] = static_cast<char>(file[at] ^ (1 << below(random, 8)));
    break;
  case 1:
    file[at] = static_cast<char>(random());
    break;
  case 2: { // a number or a part of one
    std::uint64_t const numbers[] = {0, 1, ~std::uint64_t{0}, 255, random(), file.size()};
    std::uint64_t const number = numbers[below(random, 6)];
    std::size_t const bytes = std::min<std::size_t>(1 + below(random, 8), file.size() - at);
    std::memcpy(&file[at], &number, bytes);
    break;
  }
  case 3:
    file.resize(at);
    break;
  case 4:
    file.insert(at, std::string(1 + below(random, 9), static_cast<char>(random())));
    break;
  case 5: // a part from elsewhere
    file.replace(at, below(random, 16), file.substr(below(random, file.size()), 16));
    break;
  }
}

void use(Executable const &executable, Device const &device) {
  std::ostringstream again;
  executable.serialize(again);
  cottonwood::lower::ExecutableData const &data = *executable.data();
  if (data.arenaBytes > MAX_BYTES)
    return;
  Engine engine(executable);
  engine.load(device);
  for (cottonwood::lower::HostTensor const &tensor : data.hostReads) {
    if (tensor.bytes > MAX_BYTES)
      continue;
    std::vector<char> buffer(tensor.bytes);
    engine.readTensor(tensor.handle, buffer.data(), buffer.data() + buffer.size());
  }
}

} // namespace

int main(int argc, char **argv) {
  IPUModel model;
  model.tilesPerIPU = 3;
  Device const devices[] = {Device::createCPUDevice(), model.createDevice()};
  std::string const files[] = {fileFor(devices[0]), fileFor(devices[1])};
  return fuzz::run("fuzz-executables", argc, argv, [&](Random &random) {
    std::size_t const which = below(random, 2);
    std::string file = files[which];
    for (std::size_t n = 1 + below(random, 3); n != 0 && !file.empty(); --n)
      change(random, file);
    if (!oneIn(random, 4))
      cottonwood::engine::repairChecksums(std::as_writable_bytes(std::span(file)));
    std::istringstream in(file);
    try {
      use(Executable::deserialize(in, oneIn(random, 2)), devices[which]);
    } catch (poplar_error const &) {
    }
  });
}
