// Call shapes of existing programs: what must compile, and choose the right overload, in every
// language standard. Included once per standard by IdiomsCxxNN.cpp. doctest tells cases apart by
// file and line, hence the #line.
#include <poplar/CycleCount.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/Program.hpp>
#include <poplar/Vertex.hpp>
#include <poplar/VertexIntrospector.hpp>

#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

using namespace poplar;
using namespace poplar::program;

namespace {

class Scale : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  float factor;
  unsigned short n;
  bool flag;
  void compute() {
    for (std::size_t i = 0; i != in.size(); ++i)
      out[i] = in[i] * factor;
  }
};

class Rows : public Vertex {
public:
  Vector<Input<Vector<float>>> in;
  InOut<float> sum;
  Input<unsigned> count;
  Vector<unsigned> offsets;
  bool compute() { return in.size() == *count; }
};

Graph makeGraph(unsigned numTiles = 8) {
  IPUModel model;
  model.numIPUs = 1;
  model.tilesPerIPU = numTiles;
  Device device = model.createDevice();
  return Graph(device);
}

} // namespace

POPLAR_VERTEX(Scale, in, out, factor, n, flag)
POPLAR_VERTEX(Rows, in, sum, count, offsets);

TEST_SUITE_BEGIN("poplar/graph/idioms");

#line 1 POP_IDIOMS_FILE

TEST_CASE(POP_IDIOMS_STANDARD ": graphs are made, moved and stored") {
  Target target = Target::createCPUTarget();
  Graph a(target);
  Graph b{target};
  auto c = Graph(Target::createCPUTarget());
  Graph d(Device::createCPUDevice());
  Graph e(target, replication_factor(1));
  const poplar::Graph f(target, poplar::replication_factor(1));
  std::vector<Graph> graphs;
  graphs.push_back(std::move(a));
  graphs.emplace_back(b.createVirtualGraph(0, 1));
  graphs[0] = b.createVirtualGraph(0u, 1u);
  std::unique_ptr<Graph> owned(new Graph(target));
  std::size_t lower = 0, upper = 1;
  Graph g = owned->createVirtualGraph(static_cast<unsigned>(lower), static_cast<unsigned>(upper));
  CHECK(f.getTarget().getNumTiles() == 1);
  CHECK(g.getReplicationFactor() == 1);
}

