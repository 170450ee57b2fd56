// What programs write about memory and functions of the host, replicas, ends of programs and files:
// it has to compile in every standard from C++11 on. The numbers are those of the list of idioms
// (H66 ...).
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/HostFunctionCallback.hpp>
#include <poplar/Program.hpp>
#include <poplar/RemoteBuffer.hpp>

#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

using namespace std;
using namespace poplar;
using namespace poplar::program;

struct Adaptor : public HostCallback {
  void operator()(ArrayRef<const void *> inputs, ArrayRef<void *> outputs) override {
    static_cast<float *>(outputs[0])[0] = static_cast<const float *>(inputs[0])[0];
  }
};

static void graphs(Graph &g, DebugInfo const &di, DebugNameAndId const &dnai) {
  Tensor t = g.addVariable(FLOAT, {3}), rows = g.addVariable(FLOAT, {2, 3});
  Tensor offset = g.addVariable(UNSIGNED_INT, {1}), cond = g.addVariable(BOOL, {});
  std::size_t n = 3;
  std::string handle = "r";
  RemoteBuffer buf = g.addRemoteBuffer("buf", FLOAT, n);
  RemoteBuffer many = g.addRemoteBuffer(handle, FLOAT, 3, 4, true, false);
  std::unordered_map<std::size_t, RemoteBuffer> buffers;
  buffers[3] = buf;
  Sequence p;
  p.add(Copy(many, t, offset, {di})); // H66
  p.add(Copy(t, buf));
  p.add(Copy(buf, t));
  p.add(Copy(t, many, offset));
  p.add(Copy(buf, t, {dnai, "x"}));
  if (buf != many && buf.numElements() * many.getRepeats() == n)
    return;
  HostFunction hostFn = g.addHostFunction("h", {{FLOAT, 3}}, {{FLOAT, 1}}); // H93
  HostFunction none =
      g.addHostFunction("none", {{poplar::FLOAT, 3}, {poplar::UNSIGNED_INT, n}}, {});
  std::vector<Graph::HostFunctionArgument> arguments;
  arguments.emplace_back(FLOAT, n);
  g.addHostFunction("list", arguments, {});
  std::vector<Tensor> ins = {t}, outs = {t[0]};
  p.add(Call(hostFn, ins, outs)); // H71
  p.add(Call(hostFn, {t}, {t[0]}, {di}));
  p.add(Call(none, {t, offset}, {}));
  p.add(AbortOnCondition(cond)); // H74
  p.add(AbortOnCondition(cond, {dnai, "/InvalidIndex"}));
  p.add(AbortOnCondition(cond, std::string("text")));
  p.add(ErrorProgram("m", t, {di}));
  p.add(Abort());
  p.add(Block(Copy(t, rows[0]), "name"));
  p.add(AssumeEqualAcrossReplicas(t, {di}));
  std::map<unsigned, unsigned> ring = {{0, 1}, {1, 0}};
  p.add(CrossReplicaCopy(t, rows[0], ring, {di}));
  p.add(Loop(Copy(t, rows[0])));
  Function f = g.addFunction(Copy(t, rows[0]));
  FunctionBuffer fb = g.addFunctionBuffer(f, FunctionBufferMappingType::REMOTE);
  p.add(Copy(fb, f, {di}));
}

static void engines(Graph &g, Device const &dev) {
  Engine e(g, Sequence());
  e.load(dev);
  std::vector<float> v(3);
  unsigned replica = 0;
  std::string handle = "h";
  e.copyToRemoteBuffer(v.data(), "h", 0); // H90
  e.copyFromRemoteBuffer(handle, v.data(), 0, replica);
  e.connectHostFunction("h", 0, [](ArrayRef<const void *> in, ArrayRef<void *> out) { // H93
    static_cast<float *>(out[0])[0] = static_cast<const float *>(in[0])[0];
  });
  e.connectHostFunction("h", 0, HostCallbackHandle{std::unique_ptr<HostCallback>(new Adaptor)});
  e.connectHostFunction("h", 0, std::unique_ptr<Adaptor>(new Adaptor));
  auto exe = compileGraph(g, {Sequence()}); // H97
  std::ofstream out("executable");
  exe.serialize(out);
  e.serializeExecutable(out);
  std::ifstream in("executable");
  Executable x = Executable::deserialize(in);
}

// Everything is looked at; nothing is run.
int main() {
  Device dev = Device::createCPUDevice(2);
  Graph g(dev, replication_factor(2)); // H7
  DebugInfo di("main", "idioms");
  DebugNameAndId dnai(di, "part");
  graphs(g, di, dnai);
  engines(g, dev);
}
