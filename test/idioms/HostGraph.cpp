// What programs write to make devices, options, tensors and vertices: it has to compile in every
// standard from C++11 on, with the overloads that are meant. The numbers are those of the list of
// idioms (H1 ...).
#include <poplar/DeviceManager.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/VertexIntrospector.hpp>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>
#if __cplusplus >= 201703L
#include <optional>
#endif

using namespace std; // small programs have all three
using namespace poplar;
using namespace poplar::program;

static std::size_t f(Graph &, Tensor const &, OptionFlags const &) { return 0; }
static const char *versionName(bool second) { return second ? "ipu2" : "ipu1"; }
static const std::map<poplar::Type, int> staticTypes = {{FLOAT, 4}, {HALF, 2}}; // before main()
static void use(std::string const &, StringRef) {}

static Device firstDevice() {
  auto dm = DeviceManager::createDeviceManager(); // H1
  auto v = dm.getDevices(TargetType::IPU, 1);
  auto all = DeviceManager().getDevices();
  auto it = std::find_if(v.begin(), v.end(), [](Device &d) { return d.attach(); }); // H2
  if (it == v.end())
    throw poplar_error("no device");
  return std::move(*it); // H3
}

static void devicesAndOptions() {
  Device dev;
  dev = firstDevice();
  Device moved = std::move(dev);
  IPUModel m; // H4
  m.numIPUs = 1;
  m.tilesPerIPU = 4;
  m.minIPUSyncDelay = 0;
  m.relativeSyncDelay = IPUModel::RelativeSyncDelayType::NO_DELAY;
  Device d = m.createDevice();
  std::string name = "ipu2";
  IPUModel m2("ipu2"), m3(name.c_str()), m4(versionName(true)); // H5
  Target target = d.getTarget();
  Graph g(d); // H6
  Graph g2(d.getTarget());
  Graph g3{target};
  auto g4 = Graph(Target::createCPUTarget());
  Graph g5(target, replication_factor(1));    // H7
  Device cpu = Device::createCPUDevice();     // H8
  OptionFlags o{{"a.b", "true"}, {"c", "3"}}; // H9
  OptionFlags one = {{"a", "b"}};
  OptionFlags braces{{"a", "b"}};
  Tensor x;
  f(g, x, OptionFlags()); // H10
  f(g, x, {});
  f(g, x, {{"k", "v"}});
  unsigned n = 3;
  bool cond = true;
  o.set("k", std::to_string(n)); // H11
  o.set("k", cond ? "true" : "false");
  o.set({{"k", "v"}});
  for (auto const &kv : o) // H12
    use(kv.first, kv.second);
  std::string at = o.at("k");
  if (target.getTargetType() == TargetType::IPU) // H13
    return;
  switch (target.getTargetType()) {
  case TargetType::CPU:
  case TargetType::IPU:
  case TargetType::IPU_MODEL:
    break;
  }
  std::size_t bytes = target.getTypeSize(FLOAT) * target.getVectorWidth(FLOAT); // H14
  const auto w = target.getNumWorkerContexts();
  bytes += w;
  (void)bytes;
}

