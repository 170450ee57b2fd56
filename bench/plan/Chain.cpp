#include <bench/plan/Arguments.hpp>
#include <bench/plan/Chain.hpp>
#include <bench/plan/Picture.hpp>

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdio>

namespace cottonwood::plan {

namespace {

poplar::Type typeOf(std::string const &name) {
  return name == "half" ? poplar::HALF : poplar::FLOAT;
}

void printJson(Arguments const &args, ChainFigures const &figures) {
  nlohmann::ordered_json json;
  json["target"] = args.target;
  json["steps"] = nlohmann::ordered_json::array();
  for (std::size_t s = 0; s != figures.products.size(); ++s)
    json["steps"].push_back({{"problem", figures.products[s].name},
                             {"plan", toText(figures.chain.choices[s].plan)},
                             {"cycles", figures.chain.choices[s].cost.cycles},
                             {"alone", toText(figures.alone[s])}});
  json["predicted"] = {{"cycles", figures.chain.cycles},
                       {"moved", figures.chain.moved},
                       {"separate", figures.chain.separate}};
  json["modelled"] = {{"cycles", figures.together.cycles}, {"separate", figures.separate.cycles}};
  json["planSeconds"] = figures.planSeconds;
  std::printf("%s\n", json.dump(2).c_str());
}

void printText(ChainFigures const &figures) {
  for (std::size_t s = 0; s != figures.products.size(); ++s) {
    planner::TileChoice const &choice = figures.chain.choices[s];
    std::printf("%-28s %9.0f cycles %8llu bytes  %s\n", figures.products[s].name.c_str(),
                choice.cost.cycles, static_cast<unsigned long long>(choice.cost.temporaryBytes),
                splitText(choice.plan).c_str());
    if (!(figures.alone[s] == choice.plan))
      std::printf("%-28s %s\n", "  by itself it would be", splitText(figures.alone[s]).c_str());
  }
  auto const modelled = [](Steps const &steps) {
    return static_cast<unsigned long long>(steps.cycles);
  };
  std::printf("predicted  %.0f cycles, %.0f of them to move results; the best plans of each by "
              "itself %.0f (%+.2f%%)\n",
              figures.chain.cycles, figures.chain.moved, figures.chain.separate,
              100 * (figures.chain.separate / figures.chain.cycles - 1));
  std::printf("modelled   %llu cycles; the best plans of each by itself %llu\n",
              modelled(figures.together), modelled(figures.separate));
  std::printf("planned in %.1f ms\n", figures.planSeconds * 1e3);
}

} // namespace

ChainFigures chainFigures(std::span<std::uint64_t const> sizes, Request const &request) {
  ChainFigures figures;
  std::vector<planner::TileStep> steps;
  for (std::size_t s = 2; s < sizes.size(); ++s) {
    Shape shape;
    shape.product = Product{1, sizes[0], sizes[s - 1], sizes[s]};
    shape.name = std::to_string(sizes[0]) + "x" + std::to_string(sizes[s - 1]) + "x" +
                 std::to_string(sizes[s]);
    Figures const alone = planned(shape, request, false, 1);
    steps.push_back({alone.problem, alone.machine, {}, planner::TileMatrix::LEFT});
    figures.alone.push_back(alone.choice.plan);
    figures.products.push_back(std::move(shape));
  }
  auto const begin = std::chrono::steady_clock::now();
  figures.chain = planner::planChain(steps);
  figures.planSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::vector<planner::TilePlan> plans;
  for (planner::TileChoice const &choice : figures.chain.choices)
    plans.push_back(choice.plan);
  figures.together = modelledChain(figures.products, request, plans);
  figures.separate = modelledChain(figures.products, request, figures.alone);
  return figures;
}

void printChain(Arguments const &args) {
  poplar::OptionFlags const options{{"partialsType", args.partials},
                                    {"availableMemoryProportion", std::to_string(args.proportion)}};
  ChainFigures const figures = chainFigures(
      args.chain, {modelTarget(args.target), typeOf(args.type), typeOf(args.type), options});
  args.json ? printJson(args, figures) : printText(figures);
}

} // namespace cottonwood::plan