TEST_CASE(POP_IDIOMS_STANDARD
          ": variables and constants take every spelling of shape, value and name") {
  Graph graph = makeGraph();
  DebugNameAndId dnai("parent");
  DebugContext debugContext("context");
  std::vector<std::size_t> shape = {2, 3};
  std::array<std::size_t, 2> arrayShape = {{2, 3}};
  unsigned rows = 4;
  std::size_t cols = 5;

  Tensor v = graph.addVariable(FLOAT, {4}, "v1");
  CHECK(v.shape() == std::vector<std::size_t>{4});
  CHECK(graph.addVariable(FLOAT, {}).rank() == 0);
  CHECK(graph.addVariable(FLOAT, {}, "s").rank() == 0);
  CHECK(graph.addVariable(FLOAT, {rows, cols}).numElements() == 20);
  CHECK(graph.addVariable(HALF, shape, {dnai, "x"}).rank() == 2);
  CHECK(graph.addVariable(HALF, arrayShape, {dnai}).rank() == 2);
  CHECK(graph.addVariable(HALF, v.shape(), debugContext).rank() == 1);
  CHECK(graph.addVariable(INT, {cols}, VariableMappingMethod::LINEAR, "t1").numElements() == 5);
  CHECK(graph.addVariable(INT, {cols}, VariableMappingMethod::LINEAR).numElements() == 5);
  graph.addVariable(HALF, shape, "p/" + std::to_string(1));
  // The metadata forms ignore the metadata of all types but QUARTER.
  CHECK(graph.addVariable(v.elementType(), v.getMetadata(), {0}).numElements() == 0);
  CHECK(graph.addVariable(v.elementType(), v.getMetadata(), {3}, "m").numElements() == 3);
  CHECK(graph.addConstant(v.elementType(), v.getMetadata(), {0}, 0, {dnai, "zero"}).numElements() ==
        0);

  std::vector<float> floats = {1, 2, 3};
  std::vector<unsigned short> shorts = {1, 2, 3};
  std::size_t n = 3;
  CHECK(graph.addConstant(UNSIGNED_INT, {1}, 0, {dnai, "zero"}).numElements() == 1);
  CHECK(graph.addConstant<float>(FLOAT, {4}, {1.0, 1.5, 2.0, 2.5}).numElements() == 4);
  CHECK(graph.addConstant<long unsigned int>(FLOAT, {1}, n, {dnai, "count"}).numElements() == 1);
#if !defined(__clang__) // warns of braces around a scalar
  CHECK(graph.addConstant<long unsigned int>(FLOAT, {1}, {n}, {dnai, "count"}).numElements() == 1);
#endif
  CHECK(graph.addConstant(FLOAT, {3}, floats.data(), "name").numElements() == 3);
  CHECK(graph.addConstant(UNSIGNED_SHORT, {shorts.size()}, shorts.data()).numElements() == 3);
  CHECK(graph.addConstant(FLOAT, {floats.size()}, ArrayRef<float>(floats), {dnai}).numElements() ==
        3);
  CHECK(graph.addConstant<float>(FLOAT, {floats.size()}, floats).numElements() == 3);
  CHECK(graph.addConstant(FLOAT, {}, (float)M_PI, "PI").rank() == 0);
  CHECK(graph.addConstant(UNSIGNED_INT, {}, 2, "2").rank() == 0);
  CHECK(graph.addConstant(FLOAT, {2}, &floats[0], TypeTraits::make<float>(), false).numElements() ==
        2);
  std::uint16_t bits[2] = {0x3c00, 0x4000};
  CHECK(graph.addConstantHalf(HALF, {2}, bits).numElements() == 2);
  CHECK(graph.addConstantHalf(HALF, {2}, bits[0], "h").numElements() == 2);
  CHECK(graph.addConstant(HALF, {}, IeeeHalf(1.5f)).rank() == 0);

  bool truth = false;
  CHECK(graph.addConstant(BOOL, {}, true).getConstantValue(&truth));
  CHECK(truth);
  float fromInt = 0;
  CHECK(graph.addConstant(FLOAT, {}, 1).getConstantValue(&fromInt));
  CHECK(fromInt == 1);
}

TEST_CASE(POP_IDIOMS_STANDARD ": clone takes a type, a tensor, a name and a method") {
  Graph graph = makeGraph();
  DebugNameAndId dnai("parent");
  Tensor t = graph.addVariable(FLOAT, {4}, VariableMappingMethod::LINEAR, "t");
  CHECK(graph.clone(t).elementType() == FLOAT);
  CHECK(graph.clone(t, {dnai, "x"}).numElements() == 4);
  CHECK(graph.clone(t, "name").numElements() == 4);
  CHECK(graph.clone(t, "name", TensorCloneMethod::CREATE_NEW_ORDER).numElements() == 4);
  CHECK(graph.clone(HALF, t, "x").elementType() == HALF);
  CHECK(graph.clone(HALF, t).elementType() == HALF);
  CHECK(graph.clone(t.getMetadata(), t, "m").elementType() == FLOAT);
  CHECK(
      graph.clone(t, {dnai, "x"}, TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES).numElements() ==
      4);
  CHECK(graph.cloneN(t, 3, {dnai, "n"}).shape() == std::vector<std::size_t>{3, 4});
}