static void variables(Graph &g, DebugInfo const &di, DebugNameAndId const &dnai) {
  unsigned rows = 2;
  std::size_t cols = 3, n = 4;
  std::vector<std::size_t> shape = {rows, cols};
  Tensor t = g.addVariable(FLOAT, {4}, "v"); // H15
  g.addVariable(FLOAT, {});                  // H16
  g.addVariable(FLOAT, {}, "s");
  g.addVariable(FLOAT, {rows, cols});                          // H17
  g.addVariable(INT, {n}, VariableMappingMethod::LINEAR, "v"); // H18
  g.addVariable(t.elementType(), t.shape(), "copy");           // H19
  g.addVariable(HALF, shape, {di, "name"});                    // H20
  g.addVariable(HALF, shape, {dnai, "name"});
  g.addVariable(HALF, shape, {di});
  g.addVariable(HALF, shape, {dnai});
  g.addVariable(HALF, shape, di);
  g.addVariable(HALF, shape, dnai);
  g.addVariable(HALF, shape, "p/" + std::to_string(n));       // H21
  g.addVariable(t.elementType(), t.getMetadata(), {n}, {di}); // H22
  g.addConstant<float>(FLOAT, {4}, {1.0, 1.5, 2.0, 2.5});     // H23
  g.addConstant(UNSIGNED_INT, {}, 0u);                        // H24
  g.addConstant(INT, {1}, 0);
  g.addConstant(FLOAT, {}, 1);
  g.addConstant(t.elementType(), {}, true, {di}); // H25
  g.addConstant(t.elementType(), {}, 2.0f, {dnai, "x"});
  std::vector<unsigned short> shorts = {1, 2};
  g.addConstant(UNSIGNED_SHORT, {shorts.size()}, shorts.data()); // H26
  g.addConstant(UNSIGNED_SHORT, {shorts.size()}, shorts.data(), "name");
  std::vector<float> floats = {1, 2};
  std::vector<unsigned> unsigneds = {1, 2};
  g.addConstant(FLOAT, {floats.size()}, ArrayRef<float>(floats), {di}); // H27
  g.addConstant<unsigned>(UNSIGNED_INT, {unsigneds.size()}, unsigneds);
  std::vector<std::uint16_t> bits = {0x3c00};
  g.addConstantHalf(HALF, {bits.size()}, bits.data()); // H28
  Tensor m = g.addVariable(FLOAT, {2, 3});
  g.setTileMapping(t, 0); // H29
  g.setTileMapping(m[0][1], 3);
  g.setTileMapping(t.slice(0, 2), rows);
  std::vector<std::vector<Interval>> mapping(4); // H30
  std::size_t lo = 0, hi = 2;
  mapping[0].push_back({lo, hi}); // H31
  mapping[1].emplace_back(lo, rows);
  Interval i(lo, hi);
  (void)(i.begin() + i.end() + i.size());
  g.setTileMapping(t, mapping);
  g.setTileMapping(g.clone(t), g.getTileMapping(t));
  bool full; // H32
  auto map1 = g.getTileMapping(t, &full);
  auto map2 = g.getTileMapping(t, false);
}

