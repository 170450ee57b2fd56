// What programs write to make control programs, engines and data: it has to compile in every
// standard from C++11 on, with the overloads that are meant. The numbers are those of the list of
// idioms (H59 ...).
#include <poplar/CSRFunctions.hpp>
#include <poplar/CycleCount.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace std;
using namespace poplar;
using namespace poplar::program;

enum { LOAD_PROGRAM, TRAIN_PROGRAM };

struct Feed final : StreamCallback { // H83
  Result prefetch(void *__restrict) noexcept override { return Result::NotAvailable; }
  void fetch(void *__restrict p) noexcept override { static_cast<float *>(p)[0] = 1; }
  void complete() noexcept override {}
};
struct Plain : public poplar::StreamCallback {
  poplar::StreamCallback::Result prefetch(void *) override {
    return poplar::StreamCallback::Result::Success;
  }
  void fetch(void *) override {}
  void complete() override {}
  void invalidatePrefetched() override {}
};

class My : public DebugInfo { // H95
public:
  explicit My(DebugContext const &dc) : DebugInfo(dc, "kind") { setValue("k", 1); }
};
static std::string named(DebugContext const &dc) { return dc.getPathName(); }

static void takesSequence(Sequence &p) { p.add(Program()); }

static void programs(Graph &g, DebugInfo const &di, DebugNameAndId const &dnai) {
  Tensor a = g.addVariable(FLOAT, {4}), b = g.addVariable(FLOAT, {4}), t = g.addVariable(INT, {2});
  Tensor cond = g.addVariable(BOOL, {}), pred = cond, idx = g.addVariable(INT, {});
  DataStream stream = g.addHostToDeviceFIFO("s", FLOAT, 4),
             back = g.addDeviceToHostFIFO("b", FLOAT, 4);
  ComputeSet cs = g.addComputeSet();
  std::size_t k = 3;
  int n = 10;
  Sequence p; // H59
  p.add(Copy(a, b));
  p.add(Execute(cs));
  p.add(Execute(cs, {dnai}));
  p.add(Execute(cs, {dnai, "x"}));
  Sequence inner;
  p.add(inner);
  auto q = Sequence(); // H60
  Sequence up, run, down;
  Sequence s1({Copy(a, b), Execute(cs), Copy(b, a)}), s2({up, run});            // H61
  Sequence s3{up, run, down}, s4{p}, s5{Copy(a, b)};                            // H62
  Sequence s6{{}, {di}}, s7{{}, {dnai, "x"}};                                   // H63
  Sequence s8{{di}}, s9{{dnai, "x"}}, s10(DebugContext{"name"}), s11({}, {di}); // H64
  Sequence s12(up, run, Copy(a, b)), s13("name");
  p.add(Copy(a, b, false, {di})); // H65
  p.add(Copy(stream, a));
  p.add(Copy(a, back));
  p.add(Copy(stream, a, true, {dnai}));
  p.add(Copy(a, b, false, "n"));
  p.add(Repeat(10, Sequence{up, run})); // H67
  p.add(Repeat(static_cast<unsigned>(n), p, {di}));
  auto r = Repeat(static_cast<unsigned>(k), Sequence({up, run}));
  Repeat mainLoop{5, Sequence{up, run}};
  p.add(If(cond, up, run)); // H68
  p.add(If(t[0], Sequence(), up));
  p.add(RepeatWhileTrue(run, pred, up, {di})); // H69
  p.add(RepeatWhileFalse(Sequence(), cond, up));
  p.add(Switch(idx, {{0, up}, {1, run}}, {di})); // H70
  Switch sw(idx, {dnai});
  sw.add(0, up);
  p.add(Switch::switchWithUnreachableDefault(idx));
  p.add(Switch(idx, {{0, up}}, down));
  p.add(Switch(idx, {{0, up}}));
  Function fn = g.addFunction(p); // H71
  p.add(Call(fn));
  p.add(Call(fn, di));
  p.add(PrintTensor(t)); // H72
  p.add(PrintTensor("title", t));
  p.add(PrintTensor("title", t, {di}));
  p.add(PrintTensor(t, PrintTensorFmt(1000, 3)));
  p.add(PrintTensor(t, "x"));
  std::vector<Program> v; // H73
  v.push_back(p);
  v[0] = Copy(a, b);
  v = {up, run};
  std::vector<Program> w(k);
  p.add(WriteUndef(t, {di})); // H74, the rest in HostMore.cpp
  p.add(Sync(SyncType::INTERNAL));
  takesSequence(p); // H75
  takesSequence(static_cast<Sequence &>(q));
  Program const &ref = p;
  p.add(std::move(q));
  if (ref.isEmpty())
    return;
  using Fn = std::function<Program(Tensor const &)>; // H76
  Fn make = [&](Tensor const &x) {
    Sequence s;
    s.add(Copy(x, b));
    return s;
  };
  std::map<std::string, Program> byName = {{"x", make(a)}};
  std::pair<Tensor, Program> pair(a, p);
}

