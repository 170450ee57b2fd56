// report-profiles FOLDER [TILES]: small programs on the IPU Model. Writes FOLDER/NAME/profile.pop,
// and to FOLDER/NAME.json what the profile says, for the tests with a browser to look for.
#include <pva/pva.hpp>

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>

namespace {

using namespace poplar;
using namespace poplar::program;

constexpr char const *HOSTILE =
    "</script><script>document.title='owned'</script><img src=x onerror=1>";

/// Two layers with a nonlinearity, ten times.
Program matMul(Graph &graph) {
  Tensor const weights = graph.addVariable(HALF, {256, 256}, "weights");
  poputil::mapTensorLinearly(graph, weights);
  Sequence turn({}, "turn");
  Tensor state = poplin::createMatMulInputLHS(graph, HALF, {64, 256}, {256, 256}, "state");
  Tensor const hidden = poplin::matMul(graph, state, weights, turn, HALF, "layer1/product");
  popops::tanhInPlace(graph, hidden, turn, "layer1/tanh");
  Tensor const out = poplin::matMul(graph, hidden, weights, turn, HALF, "layer2/product");
  turn.add(Copy(out, state, false, "feedback"));
  graph.createHostWrite("state", state);
  graph.createHostWrite("weights", weights);
  return Repeat(10, turn, "turns");
}

Program convolution(Graph &graph) {
  poplin::ConvParams const params(HALF, 1, {14, 14}, {3, 3}, 32, 64, 1);
  Tensor const in = poplin::createInput(graph, params, "image");
  Tensor const weights = poplin::createWeights(graph, params, "filters");
  Sequence prog;
  Tensor const out = poplin::convolution(graph, in, weights, params, false, prog, "conv3x3");
  popops::mulInPlace(graph, out, 0.5f, prog, "scale");
  graph.createHostWrite("image", in);
  graph.createHostWrite("filters", weights);
  graph.createHostRead("out", out);
  return prog;
}

Program hostileNames(Graph &graph) {
  Tensor const x = graph.addVariable(FLOAT, {1000}, HOSTILE);
  poputil::mapTensorLinearly(graph, x);
  Sequence prog;
  Tensor const y = popops::neg(graph, x, prog, std::string(HOSTILE) + "/neg \xFF");
  popops::addInPlace(graph, x, y, prog, "<b>&amp;</b>");
  return prog;
}

/// What the page is compared with, read by other means than the page's.
nlohmann::json expectations(pva::Report const &report) {
  auto const compilation = report.compilation();
  nlohmann::json json;
  auto const tiles = compilation.tiles();
  auto const bytes = [](pva::Tile const &tile) { return tile.memory().total().includingGaps(); };
  auto const peak = std::max_element(tiles.begin(), tiles.end(), [&](auto const &a, auto const &b) {
    return bytes(a) < bytes(b);
  });
  json["tiles"] = tiles.size();
  json["peakTile"] = peak->number();
  json["peakBytes"] = bytes(*peak);
  json["cycles"] = report.execution().totalCycles().total();
  json["vertices"] = compilation.graph().numVertices();
  std::set<std::string> sets;
  for (auto const &set : compilation.computeSets())
    sets.insert(set.name());
  json["computeSetNames"] = sets;
  auto const steps = compilation.livenessProgramSteps();
  auto const live = std::max_element(steps.begin(), steps.end(), [](auto const &a, auto const &b) {
    return a.notAlwaysLiveMemory().bytes() < b.notAlwaysLiveMemory().bytes();
  });
  json["livenessSteps"] = steps.size();
  json["livePeakStep"] = live - steps.begin();
  json["livePeakBytes"] = live->notAlwaysLiveMemory().bytes();
  json["alive"] = nlohmann::json::array();
  auto const alive = live->notAlwaysLiveMemory();
  for (auto const &variable : alive.variables())
    json["alive"].push_back({variable.name(), variable.size()});
  return json;
}

void runAndDescribe(std::string const &folder, std::string const &name, unsigned numTiles,
                    Program (*make)(Graph &)) {
  IPUModel model;
  model.tilesPerIPU = numTiles;
  Device const device = model.createDevice();
  Graph graph(device.getTarget());
  poplin::addCodelets(graph);
  popops::addCodelets(graph);
  Program const program = make(graph);
  {
    Engine engine(graph, program,
                  {{"autoReport.all", "true"}, {"autoReport.directory", folder + "/" + name}});
    engine.load(device);
    engine.run(0, "first run");
    engine.run(0, "second run");
  }
  std::ofstream out(folder + "/" + name + ".json");
  auto const report = pva::openReport(folder + "/" + name + "/profile.pop");
  // Bytes that are not UTF-8 become U+FFFD on the page, too.
  out << expectations(report).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
  if (!out.flush())
    throw std::runtime_error("cannot write to " + folder);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3) {
    std::fputs("usage: report-profiles FOLDER [TILES]\n", stderr);
    return 2;
  }
  try {
    unsigned const numTiles = argc == 3 ? static_cast<unsigned>(std::stoul(argv[2])) : 16;
    runAndDescribe(argv[1], "matmul", numTiles, matMul);
    runAndDescribe(argv[1], "conv", numTiles, convolution);
    runAndDescribe(argv[1], "names", numTiles, hostileNames);
    return 0;
  } catch (std::exception const &error) {
    std::fprintf(stderr, "report-profiles: %s\n", error.what());
    return 1;
  }
}
