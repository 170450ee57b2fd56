// Shapes of code that programs in the wild write with the small classes. Compiled once in each
// standard from C++11 on; the function returns the lines of the checks that failed.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <poplar/ArrayRef.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Device.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/Interval.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/SyncType.hpp>
#include <poplar/Target.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeConversion.hpp>
#include <poplar/TypeTraits.hpp>
#include <poplar/exceptions.hpp>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

using namespace poplar;
using namespace std;

namespace {

// Initialised before main, in another library than the constants.
static const std::map<poplar::Type, std::string> names = {{FLOAT, "f"}, {HALF, "h"}, {INT, "i"}};

std::size_t product(ArrayRef<std::size_t> shape) {
  std::size_t n = 1;
  for (std::size_t d : shape)
    n *= d;
  return n;
}
std::size_t count(ArrayRef<std::string> texts) { return texts.size(); }
std::size_t countRefs(ArrayRef<StringRef> texts) { return texts.size(); }
std::size_t countPointers(ArrayRef<const void *> pointers) { return pointers.size(); }
template <class T> std::size_t deduced(const poplar::ArrayRef<T> &view) { return view.size(); }

std::string path(const DebugContext &debugContext = {}) { return debugContext.getPathName(); }
std::string options(const OptionFlags &flags = {}) {
  std::string text;
  for (const auto &flag : flags)
    text += flag.first + "=" + flag.second + ";";
  return text;
}
std::string text(StringRef s) { return s; }

struct OpInfo : public DebugInfo {
  OpInfo(const DebugContext &dc, const char *name) : DebugInfo(dc, "lib") { setValue("op", name); }
};

// Overloads as Tensor::slice and Graph::addVariable have them.
int slice(std::size_t, std::size_t, unsigned = 0) { return 1; }
int slice(ArrayRef<std::size_t>, ArrayRef<std::size_t>) { return 2; }
int slice(const Interval &, unsigned = 0) { return 3; }
int variable(const Type &, ArrayRef<std::size_t>, const DebugContext & = {}) { return 1; }
int variable(const Type &, ArrayRef<std::size_t>, SyncType, const DebugContext & = {}) { return 2; }

Device takeFirst(std::vector<Device> devices) {
  for (auto &device : devices)
    if (device.attach())
      return std::move(device);
  return Device();
}

} // namespace

std::string POP_IDIOMS();

