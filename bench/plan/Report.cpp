#include <bench/plan/Arrays.hpp>
#include <bench/plan/Modelled.hpp>
#include <bench/plan/Picture.hpp>
#include <bench/plan/Report.hpp>

#include <planners/poplin/TilePlanner.hpp>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <string>
#include <vector>

namespace cottonwood::plan {

namespace {

using Json = nlohmann::ordered_json;

unsigned long long u(std::uint64_t value) { return value; }

Json termsJson(planner::TileTerms const &terms) {
  return {{"transform", terms.transform}, {"slice", terms.slice},
          {"exchange", terms.exchange},   {"compute", terms.compute},
          {"reduction", terms.reduction}, {"update", terms.update}};
}

planner::TileTerms termsOf(Figures const &figures, planner::TilePlan const &plan) {
  auto const seen = planner::detail::seenBy(figures.problem, plan);
  return planner::TileCost(seen, figures.machine, plan).terms();
}

/// Where a plan costs more than the chosen one, and where less.
std::string difference(planner::TileTerms const &other, planner::TileTerms const &chosen) {
  std::string text;
  auto const term = [&](char const *name, std::uint64_t a, std::uint64_t b) {
    if (a == b)
      return;
    char part[64];
    std::snprintf(part, sizeof part, "%s%s %+lld", text.empty() ? "" : ", ", name,
                  static_cast<long long>(a) - static_cast<long long>(b));
    text += part;
  };
  term("transform", other.transform, chosen.transform);
  term("slice", other.slice, chosen.slice);
  term("exchange", other.exchange, chosen.exchange);
  term("compute", other.compute, chosen.compute);
  term("reduction", other.reduction, chosen.reduction);
  term("update", other.update, chosen.update);
  return text.empty() ? "as fast, with more bytes" : text;
}

class PlanReport {
public:
  explicit PlanReport(Arguments const &args)
      : args_(args), request_{
                         modelTarget(args.target), typeOf(args.type), typeOf(args.output), {}} {
    request_.options.set("partialsType", args.partials);
    request_.options.set("availableMemoryProportion", std::to_string(args.proportion));
    if (!args.constraints.empty())
      request_.options.set("planConstraints", args.constraints);
  }

  void print() {
    if (args_.shape.isArray())
      return printArrays();
    figures_ = planned(args_.shape, request_, args_.published, args_.alternatives + 1);
    if (args_.sweep)
      return printSweep();
    if (!args_.published)
      steps_ = modelled(args_.shape, request_, &figures_.choice.plan);
    args_.json ? printJson() : printText();
  }

private:
  static poplar::Type typeOf(std::string const &name) {
    return name == "half" ? poplar::HALF : poplar::FLOAT;
  }

  double peak(double cycles) const {
    return 100 * figures_.problem.macs() / (cycles * figures_.machine.peak());
  }

  void printArrays() {
    poplar::OptionFlags options;
    if (args_.shape.embedding)
      options.set("availableMemoryProportion", std::to_string(args_.proportion));
    request_.options = options;
    ArrayFigures const figures = arrayFigures(args_.shape, request_, args_.alternatives);
    args_.json ? printJson(figures) : printText(figures);
  }

  void printText(ArrayFigures const &figures) const {
    double const modelled = static_cast<double>(figures.steps.cycles);
    std::printf("problem    %s\nmachine    %s: %u tiles of %u bytes\nplan       %s\n",
                args_.shape.name.c_str(), args_.target.c_str(), request_.target.getNumTiles(),
                request_.target.getBytesPerTile(), figures.plan.c_str());
    std::printf("predicted  %.0f cycles (", figures.predicted.cycles);
    char const *separator = "";
    for (auto const &[name, cycles] : figures.terms)
      if (cycles != 0) {
        std::printf("%s%s %llu", separator, name.c_str(), u(cycles));
        separator = ", ";
      }
    std::printf(")\nmodelled   %llu cycles (prediction %+.2f%%): exchange %llu, compute %llu, tile "
                "balance %.3f\n",
                u(figures.steps.cycles), 100 * (figures.predicted.cycles / modelled - 1),
                u(figures.steps.exchange), u(figures.steps.compute), figures.steps.averageCompute);
    std::printf(
        "memory     %llu bytes of temporaries on a tile (%llu modelled); %llu are allowed%s\n",
        u(figures.predicted.temporaryBytes), u(figures.steps.temporaryBytes),
        u(figures.allowedBytes), figures.exceedsMemory ? "; no plan fits" : "");
    std::printf("planned in %.1f ms; %llu plans were priced\n\nalternatives\n",
                figures.planSeconds * 1e3, u(figures.considered));
    for (auto const &[plan, cost] : figures.others)
      std::printf("  %+7.2f%%  %9.0f cycles %8llu bytes  %s\n",
                  100 * (cost.cycles / figures.predicted.cycles - 1), cost.cycles,
                  u(cost.temporaryBytes), plan.c_str());
  }