static void engines(Graph &g, Device &dev) {
  Sequence prog, a, b;
  OptionFlags opts{{"debug.instrument", "true"}};
  std::vector<Program> progs = {a, b};
  Engine e1(g, prog); // H77
  Engine e2(g, prog, opts);
  Engine e3(g, {a, b}, opts);
  Engine e4(g, progs);
  Engine e5(g, Sequence{a, b});
  Engine e6(g, {Sequence(), a, Sequence()});
  Engine e7(g, Repeat(2, a));
  Engine e8(g, prog, {{"debug.instrument", "true"}});
  auto e9 = Engine(g, prog, OptionFlags{{"debug.instrument", "true"}});
  std::unique_ptr<Engine> owned(new Engine(g, progs, opts));
  Graph other(dev.getTarget());
  Engine e10(std::move(other), Sequence{a, b}); // H78
  Engine e11(g, std::move(progs), opts);
  std::function<void(int, int)> pf = [](int, int) {}; // H98
  auto exe = compileGraph(g, {Sequence()});           // H79
  auto exe2 = compileGraph(g, {a, b}, opts, pf);
  auto exe3 = compileGraph(g, {a}, {}, pf);
  auto exe4 = compileGraph(g, {a}, {});
  auto exe5 = compileGraph(g, {a}, {{"debug.instrument", "true"}});
  auto exe6 = compileGraph(g, {a}, {}, {}, "name");
  auto exe7 = compileGraph(g, {a}, opts, pf, {"name"});
  auto exe8 = compileGraph(g, {a}, {{"debug.instrument", "true"}}, [](int, int) {});
  Engine e12(std::move(exe));
  Engine engine{std::move(exe2)};
  Engine e13(std::move(exe3), opts);
  Engine &e = e1;
  e.load(dev); // H80
  e.run();
  e.run(0);
  e.run(TRAIN_PROGRAM);
  e.loadAndRun(dev);
  e.run(0, "label");
  std::vector<float> v(4);
  std::string handle = "h";
  std::unique_ptr<float[]> up(new float[4]);
  e.connectStream("h", v.data()); // H81
  e.connectStream("h", v.data(), v.data() + v.size());
  e.connectStream("h", up.get());
  e.connectStream(handle, v.data(), std::next(v.data(), 4));
  e.connectStreamToCallback(
      "h", [&](void *p) { std::copy_n(v.data(), 4, static_cast<float *>(p)); }); // H82
  std::function<void(void *)> cb = [](void *) {};
  e.connectStreamToCallback("h", 0, cb);
  e.connectStreamToCallback("h", std::unique_ptr<Feed>(new Feed));
  std::unique_ptr<Plain> owner(new Plain);
  e.connectStreamToCallback("h", 0, std::move(owner));
  poplar::StreamCallbackHandle kept(cb);
  e.connectStreamToCallback(handle, std::move(kept));
  e.readTensor("h", v.data(), v.data() + v.size()); // H84
  e.writeTensor("h", v.data(), v.data() + 4);
  float x = 0;
  e.readTensor("h", &x, &x + 1);
  constexpr int R = 2, C = 3;
  float in[R][C] = {}, out[R][C];
  e.writeTensor("h", in, &in[R]); // H85
  e.readTensor("h", out, &out[R]);
  e.writeTensor(handle, v.data(), &*v.end()); // H86
#if __cplusplus >= 201703L
  e.readTensor("h", gccs::ArrayRef(v));
  poplar::ArrayRef whole(v);
  poplar::ArrayRef part{v.data(), 2};
#endif
  e.readTensor("h", gccs::ArrayRef<float>(v));
  e.writeTensor("h", gccs::ArrayRef<float>(v));
  e.writeTensor("h", poplar::ArrayRef<float>(v));
  e.readTensor<float>("h", v);
  e.writeTensor<float>("h", v);
  e.writeTensor<float>("h", gccs::ArrayRef<float const>(v));
  e.printProfileSummary(std::cout, {{"showExecutionSteps", "true"}}); // H87
  std::ofstream file;
  e.printProfileSummary(file);
  e.printProfileSummary(std::cout, opts);
  std::string path = "profile.pop";
  printProfileSummary(std::cout, path);
  printProfileSummary(std::cout, path, {{"showExecutionSteps", "true"}});
  printProfileSummary(std::cout, "profile.pop", {{"showExecutionSteps", "true"}});
  printGraphSummary(std::cout, "profile.pop", {});
  printGraphSummary(std::cout, path, opts);
  printProfileSummary(std::cout, e.getGraphProfile(), e.getExecutionProfile());
  printProfileSummary(std::cout, e.getGraphProfile(), e.getExecutionProfile(),
                      {{"showExecutionSteps", "true"}});
  auto start = e.getTimeStamp();
  std::cout << e.reportTiming(start, e.getTimeStamp());
}