std::string POP_IDIOMS() {
  std::string failed;
#define EXPECT(...)                                                                                \
  do {                                                                                             \
    if (!(__VA_ARGS__))                                                                            \
      failed += std::to_string(__LINE__) + " ";                                                    \
  } while (false)

  // Shapes.
  unsigned rows = 3;
  std::size_t columns = 4;
  std::vector<std::size_t> shape = {2, 3};
  std::array<std::size_t, 3> fixed = {{2, 2, 2}};
  const std::size_t raw[] = {5, 2};
  EXPECT(product({}) == 1);
  EXPECT(product({4}) == 4);
  EXPECT(product({0}) == 0);
  EXPECT(product({rows, columns}) == 12);
  EXPECT(product(shape) == 6);
  EXPECT(product(fixed) == 8);
  EXPECT(product(raw) == 10);
  EXPECT(product(std::vector<std::size_t>(2, 3)) == 9);
  EXPECT(product({shape.data(), 1}) == 2);
  EXPECT(count({"a", "b"}) == 2);
  EXPECT(count({"a"}) == 1);
  EXPECT(countRefs({"a", "b"}) == 2);
  EXPECT(countPointers({&rows, &columns}) == 2);
  EXPECT(countPointers(std::vector<void *>(3)) == 3);
  EXPECT(deduced(ArrayRef<unsigned>({0})) == 1);
  EXPECT(deduced(poplar::ArrayRef<float>(nullptr, 0)) == 0);
  EXPECT(ArrayRef<std::size_t>(shape) == ArrayRef<std::size_t>({2, 3}));
  EXPECT(ArrayRef<std::size_t>(shape) != ArrayRef<std::size_t>({2}));
  std::vector<float> floats(4, 1.5f);
  gccs::ArrayRef<float> out(floats.data(), 2);
  out[1] = 2.5f;
  EXPECT(floats[1] > 2.0f && gccs::ArrayRef<const float>(out).size() == 2);
  gccs::ArrayRef<float> whole = floats;
  poplar::ArrayRef<float> readOnly = whole;
  gccs::ArrayRef<const float> back = readOnly;
  EXPECT(back.size() == 4 && readOnly.cloneAsVector() == floats);
#if __cplusplus >= 201703L
  EXPECT(ArrayRef(shape).size() == 2);
  EXPECT(poplar::ArrayRef{raw, 2}.size() == 2);
  EXPECT(poplar::ArrayRef(std::vector<char>(3)).size() == 3);
  EXPECT(poplar::ArrayRef(fixed).size() == 3 && poplar::ArrayRef(raw).size() == 2);
  auto writable = gccs::ArrayRef(floats);
  writable[0] = 9.0f;
  EXPECT(floats[0] > 8.0f);
  EXPECT(gccs::ArrayRef(floats.data(), 3).size() == 3);
#endif
  EXPECT(slice(0, 4) == 1 && slice(0, 4, 1) == 1);
  EXPECT(slice({0, 0}, {2, 3}) == 2);
  EXPECT(slice(Interval(0, 3)) == 3 && slice(Interval(0, 3), 1) == 3);
  EXPECT(variable(FLOAT, {4}) == 1 && variable(FLOAT, {}) == 1 && variable(FLOAT, {}, "s") == 1);
  EXPECT(variable(FLOAT, {rows}, SyncType::INTERNAL, "v") == 2);

  // Intervals.
  std::vector<std::vector<Interval>> mapping(2);
  mapping[0].push_back({0, columns});
  mapping[0].emplace_back(rows, columns);
  EXPECT(mapping[0][1].size() == 1 && mapping[0][0].begin() == 0 && mapping[0][0] < mapping[0][1]);
  std::ostringstream printed;
  printed << mapping[0][0] << ' ' << FLOAT << ' ' << StringRef("x");
  EXPECT(printed.str() == "[0:4) float x");

  // Text.
  std::string string = FLOAT.toString();
  std::pair<std::string, std::string> pair("key", "value");
  EXPECT(pair.first == "key" && string == "float" && pair.second != string);
  EXPECT(HALF.toString() == "half" && "half" == HALF.toString() &&
         HALF.toString() == std::string("half"));
  EXPECT(std::string("half") == HALF.toString() && HALF.toString() != string &&
         HALF.toString() < "zero");
  EXPECT(std::string("V<") + HALF.toString() + ">" == "V<half>");
  EXPECT("V<" + HALF.toString() == "V<half");
  EXPECT(INT.toString().cloneAsString() == "int");
  string += HALF.toString();
  EXPECT(string == "floathalf");
  EXPECT(text("a") == "a" && text(string).size() == 9 && text(string + "b").size() == 10);
  char buffer[16] = "short";
  EXPECT(text(buffer) == "short");
  const bool condition = rows == 3;
  EXPECT(text(condition ? "true" : "false") == "true");

  // Names.
  DebugInfo di({"parent"}, "layer");
  OpInfo opInfo({di, "op"}, "add");
  DebugNameAndId dnai("name", 7, "up");
  std::string name = "n";
  DebugId id = 3;
  DebugContext dc("dc");
  EXPECT(path() == "" && path({}) == "" && path("s") == "s" && path({"s"}) == "s");
  EXPECT(path(name) == "n" && path({name}) == "n" && path("a" + name) == "an" &&
         path(StringRef("r")) == "r");
  EXPECT(path(di) == "parent" && path({di}) == "parent" && path({di, "x"}) == "parent/x");
  EXPECT(path({di, name + "y"}) == "parent/ny" && path({di, ""}) == "parent");
  EXPECT(path(opInfo) == "parent/op" && path({opInfo}) == "parent/op" &&
         path({opInfo, "z"}) == "parent/op/z");
  EXPECT(path(dnai) == "up/name" && path({dnai}) == "up/name" && path({dnai, "x"}) == "up/name/x");
  EXPECT(path({dnai, name}) == "up/name/n" && path({dnai, "a" + name}) == "up/name/an");
  EXPECT(path({{di}, "s"}) == "parent/s" && path({{dnai}, "s"}) == "up/name/s");
  EXPECT(path({{name, id}, "s"}) == "n/s" && path({{"literal", id}, "s"}) == "literal/s");
  EXPECT(path(dc) == "dc" && path({dc, "x"}) == "dc/x" && path({dc, name}) == "dc/n");
  EXPECT(path(poplar::DebugContext{"main"}) == "main" && path({DebugContext("p"), "q"}) == "p/q");
  EXPECT(path(DebugNameAndId(di, "w")) == "parent/w" &&
         path(DebugNameAndId(dnai, "w")) == "up/name/w");
  DebugNameAndId copied = dnai;
  copied = DebugNameAndId(di);
  EXPECT(copied.getPathName() == "parent" && opInfo.getPathName() == "parent/op");
  printed.str("");
  printed << dc << ' ' << dnai;
  EXPECT(printed.str() == "dc up/name");

  // Options.
  OptionFlags o{{"a.b", "true"}, {"c", "3"}};
  OptionFlags single = {{"a", "b"}};
  OptionFlags one{{"a", "b"}};
  EXPECT(options(o) == "a.b=true;c=3;" && options(single) == "a=b;" && single == one);
  EXPECT(options() == "" && options({}) == "" && options(OptionFlags()) == "");
  EXPECT(options({{"k", "v"}}) == "k=v;" && options({{"k", "v"}, {"l", "w"}}) == "k=v;l=w;");
  EXPECT(options({{"k", std::to_string(rows)}, {name, name}}) == "k=3;n=n;");
  o.set("c", std::to_string(rows + 1));
  o.set("d", condition ? "true" : "false");
  o.set({{"e", "v"}});
  EXPECT(options(o) == "a.b=true;c=4;d=true;e=v;" && o.at("c") == "4" && o.size() == 4);
  EXPECT(o.find("c")->second == "4" && o.find("zzz") == o.end());
  for (const auto &e : o) {
    std::string key = e.first;
    StringRef value = e.second;
    EXPECT(!key.empty() && !value.empty());
  }

  // Types.
  std::unordered_map<Type, int> byHash = {{FLOAT, 1}, {HALF, 2}};
  std::set<Type> ordered = {INT, FLOAT, INT};
  const Type type = HALF;
  EXPECT(byHash.at(HALF) == 2 && ordered.size() == 2 && names.at(FLOAT) == "f" &&
         names.size() == 3);
  EXPECT((type == HALF ? 4 : 2) == 4 && HALF == type && type != FLOAT && Type() == Type() &&
         Type() != INT);
  EXPECT(equivalent_device_type<float>().value == FLOAT &&
         equivalent_device_type<unsigned>().value == UNSIGNED_INT);
  EXPECT(equivalent_device_type<IeeeHalf>().value == HALF);
  EXPECT(TypeTraits::make<float>().size == 4 && TypeTraits::make<int>().isSimpleType());
  EXPECT(TypeTraits::isSimpleType<bool>() && !TypeTraits::isSimpleType<std::string>());
  const float source[] = {1.0f, 2.0f, 0.5f};
  std::array<char, 6> device;
  float read[3] = {};
  convertToDeviceType(HALF, poplar::ArrayRef<float>(source, 3), device.data());
  convertFromDeviceType(HALF, device.data(), gccs::ArrayRef<float>(read, 3));
  EXPECT(std::equal(source, source + 3, read));

  // Profile values.
  ProfileValue::Map m;
  m.insert({"k", ProfileValue{name}});
  m["a"] = ProfileValue(3);
  m["v"] = ProfileValue::Vector{ProfileValue(1), ProfileValue(2.5), ProfileValue("x"),
                                ProfileValue(true)};
  const ProfileValue profile(m);
  ProfileValue literal("text");
  EXPECT(literal.type() == ProfileValue::Type::STRING && profile["a"].asInt() == 3 &&
         profile["k"].asString() == "n");
  EXPECT(profile["v"].asVector().size() == 4 && profile["v"][0].asUint() == 1 &&
         profile["v"][rows].asBool());
  for (auto &member : profile.asMap())
    EXPECT(!member.first.empty());
  EXPECT(di.setValue("k", literal) && !di.setValue("k", 2) && di.setValue("l", "text") &&
         di.setValue("m", 1u));

  // Devices.
  auto manager = DeviceManager::createDeviceManager();
  auto devices = manager.getDevices(TargetType::IPU, 1);
  auto found = std::find_if(devices.begin(), devices.end(), [](Device &d) { return d.attach(); });
  EXPECT(found != devices.end());
  if (found != devices.end()) {
    Device device1 = std::move(*found);
    Device device2;
    device2 = std::move(device1);
    EXPECT(device2.getTarget().getNumTiles() == 1472);
  }
  EXPECT(takeFirst(DeviceManager().getDevices(TargetType::IPU, 2)).getTarget().getNumIPUs() == 2);
  EXPECT(manager.getDevices().size() == manager.getNumDevices());
  auto shared = std::make_shared<Device>(Device::createCPUDevice());
  EXPECT(shared->attach());
  IPUModel ipuModel;
  ipuModel.numIPUs = 1;
  ipuModel.tilesPerIPU = 4;
  ipuModel.minIPUSyncDelay = 0;
  ipuModel.relativeSyncDelay = IPUModel::RelativeSyncDelayType::NO_DELAY;
  Device modelDevice = ipuModel.createDevice();
  EXPECT(IPUModel("ipu2") == IPUModel() && IPUModel(std::string("ipu21").c_str()) != IPUModel());
  const auto &target = modelDevice.getTarget();
  switch (target.getTargetType()) {
  case TargetType::CPU:
  case TargetType::IPU:
    EXPECT(false);
    break;
  case TargetType::IPU_MODEL:
    break;
  }
  const auto workers = target.getNumWorkerContexts();
  EXPECT(target.getNumTiles() == 4 && workers == 6 && target.getTypeSize(FLOAT) == 4);
  EXPECT(Target::createIPUTarget(2, "ipu2", {{"ipuLinkConfiguration", "Default"}}).getNumIPUs() ==
         2);
  EXPECT(Target::createCPUTarget() == Target::createCPUTarget() &&
         Target() != Target::createCPUTarget());
  std::unordered_map<Target, int> byTarget = {{target, 1}};
  EXPECT(byTarget.count(modelDevice.getTarget()) == 1);
  std::unique_ptr<char[]> halves(new char[target.getTypeSize(HALF) * 3]);
  copyFloatToDeviceHalf(target, &source[0], halves.get(), 3);
  copyDeviceHalfToFloat(target, halves.get(), read, 3);
  EXPECT(std::equal(source, source + 3, read));

  // Exceptions.
  try {
    throw poplar_error("text");
  } catch (const graph_memory_allocation_error &) {
    EXPECT(false);
  } catch (const poplar_error &e) {
    EXPECT(std::string(e.what()) == "text" && e.type == "poplar_error");
  }
  try {
    throw poplar::unrecoverable_runtime_error("x");
  } catch (const poplar::runtime_error &e) {
    EXPECT(e.type == "unrecoverable_runtime_error");
  }
  return failed;
}