TEST_CASE(POP_IDIOMS_STANDARD ": vertices connect to tensors, lists and values") {
  Graph graph = makeGraph();
  Tensor t = graph.addVariable(FLOAT, {2, 4}, VariableMappingMethod::LINEAR, "t");
  Tensor out = graph.addVariable(FLOAT, {8}, VariableMappingMethod::LINEAR, "out");
  Tensor sum = graph.addVariable(FLOAT, {}, VariableMappingMethod::LINEAR, "sum");
  std::string const name = "Scale";
  ComputeSet cs = graph.addComputeSet("n");
  auto unnamed = graph.addComputeSet();
  CHECK_FALSE(cs == unnamed);

  auto v = graph.addVertex(cs, name);
  graph.connect(v["in"], t.flatten());
  graph.connect(v[std::string("out")], out);
  graph.setInitialValue(v["factor"], 2);
  graph.setInitialValue(v["n"], t.dim(0) - 1);
  graph.setInitialValue(v["flag"], true);
  graph.setTileMapping(v, 3);
  graph.setPerfEstimate(v, 20);
  CHECK(graph.getPerfEstimate(v).cycles == 20);

  std::vector<Tensor> list = {t[0], t[1]};
  VertexRef w = graph.addVertex(cs, "Rows", {{"in", list}, {"sum", sum}, {"count", 2u}});
  graph.setInitialValue(w["offsets"], std::vector<unsigned>{1, 2, 3});
  graph.setTileMapping(graph.addVertex(cs, "Rows", {{"in", {t[0], t[1]}}}), 0);
  graph.addVertex(cs, "Rows", {{"in", t}});
  graph.addVertex(
      cs, "Rows",
      {{"in", t.flatten().slices(std::vector<Interval>{Interval(0, 3), Interval(3, 8)})}});
  graph.addVertex(cs, "Scale", {{"out", concat(t[0], t[1])}});
  std::vector<Graph::ConnectionDesc> connections;
  connections.push_back({"in", t.flatten()});
  graph.addVertex(cs, "Scale", connections);

  VertexRef x = graph.addVertex(cs, "Rows");
  graph.setFieldSize(x["in"], 2);
  graph.connect(x["in"][0], t[0]);
  std::size_t i = 1;
  graph.connect(x["in"][i], t[1]);
  graph.connect(x["count"], t.dim(0));
  graph.connect(x["sum"], sum);
  graph.setInitialValue(x["offsets"], ArrayRef<unsigned>({0}));
  CHECK(graph.getFieldSize(x["in"]) == 2);
  CHECK(graph.getNumVertices() == 8);

  graph.registerPerfEstimator(
      "Rows", [](VertexIntrospector const &vertex, Target const &) -> std::uint64_t {
        const auto in = vertex.getFieldInfo("in");
        return in.size() + in[0].size();
      });
  CHECK(graph.getPerfEstimate(x).cycles == 6);
}

TEST_CASE(POP_IDIOMS_STANDARD ": tile mappings are given as a tile or as intervals") {
  Graph graph = makeGraph();
  Tensor t = graph.addVariable(FLOAT, {3});
  std::size_t tile = 1;
  graph.setTileMapping(t, {{{0, 1}}, {{1, 2}}, {{2, 3}}});
  graph.setTileMapping(t, static_cast<unsigned>(tile));
  graph.setTileMapping(t[0], 2);
  for (int i = 0; i < 3; ++i)
    graph.setTileMapping(t[static_cast<std::size_t>(i)], static_cast<unsigned>(i));
  bool full = false;
  auto mapping = graph.getTileMapping(t, &full);
  CHECK(full);
  CHECK(mapping.size() == 8);
  mapping = graph.getTileMapping(t, false);
  mapping[7].push_back({0, 1});
  mapping[6].emplace_back(1, 2);
  Tensor u = graph.clone(t);
  graph.setTileMapping(u, graph.getTileMapping(t));
  std::vector<std::vector<Interval>> const own = {{}, {Interval(0, 3)}};
  graph.setTileMapping(u, own);
  CHECK(graph.getTileMapping(u)[1] == std::vector<Interval>{Interval(0, 3)});
}