static void values(Graph &g, Engine &e, Target const &target, DebugNameAndId const &dnai) {
  auto g1 = e.getGraphProfile(); // H88
  ProfileValue const &total = g1["memory"]["byTile"]["total"];
  serializeToJSON(std::cout, e.getExecutionProfile(), false);
  std::cout << total.asVector().size() << e.getProfile();
  ProfileValue const tree(ProfileValue::Map{{"memory", ProfileValue::Vector{1, 2}}});
  ProfileValue const &list = tree["memory"];
  (void)(list[0].asInt() + static_cast<std::int64_t>(list.asVector().size()));
  for (auto &member : tree.asMap())
    std::cout << member.first;
  ProfileValue::Map m; // H89
  std::string str = "x";
  m.insert({"k", ProfileValue{str}});
  m["a"] = ProfileValue(3);
  ProfileValue text("text");
  if (text.type() != ProfileValue::Type::STRING)
    return;
  float a[2][4] = {}; // H91
  std::unique_ptr<char[]> raw(new char[16]);
  std::vector<float> back(8);
  copyFloatToDeviceHalf(target, &a[0][0], raw.get(), 8);
  copyDeviceHalfToFloat(target, raw.get(), back.data(), 8);
  std::size_t n = 4;
  auto f = g.addHostToDeviceFIFO("h1", FLOAT, n); // H92
  DataStream d = g.addDeviceToHostFIFO("h2", INT, n);
  g.addHostToDeviceFIFO("h3", FLOAT, n, ReplicatedStreamMode::BROADCAST, {{"bufferingDepth", "2"}});
  try { // H94
    throw poplar_error(str + " text");
  } catch (graph_memory_allocation_error const &e) {
    std::cerr << e.what();
  } catch (poplar_error const &e) {
    std::cerr << e.what() << e.type;
  }
  DebugContext dc("parent");
  DebugContext c(dc, "sub"); // H95
  My my(dc);
  named({dc, "sub"});
  named(my);
  named({my});
  named({my, "x"});
  named({dnai, str + "y"});
  named({{my}, "s"});
  named({{str, my.getId()}, "n"});
  named(DebugContext{"n"});
  named({});
  Sequence p;
  setFloatingPointBehaviour(g, p, {true, true, true, false, true}, "n"); // H96
  setStochasticRounding(g, p, false);
  auto cycles = cycleCount(g, p, 0, SyncType::INTERNAL, "n");
  auto saved = getAndModifyFloatingPointBehaviour(g, p, {false, false, false, false, true}, {});
  setFloatingPointBehaviour(g, p, saved);
}

// Everything is looked at; nothing is run.
int main() {
  Device dev = Device::createCPUDevice();
  Graph g(dev);
  DebugInfo di("main", "idioms");
  DebugNameAndId dnai(di, "part");
  programs(g, di, dnai);
  engines(g, dev);
  Engine e(g, Sequence());
  values(g, e, dev.getTarget(), dnai);
}