  void printJson(ArrayFigures const &figures) const {
    Json json;
    json["problem"] = args_.shape.name;
    json["target"] = args_.target;
    json["tiles"] = request_.target.getNumTiles();
    json["chosen"] = {{"plan", figures.plan},
                      {"cycles", figures.predicted.cycles},
                      {"temporaryBytes", figures.predicted.temporaryBytes}};
    for (auto const &[name, cycles] : figures.terms)
      json["chosen"]["terms"][name] = cycles;
    json["allowedBytes"] = figures.allowedBytes;
    json["planSeconds"] = figures.planSeconds;
    json["considered"] = figures.considered;
    json["modelled"] = {{"cycles", figures.steps.cycles},
                        {"exchange", figures.steps.exchange},
                        {"compute", figures.steps.compute},
                        {"temporaryBytes", figures.steps.temporaryBytes},
                        {"tileBalance", figures.steps.averageCompute}};
    json["alternatives"] = Json::array();
    for (auto const &[plan, cost] : figures.others)
      json["alternatives"].push_back(
          {{"plan", plan}, {"cycles", cost.cycles}, {"temporaryBytes", cost.temporaryBytes}});
    std::printf("%s\n", json.dump(2).c_str());
  }

  void printText() const {
    planner::TileChoice const &choice = figures_.choice;
    std::printf(
        "problem    %s\nmachine    %s: %llu tiles of %llu bytes, %llu multiply-adds a cycle "
        "each for these types\nplan       %s\n           %s\n",
        args_.shape.name.c_str(), args_.target.c_str(), u(figures_.machine.tiles),
        u(figures_.machine.bytesPerTile), u(figures_.machine.amp.macsPerCycle()),
        splitText(choice.plan).c_str(), toText(choice.plan).c_str());
    std::printf("tiles      %llu of %llu\n", u(choice.plan.parts()), u(figures_.machine.tiles));
    std::printf("predicted  %.0f cycles (exchange %llu, compute %llu, reduction %llu%s), %.1f%% of "
                "peak\n",
                choice.cost.cycles, u(choice.terms.exchange), u(choice.terms.compute),
                u(choice.terms.reduction),
                choice.terms.transform + choice.terms.slice + choice.terms.update == 0
                    ? ""
                    : (", others " + std::to_string(choice.terms.transform + choice.terms.slice +
                                                    choice.terms.update))
                          .c_str(),
                peak(choice.cost.cycles));
    if (!args_.published)
      std::printf(
          "modelled   %llu cycles (prediction %+.2f%%), %.1f%% of peak, tile balance %.3f\n",
          u(steps_.cycles), 100 * (choice.cost.cycles / static_cast<double>(steps_.cycles) - 1),
          peak(static_cast<double>(steps_.cycles)), steps_.averageCompute);
    std::printf("memory     %llu bytes of temporaries on a tile; %.0f are allowed\n",
                u(choice.cost.temporaryBytes), figures_.machine.allowedBytes());
    std::printf("planned in %.1f ms; %s", figures_.planSeconds * 1e3, choice.explanation.c_str());
    std::printf("\n%s\nalternatives, and where they lose\n",
                partitionPicture(figures_.problem, choice.plan).c_str());
    for (auto const &other : choice.others)
      printOther("", other);
    printKinds();
  }

  void printOther(char const *kind, planner::Candidate<planner::TilePlan> const &other) const {
    std::printf("  %+6.2f%%  %9.0f cycles %8llu bytes  %s%s\n           %s\n",
                100 * (other.cost.cycles / figures_.choice.cost.cycles - 1), other.cost.cycles,
                u(other.cost.temporaryBytes), kind, splitText(other.plan).c_str(),
                difference(termsOf(figures_, other.plan), figures_.choice.terms).c_str());
  }