TEST_CASE(POP_IDIOMS_STANDARD ": initial values of tensors") {
  Graph graph = makeGraph();
  Tensor t = graph.addVariable(UNSIGNED_INT, {2});
  std::vector<unsigned> values = {1, 2};
  graph.setInitialValue(t, 0);
  graph.setInitialValue(t[0], 1.0f);
  graph.setInitialValue(t[1], ArrayRef<std::uint32_t>({0}).front());
  graph.setInitialValue<unsigned>(t, values);
  graph.setInitialValue<unsigned>(t, {10, 11});
  Tensor f = graph.addVariable(FLOAT, {2});
  graph.setInitialValue<float>(f, {0.3f, 0.4f});
  graph.setInitialValue(f, true);
  Tensor h = graph.addVariable(HALF, {2});
  graph.setInitialValueHalf(h, 0x3c00);
  graph.setInitialValueHalf(h, std::vector<std::uint16_t>{0x3c00, 0x4000});
  CHECK(h.valid());
}

TEST_CASE(POP_IDIOMS_STANDARD ": memory order queries take braces and vectors") {
  Graph graph = makeGraph();
  Tensor t = graph.addVariable(FLOAT, {4, 4}).transpose().flatten();
  Tensor u = graph.addVariable(FLOAT, {16});
  CHECK(graph.getSortedContiguousRegions(t, {{0, t.numElements()}}).size() == 1);
  std::vector<Interval> const regions = {Interval(0, 4)};
  std::vector<std::size_t> aliases;
  CHECK(graph.getSortedContiguousRegions(t, regions, true, &aliases).size() == 4);
  graph.reorderToSimplify(&t, {&u}, false);
  graph.reorderToSimplify(&t, {});
  std::vector<Tensor *> others = {&u};
  graph.reorderToSimplify(&t, others);
  CHECK(t.isContiguous());
}

TEST_CASE(POP_IDIOMS_STANDARD ": virtual graphs") {
  Graph graph = makeGraph();
  std::vector<unsigned> tiles = {3, 5};
  CHECK(graph.createVirtualGraph(4).getTarget().getNumTiles() == 4);
  CHECK(graph.createVirtualGraph(0, 4).getTarget().getNumTiles() == 4);
  CHECK(graph.createVirtualGraph(tiles).getTarget().getNumTiles() == 2);
}

TEST_CASE(POP_IDIOMS_STANDARD ": host access and streams") {
  Graph graph = makeGraph();
  Tensor t = graph.addVariable(FLOAT, {2});
  graph.createHostWrite("in", t);
  graph.createHostRead("out", t, true);
  auto up = graph.addHostToDeviceFIFO("h", FLOAT, 2);
  DataStream down = graph.addDeviceToHostFIFO("d", INT, t.numElements(), {{"bufferingDepth", "4"}});
  graph.addHostToDeviceFIFO("b", FLOAT, 2, ReplicatedStreamMode::BROADCAST,
                            {{"bufferingDepth", "2"}, {"splitLimit", "0"}});
  std::map<std::string, DataStream> streams;
  streams["x"] = up;
  std::vector<DataStream> copies(2, poplar::DataStream(down));
  CHECK(copies[1].handle() == "d");
  CHECK(streams["x"].numElements() == 2);
}

namespace {

Program asProgram() {
  Sequence sequence;
  return sequence;
}
void takesSequence(Sequence &sequence) { sequence.add(Program()); }

} // namespace

