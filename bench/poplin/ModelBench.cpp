// The family model: what the IPU Model says of simple programs, against measurements and reports
// that were published; and the family resnet50-model: how long modelling takes.
#include <bench/Family.hpp>
#include <bench/Statistics.hpp>
#include <bench/plan/Modelled.hpp>
#include <bench/poplin/ResNet50.hpp>

#include <codelets/poplin/AmpCost.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <poplar/impl/lower/ExecutableData.hpp>
#include <popops/ElementWise.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace cottonwood::bench {
namespace {

using namespace poplar;
using namespace poplar::program;

/// Rows with what was published beside what is modelled.
class PublishedRows {
public:
  PublishedRows() {
    std::printf("%-44s %14s %14s %9s  %s\n", "case", "modelled", "published", "error %", "unit");
  }
  void add(std::string const &name, double modelled, double published, char const *unit) {
    double const error = 100 * (modelled / published - 1);
    errors_.push_back(std::abs(error));
    std::printf("%-44s %14.6g %14.6g %+9.2f  %s\n", name.c_str(), modelled, published, error, unit);
  }
  void finish() {
    std::sort(errors_.begin(), errors_.end());
    std::printf("median-error %.2f%% worst-error %.2f%%\n", errors_[errors_.size() / 2],
                errors_.back());
  }

private:
  std::vector<double> errors_;
};

struct StepSums {
  std::uint64_t total = 0, exchange = 0, compute = 0, host = 0, sync = 0;
};

StepSums sumsOf(Graph const &graph, Program const &program) {
  Executable const executable = compileGraph(graph, {program});
  StepSums sums;
  for (lower::BspStep const &step : executable.data()->bsp.steps) {
    sums.total += step.maxCycles;
    sums.sync += step.syncCycles;
    std::uint64_t const cycles = step.maxCycles - step.syncCycles;
    if (step.kind == lower::StepKind::Exchange)
      sums.exchange += cycles;
    if (step.kind == lower::StepKind::Compute)
      sums.compute += cycles;
    if (step.kind == lower::StepKind::StreamIn || step.kind == lower::StepKind::StreamOut)
      sums.host += cycles;
  }
  return sums;
}

// Source of the cycles: "IPU Peak Flops" notebook of tessellate-ipu, measured on Bow.
void ampRows(PublishedRows &rows) {
  struct Point {
    std::uint64_t n;
    double cycles;
  };
  for (Point const &p : {Point{16, 402}, Point{64, 584}, Point{128, 845}, Point{256, 1352},
                         Point{512, 2381}, Point{1024, 4424}, Point{2048, 8525}})
    rows.add("AMP vertex, " + std::to_string(p.n) + " x 16 by 16 x 16, half",
             static_cast<double>(kernels::amp1x1Cycles({}, p.n, {1, 1, 1, 16})), p.cycles,
             "cycles");
}

// 4 bytes a cycle and tile, each way: 7.83 TB/s of 1,472 tiles at 1.33 GHz.
void exchangeRow(PublishedRows &rows) {
  Target const target = plan::modelTarget("ipu2");
  Graph graph(target);
  unsigned const tiles = target.getNumTiles();
  constexpr std::size_t EACH = 65536;
  Tensor const from = graph.addVariable(FLOAT, {tiles, EACH}, "from"),
               to = graph.addVariable(FLOAT, {tiles, EACH}, "to");
  for (unsigned tile = 0; tile != tiles; ++tile) {
    graph.setTileMapping(from[tile], tile);
    graph.setTileMapping(to[tile], (tile + 1) % tiles);
  }
  graph.createHostRead("to", to, true);
  StepSums const sums = sumsOf(graph, Copy(from, to));
  double const seconds = static_cast<double>(sums.exchange) / target.getTileClockFrequency();
  rows.add("exchange between all tiles, 256 KiB each", tiles * EACH * 4.0 / seconds / 1e12, 7.83,
           "TB/s");
}

// Source: execution reports of lattice-Boltzmann codes, 166 cycles a step of compute and exchange.
void syncRow(PublishedRows &rows) {
  Graph graph(plan::modelTarget("ipu2"));
  popops::addCodelets(graph);
  Tensor const a = graph.addVariable(FLOAT, {64}, "a"), b = graph.addVariable(FLOAT, {64}, "b");
  graph.setTileMapping(a, 0);
  graph.setTileMapping(b, 1);
  graph.createHostRead("a", a, true);
  Sequence prog;
  popops::scaledAddTo(graph, a, b, 2.0f, prog);
  rows.add("sync of one exchange and one compute set",
           static_cast<double>(sumsOf(graph, prog).sync), 166, "cycles");
}

// Source: Louw and McIntosh-Smith, STREAM triad a = b + 3 c on Mk1: with the vendor's elementwise
// operations, one after the other, and with one vertex in hand-written assembly.
void triadRows(PublishedRows &rows) {
  struct Point {
    char const *name;
    Type type;
    bool fused;
    double rate;
  };
  for (Point const &p : {Point{"float", FLOAT, false, 7261}, Point{"half", HALF, false, 7490},
                         Point{"float in one vertex", FLOAT, true, 12420}}) {
    Target const target = plan::modelTarget("ipu1");
    Graph graph(target);
    popops::addCodelets(graph);
    std::size_t const n = std::size_t{target.getNumTiles()} * 12288;
    Tensor const a = graph.addVariable(p.type, {n}, "a"), b = graph.addVariable(p.type, {n}, "b"),
                 c = graph.addVariable(p.type, {n}, "c");
    for (Tensor const &t : {a, b, c})
      poputil::mapTensorLinearly(graph, t);
    graph.createHostRead("a", p.fused ? b : a, true);
    Sequence prog;
    if (p.fused)
      popops::scaledAddTo(graph, b, c, 3.0f, prog);
    else
      popops::addWithOutput(graph, b, popops::mul(graph, c, 3.0f, prog), a, prog);
    double const seconds =
        static_cast<double>(sumsOf(graph, prog).compute) / target.getTileClockFrequency();
    double const bytes = 3.0 * static_cast<double>(n * target.getTypeSize(p.type));
    rows.add(std::string("triad on ipu1, ") + p.name, bytes / seconds / 1e9, p.rate, "GB/s");
  }
}

// Source: the tutorial on profiling, 40.044 MB from the host: 6,663,551 cycles on the IPU Model.
void hostRow(PublishedRows &rows) {
  Graph graph(plan::modelTarget("ipu2"));
  Tensor const t = graph.addVariable(FLOAT, {10011000}, "t");
  poputil::mapTensorLinearly(graph, t);
  DataStream const stream = graph.addHostToDeviceFIFO("in", FLOAT, t.numElements());
  graph.createHostRead("t", t, true);
  rows.add("40 MB from the host", static_cast<double>(sumsOf(graph, Copy(stream, t)).host), 6663551,
           "cycles");
}

// Source: "sparsity-benchmarks" of graphcore-research, dense products on Bow; digitised from a
// figure, 3% at best. m = k.
struct Gemm {
  std::uint64_t m, n;
  double cycles;
};
constexpr Gemm HALF_PRODUCTS[] = {{1024, 4, 2503},     {1024, 16, 3013},     {1024, 64, 5351},
                                  {1024, 256, 10975},  {1024, 1024, 32591},  {1024, 4096, 86981},
                                  {2048, 4, 4703},     {2048, 64, 11923},    {2048, 256, 29234},
                                  {2048, 1024, 94255}, {2048, 2048, 156488}, {4096, 64, 30075},
                                  {4096, 256, 89529},  {4096, 2048, 562029}, {8192, 256, 281512}};
constexpr Gemm FLOAT_PRODUCTS[] = {
    {1024, 4, 4084},       {1024, 16, 5445},     {1024, 64, 11495}, {1024, 256, 28459},
    {1024, 1024, 89277},   {1024, 4096, 280271}, {2048, 4, 10703},  {2048, 64, 28459},
    {2048, 256, 87124},    {2048, 1024, 295929}, {4096, 64, 94817}, {4096, 256, 295929},
    {4096, 1024, 1121085}, {4096, 2048, 2184382}};

void gemmRows(PublishedRows &rows, bool half, std::span<Gemm const> products) {
  plan::Request const request{
      plan::modelTarget("bow"),
      half ? HALF : FLOAT,
      half ? HALF : FLOAT,
      {{"partialsType", half ? "half" : "float"}, {"availableMemoryProportion", "0.9"}}};
  for (Gemm const &p : products) {
    plan::Shape const shape{"product", plan::Product{1, p.m, p.m, p.n}, std::nullopt, 0, 0};
    rows.add("product " + std::to_string(p.m) + "^2 by " + std::to_string(p.n) +
                 (half ? ", half" : ", float"),
             static_cast<double>(plan::modelled(shape, request).cycles), p.cycles, "cycles");
  }
}

} // namespace

int runModel(Arguments const &arguments) {
  PublishedRows rows;
  ampRows(rows);
  exchangeRow(rows);
  syncRow(rows);
  triadRows(rows);
  hostRow(rows);
  if (arguments.set != Set::Smoke) {
    gemmRows(rows, true, HALF_PRODUCTS);
    gemmRows(rows, false, FLOAT_PRODUCTS);
  }
  rows.finish();
  return 0;
}

} // namespace cottonwood::bench