  /// The best plans of other kinds: what each freedom of the search is worth.
  void printKinds() const {
    struct Kind {
      char const *name, *constraints;
    };
    planner::TilePlan const &chosen = figures_.choice.plan;
    std::vector<Kind> kinds;
    if (figures_.problem.isMatMul)
      kinds.push_back(chosen.swap ? Kind{"operands not swapped: ", "swap=false"}
                                  : Kind{"operands swapped: ", "swap=true"});
    if (chosen.sums() > 1)
      kinds.push_back({"no partial sums: ", "splitI=1,splitK0=1,splitK1=1,splitK2=1"});
    if (chosen.serialParts() > 1)
      kinds.push_back({"all at once: ", "serialN=1,serialI=1"});
    for (Kind const &kind : kinds)
      try {
        auto const other = planner::planTiles(figures_.problem, figures_.machine,
                                              planner::Constraints::parse(kind.constraints));
        printOther(kind.name, planner::Candidate<planner::TilePlan>::at(other.plan, other.cost));
      } catch (planner::PlanError const &) {
        std::printf("  none     %s\n", kind.name);
      }
  }

  Json planJson(planner::TilePlan const &plan, planner::Cost const &cost) const {
    Json json;
    json["plan"] = toText(plan);
    planner::TilePlan::fields(plan, [&](std::string_view key, auto const &value) {
      json["fields"][std::string(key)] = planner::detail::fieldText(value);
    });
    json["cycles"] = cost.cycles;
    json["temporaryBytes"] = cost.temporaryBytes;
    json["terms"] = termsJson(termsOf(figures_, plan));
    return json;
  }

  void printJson() const {
    planner::TileChoice const &choice = figures_.choice;
    Json json;
    json["problem"] = args_.shape.name;
    json["target"] = args_.target;
    json["tiles"] = figures_.machine.tiles;
    json["charges"] = args_.published ? "published" : "modelled";
    json["chosen"] = planJson(choice.plan, choice.cost);
    json["chosen"]["tilesUsed"] = choice.plan.parts();
    json["chosen"]["shareOfPeak"] = peak(choice.cost.cycles) / 100;
    json["allowedBytes"] = figures_.machine.allowedBytes();
    json["planSeconds"] = figures_.planSeconds;
    json["considered"] = choice.considered;
    if (!args_.published)
      json["modelled"] = {{"cycles", steps_.cycles},
                          {"exchange", steps_.exchange},
                          {"compute", steps_.compute},
                          {"temporaryBytes", steps_.temporaryBytes},
                          {"tileBalance", steps_.averageCompute}};
    json["alternatives"] = Json::array();
    for (auto const &other : choice.others)
      json["alternatives"].push_back(planJson(other.plan, other.cost));
    std::printf("%s\n", json.dump(2).c_str());
  }

  void printSweep() const {
    auto const points = planner::tileFrontier(figures_.problem, figures_.machine);
    if (args_.json) {
      Json json;
      json["problem"] = args_.shape.name;
      json["target"] = args_.target;
      json["bytesPerTile"] = figures_.machine.bytesPerTile;
      json["points"] = Json::array();
      for (auto const &point : points)
        json["points"].push_back(planJson(point.plan, point.cost));
      std::printf("%s\n", json.dump(2).c_str());
      return;
    }
    std::printf("%s on %s\n%10s %10s %12s %7s  %s\n", args_.shape.name.c_str(),
                args_.target.c_str(), "proportion", "bytes", "cycles", "peak %", "plan");
    std::vector<planner::Cost> costs;
    for (auto const &point : points) {
      costs.push_back(point.cost);
      std::printf("%10.4f %10llu %12.0f %7.1f  %s\n",
                  static_cast<double>(point.cost.temporaryBytes) /
                      static_cast<double>(figures_.machine.bytesPerTile),
                  u(point.cost.temporaryBytes), point.cost.cycles, peak(point.cost.cycles),
                  splitText(point.plan).c_str());
    }
    std::printf("\n%s", curvePicture(costs).c_str());
  }

  Arguments const &args_;
  Request request_;
  Figures figures_;
  Steps steps_;
};

} // namespace

void printPlan(Arguments const &arguments) { PlanReport(arguments).print(); }

} // namespace cottonwood::plan