static void views(Graph &g, DebugInfo const &di) {
  Tensor t = g.addVariable(FLOAT, {4, 4, 4}), u = g.addVariable(FLOAT, {4, 4, 4});
  std::size_t lo = 0, hi = 2, n = 4;
  Interval iv(lo, hi);
  std::vector<Interval> intervals = {iv};
  std::vector<std::vector<Interval>> regions = {intervals};
  Tensor a = t[lo], b = t[lo][hi], s1 = t.slice(0, 4), s2 = t.slice({0, 0}, {2, 3}); // H33
  t.slice(lo, hi, 1);
  t.slice(Interval(0, 3));
  t.slice(iv, 1);
  t.slice({lo, hi}, 0);
  t.slices(regions); // H34
  concat(t.slices(regions));
  concat(t.slices(intervals), 1);
  concat(a, a); // H35
  concat(a, a, 1);
  concat({a, a, a});
  concat({a, a}, 1);
  concat({a.flatten(), b});
  append(t, a, 0);
  poplar::concat(std::vector<Tensor>{a, a}, 1);
  t.reshape({16, n}); // H36
  t[0][0][0].reshape({});
  t.reshape(u.shape());
  t.flatten();
  t.flatten(1, 3);
  t.expand({0});
  t.expand({t.rank()});
  t.broadcast(static_cast<unsigned>(n), 0);
  t.dimShuffle({1, 0, 2});
  t.dimShuffle({t.rank() - 1, 0, 1});
  a.transpose();
  t.expand({0}).squeeze({0});
  t.reverse(0);
  t.subSample(2, 0);
  t.dimRoll(2, 0);
  std::size_t product = t.shape()[1] * t.dim(0) * t.rank() * t.numElements(); // H37
  auto shape = t.shape();
  shape[0] *= 2;
  product += std::min(t.dim(0), n);
  (void)product;
  if (t.elementType() == HALF || t.elementType() != FLOAT) // H38
    return;
  unsigned width = HALF == t.elementType() ? 4 : 2;
  (void)width;
  std::unordered_map<Type, int> byType = {{FLOAT, staticTypes.at(FLOAT)}};
  std::set<Type> types = {FLOAT, HALF};
  auto c1 = g.clone(t); // H39
  auto c2 = g.clone(HALF, t, "x");
  g.clone(t, {di, "x"}, TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  Tensor none; // H40
  if (!none.valid())
    none = t;
  Tensor *p = &t;
  std::vector<Tensor> v(n);
  v.reserve(9);
  v.emplace_back((*p)[0]);
  std::map<std::string, Tensor> named;
  named["x"] = t;
  std::tie(a, b) = std::make_pair(t, u);
  std::swap(a, b);
  Tensor dst = t.flatten(), src = u.flatten();
  g.reorderToSimplify(&dst, {&src}, false); // H41
  g.reorderToSimplify(&dst, {});
#if __cplusplus >= 201703L
  std::optional<Tensor> o; // H42
  o = t;
  std::optional<Tensor> o2 = u;
  std::optional<ComputeSet> ocs;
  ocs = ComputeSet();
#endif
  std::cout << t.shapeToString() << t.elementType() << t; // H43
  Type type = equivalent_device_type<float>().value;      // H44
  (void)type;
}

static void vertices(Graph &g, DebugInfo const &di, DebugNameAndId const &dnai) {
  Tensor t = g.addVariable(FLOAT, {2, 4}), u = g.addVariable(FLOAT, {4}), w = t;
  std::size_t i = 0, n = 2, k = 3;
  std::string nameString = "Name";
  ComputeSet cs = g.addComputeSet("n"); // H45
  auto cs2 = g.addComputeSet();
  auto cs3 = g.addComputeSet({di, "n"});
  auto cs4 = g.addComputeSet({dnai});
  auto v = g.addVertex(cs, "Name"); // H46
  VertexRef v2 = g.addVertex(cs, nameString + "<" + FLOAT.toString() + ">");
  g.setTileMapping(v2, 1); // H45b
  g.setTileMapping(v, 1);
  g.setTileMapping(g.addVertex(cs, "N"), 0);
  g.addVertex(cs, "Name", {{"x", t[0]}, {"y", u}, {"out", w}}); // H47
  std::vector<Interval> iv = {{0, 2}};
  g.addVertex(cs, nameString, {{"out", concat(u.slices(iv))}}); // H48
  std::vector<Tensor> vecOfTensors = {t[0], t[1]};
  std::vector<std::vector<Interval>> regions = {iv};
  g.addVertex(cs, nameString, {{"in", vecOfTensors}, {"idx", u.slices(regions)}}); // H49
  g.addVertex(cs, nameString, {{"in", {t[0], t[1]}}, {"factor", 3}});
  g.connect(v["x"], u.slice(0, 4)); // H50
  g.connect(v["in"][i], t[0]);
  g.connect(v[nameString], u);
  g.connect(v["in"], vecOfTensors);
  g.setFieldSize(v["in"], n); // H51
  g.connect(v["k"], 3);
  g.connect(v["k"], 0.5f);
  g.connect(v["k"], k);
  g.setInitialValue(v["n"], 5); // H52
  g.setInitialValue(v["n"], k - 1);
  g.setInitialValue(v["f"], true);
  g.setInitialValue(v["s"], 0.5f);
  std::vector<unsigned> vec = {1, 2};
  g.setInitialValue(t, 1.0f); // H53
  g.setInitialValue(u[0], ArrayRef<uint32_t>({0}));
  g.setInitialValue(v["a"], vec);
  g.setInitialValue<unsigned>(t, vec);
  g.setPerfEstimate(v, 20); // H54
  g.setPerfEstimate(v, k, n);
  g.setCycleEstimate(v, 20);
  std::string path = "file.cpp", dir = "include";
  g.addCodelets("file.cpp"); // H55
  g.addCodelets("x.gp");
  g.addCodelets(__FILE__);
  g.addCodelets(path, CodeletFileType::Auto, "-O3 -I " + dir);
  g.addCodelets({"a.cpp", "b.cpp"});
  std::stringstream stream;
  g.addCodelets(stream);
  g.registerPerfEstimator(
      "Name", [](VertexIntrospector const &in, Target const &target) -> std::uint64_t { // H56
        const auto field = in.getFieldInfo("in");
        return field.size() + field.getSizeAtIndex(0) + field[0].size() +
               field.getInitialValue<unsigned>(target);
      });
  g.createHostWrite("in", t); // H57
  g.createHostRead("out", t, true);
  std::vector<unsigned> tiles = {0, 1};
  auto vg = g.createVirtualGraph(0, 4); // H58
  g.createVirtualGraph(4);
  g.createVirtualGraph(tiles);
  unsigned count = vg.getTarget().getNumTiles();
  (void)count;
  (void)cs2;
  (void)cs3;
  (void)cs4;
}

// Everything is looked at; nothing is run.
int main() {
  devicesAndOptions();
  Graph g(Device::createCPUDevice());
  DebugInfo di("main", "idioms");
  DebugNameAndId dnai(di, "part");
  variables(g, di, dnai);
  views(g, di);
  vertices(g, di, dnai);
}