TEST_CASE(POP_IDIOMS_STANDARD ": programs are written in every form") {
  Graph graph = makeGraph();
  DebugNameAndId dnai("parent");
  DebugContext debugContext("context");
  Tensor a = graph.addVariable(FLOAT, {2}, VariableMappingMethod::LINEAR, "a");
  Tensor b = graph.addVariable(FLOAT, {2}, VariableMappingMethod::LINEAR, "b");
  Tensor flag = graph.addVariable(BOOL, {}, VariableMappingMethod::LINEAR, "flag");
  Tensor index = graph.addVariable(INT, {}, VariableMappingMethod::LINEAR, "index");
  DataStream up = graph.addHostToDeviceFIFO("h", FLOAT, 2);
  DataStream down = graph.addDeviceToHostFIFO("d", FLOAT, 2);
  ComputeSet cs = graph.addComputeSet();

  Sequence p;
  p.add(Copy(a, b));
  p.add(Execute(cs));
  p.add(Execute(cs, {dnai, "x"}));
  p.add(Execute(cs, "name"));
  p.add(Execute(cs, flag));
  p.add(Sequence(Copy(a, b), Execute(cs)));
  p.add(p);
  Sequence up1, run, done;
  Copy copy(a, b);
  Sequence empty = Sequence();
  CHECK(Sequence({Copy(up, a), Execute(cs), Copy(a, down)}).isEmpty() == false);
  CHECK(Sequence{up1, run, done} == Sequence(up1, run, done));
  CHECK(Sequence{copy} == Sequence({copy}));
  CHECK(Sequence(copy) == Sequence({copy}));
  Sequence again(p);
  CHECK(again == p);
  CHECK(Sequence("name") == Sequence());
  CHECK(Sequence({dnai, "x"}) == Sequence());
  CHECK(Sequence({dnai}) == Sequence());
  DebugInfo di(debugContext, "test");
  CHECK(Sequence(di) == Sequence());
  CHECK(Sequence({di, "x"}) == Sequence());
  CHECK(Sequence({}, {di}) == Sequence());
  CHECK(Sequence{{}, {di}} == Sequence());
  Sequence named0{{di}};
  CHECK(named0 == Sequence(dnai));
  CHECK(Sequence({}, {dnai, "x"}) == Sequence());
  CHECK(Sequence({}, {dnai}) == Sequence());
  CHECK(Sequence({}, debugContext) == Sequence());
  CHECK(Sequence{{}, {dnai}} == Sequence());
  CHECK(Sequence{{}, {dnai, "x"}} == Sequence());
  Sequence named{{dnai}};
  CHECK(named == Sequence());
  Sequence named2{{dnai, "x"}};
  CHECK(named2 == Sequence());
  Sequence named3(DebugContext{"name"});
  CHECK(named3 == Sequence());
  CHECK(Sequence({copy, empty}, {dnai, "n"}) == Sequence(copy, empty));

  p.add(Copy(a, b, false, {dnai}));
  p.add(Copy(a, b, false, "n"));
  p.add(Copy(up, a, false, {dnai}));
  p.add(Copy(a, down, true));
  p.add(Repeat(10, Sequence{copy, empty}));
  Repeat mainLoop{5, Sequence{copy, copy}};
  std::size_t n = 3;
  p.add(Repeat(static_cast<unsigned>(n), p, {dnai}));
  p.add(If(flag, Sequence(copy), Sequence()));
  p.add(If(index, copy, Sequence(), {dnai}));
  p.add(RepeatWhileTrue(Sequence(), flag, p, {dnai}));
  p.add(RepeatWhileFalse(Sequence(), flag.reshape({1}), p));
  p.add(Switch(index, {{0, copy}, {1, empty}}, {dnai}));
  p.add(Switch(index, {{0, empty}}, p, {dnai}));
  p.add(Switch(index, {{0, p}}, copy));
  Switch sw(index.reshape({}), {dnai});
  sw.add(0, copy).add(1, p);
  p.add(sw);
  p.add(Switch::switchWithUnreachableDefault(index));
  p.add(Switch::switchWithBoundsChecking(index, {{0, copy}}));
  Function f = graph.addFunction(p);
  p.add(Call(f));
  p.add(Call(f, {dnai}));
  p.add(PrintTensor(a));
  p.add(PrintTensor(a, "x"));
  p.add(PrintTensor("title", a));
  p.add(PrintTensor("title", a, {dnai}));
  p.add(PrintTensor("title", a, "name"));
  p.add(PrintTensor(a, PrintTensorFmt()));
  p.add(PrintTensor("title", a, {1000, 3}));
  p.add(WriteUndef(a, {dnai}));
  p.add(Sync(SyncType::INTERNAL));

  std::vector<Program> programs;
  programs.push_back(p);
  programs[0] = Copy(a, b);
  programs = {p, copy};
  std::vector<Program> three(3);
  std::vector<Sequence> sequences(2);
  std::map<std::string, Program> byName;
  byName["x"] = p;
  std::pair<Tensor, Program> pair(a, p);
  std::function<Program(Tensor const &)> make = [&](Tensor const &t) {
    Sequence s;
    s.add(Copy(t, b));
    return s;
  };
  CHECK(make(a) == Sequence(copy));
  Program const &reference = p;
  CHECK_FALSE(reference.isEmpty());
  CHECK(three[0].isEmpty());
  CHECK_FALSE(asProgram().isEmpty());
  takesSequence(p);
  p.add(std::move(again));
  Tensor cycles = cycleCount(graph, p, 0, SyncType::INTERNAL, "cycles");
  CHECK(cycles.shape() == std::vector<std::size_t>{2});
}

TEST_CASE(POP_IDIOMS_STANDARD
          ": remote buffers, host functions and errors are written in every form") {
  Graph graph = makeGraph();
  DebugNameAndId dnai("parent");
  Tensor t = graph.addVariable(FLOAT, {2}, VariableMappingMethod::LINEAR, "t");
  Tensor rows = graph.addVariable(FLOAT, {3, 2}, VariableMappingMethod::LINEAR, "rows");
  Tensor offsets = graph.addVariable(UNSIGNED_INT, {3}, VariableMappingMethod::LINEAR, "offsets");
  Tensor flag = graph.addVariable(BOOL, {}, VariableMappingMethod::LINEAR, "flag");
  RemoteBuffer one = graph.addRemoteBuffer("one", FLOAT, 2);
  auto many = graph.addRemoteBuffer(std::string("many"), FLOAT, t.numElements(), 4, true, false);
  std::unordered_map<std::size_t, RemoteBuffer> buffers;
  buffers[3] = one;
  CHECK(buffers[3] == one);
  CHECK(one != many);
  Sequence p;
  p.add(Copy(one, t));
  p.add(Copy(t, one, {dnai}));
  p.add(Copy(many, rows, offsets));
  p.add(Copy(rows, many, offsets, {dnai, "x"}));

  std::size_t n = 2;
  std::vector<Graph::HostFunctionArgument> arguments;
  arguments.emplace_back(t.elementType(), n);
  HostFunction f = graph.addHostFunction("f", {{FLOAT, 2}}, {{FLOAT, n}});
  HostFunction g = graph.addHostFunction("g", {{FLOAT, 2}, {FLOAT, n}}, {});
  HostFunction h = graph.addHostFunction("h", {}, arguments);
  std::vector<Tensor> inputs(1, t);
  std::vector<Tensor> outputs;
  p.add(Call(f, {t}, {t}));
  p.add(Call(g, {t, t}, {}));
  p.add(Call(h, outputs, inputs, {dnai, "x"}));
  CHECK(f != g);
  Function body = graph.addFunction(p);
  FunctionBuffer code = graph.addFunctionBuffer(body, FunctionBufferMappingType::REMOTE);
  p.add(Copy(code, body));
  p.add(Copy(body, code, {dnai}));

  p.add(ErrorProgram("text", t));
  p.add(If(flag, ErrorProgram(std::string("text"), t, {dnai}), Sequence(), {dnai}));
  p.add(Abort());
  p.add(Abort({dnai, "x"}));
  p.add(Abort("text"));
  p.add(Abort(std::string("text"), "name"));
  p.add(AbortOnCondition(flag));
  p.add(AbortOnCondition(flag, {dnai, "/InvalidIndex"}));
  p.add(AbortOnCondition(flag, "text", {dnai}));
  p.add(AbortOnCondition(flag, std::string("text")));
  p.add(Block(p, "block"));
  Loop loop(p);
  CHECK_FALSE(loop.isEmpty());
  CHECK(Abort("text") == Abort(std::string("text")));
  CHECK_FALSE(Abort("text") == Abort("other"));
}

TEST_SUITE_END();
