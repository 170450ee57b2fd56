#include <bench/plan/Arrays.hpp>
#include <bench/plan/Modelled.hpp>
#include <bench/plan/Picture.hpp>
#include <bench/plan/Table.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <vector>

namespace cottonwood::plan {

namespace {

struct Row {
  std::string name, partials;
  std::uint64_t published = 0;
  Figures figures;
  Steps steps;
};

class Table {
public:
  explicit Table(TableRequest const &request) : request_(request) {}

  int print() {
    if (!anyIsWanted(shapes()) && (request_.published || !anyIsWanted(arrayShapes())))
      throw std::invalid_argument("--only: no problem of the table has '" + request_.only +
                                  "' in its name");
    printHead();
    for (Shape const &shape : shapes())
      if (isWanted(shape))
        for (bool const half : {true, false})
          if (half || shape.publishedFloat != 0)
            printRow(rowOf(shape, half));
    if (!request_.published)
      printArrays();
    printTail();
    return failed_ ? 1 : 0;
  }

private:
  bool isWanted(Shape const &shape) const {
    return shape.name.find(request_.only) != std::string::npos;
  }
  bool anyIsWanted(std::vector<Shape> const &all) const {
    return std::any_of(all.begin(), all.end(), [&](Shape const &s) { return isWanted(s); });
  }

  Row rowOf(Shape const &shape, bool half) {
    Request request{modelTarget(request_.target),
                    poplar::HALF,
                    poplar::HALF,
                    {{"partialsType", half ? "half" : "float"}}};
    Row row{shape.name,
            half ? "half" : "float",
            half ? shape.publishedHalf : shape.publishedFloat,
            {},
            {}};
    row.figures = planned(shape, request, request_.published, 1);
    if (!request_.published)
      row.steps = modelled(shape, request, &row.figures.choice.plan);
    return row;
  }

  void printArrays() {
    Request const request{modelTarget(request_.target), poplar::HALF, poplar::HALF, {}};
    for (Shape const &shape : arrayShapes()) {
      if (!isWanted(shape))
        continue;
      ArrayFigures const figures = arrayFigures(shape, request, 0);
      auto const cycles = static_cast<double>(figures.steps.cycles);
      double const error = 100 * (figures.predicted.cycles / cycles - 1);
      slowest_ = std::max(slowest_, figures.planSeconds);
      errors_.push_back(std::abs(error));
      bool const over = figures.steps.temporaryBytes > figures.allowedBytes;
      violations_ += over ? 1 : 0;
      std::printf("%-34s %-5s %10s %10.0f %10llu %+7.2f %6s %8.3f %8llu %8llu%s %7.1f  %s\n",
                  shape.name.c_str(), "-", "-", figures.predicted.cycles,
                  static_cast<unsigned long long>(figures.steps.cycles), error, "-",
                  figures.steps.averageCompute,
                  static_cast<unsigned long long>(figures.predicted.temporaryBytes),
                  static_cast<unsigned long long>(figures.steps.temporaryBytes), over ? "!" : " ",
                  figures.planSeconds * 1e3, figures.plan.c_str());
      std::fflush(stdout);
    }
  }

  void printHead() const {
    if (request_.published)
      std::printf("%-34s %-5s %10s %10s %9s %6s %8s  %s\n", "problem", "sums", "published",
                  "cycles", "diff %", "peak %", "plan ms", "plan");
    else
      std::printf("%-34s %-5s %10s %10s %10s %7s %6s %8s %8s %8s %8s  %s\n", "problem", "sums",
                  "published", "predicted", "modelled", "error %", "peak %", "balance", "bytes",
                  "modelled", "plan ms", "plan");
  }

  void printRow(Row const &row) {
    planner::TileChoice const &choice = row.figures.choice;
    auto const predicted = static_cast<std::uint64_t>(choice.cost.cycles);
    double const ms = row.figures.planSeconds * 1e3;
    slowest_ = std::max(slowest_, row.figures.planSeconds);
    if (request_.published) {
      double const difference =
          row.published == 0
              ? 0
              : 100 * (static_cast<double>(predicted) / static_cast<double>(row.published) - 1);
      // A cheaper plan than a published one is what a search is for.
      failed_ = failed_ || difference > 0.1;
      errors_.push_back(std::max(0.0, difference));
      std::printf("%-34s %-5s %10s %10llu %+9.3f %6.1f %8.1f  %s\n", row.name.c_str(),
                  row.partials.c_str(), figure(row.published).c_str(),
                  static_cast<unsigned long long>(predicted), difference,
                  peak(row, static_cast<double>(predicted)), ms, splitText(choice.plan).c_str());
      return;
    }
    auto const cycles = static_cast<double>(row.steps.cycles);
    double const error = 100 * (choice.cost.cycles / cycles - 1);
    errors_.push_back(std::abs(error));
    bool const over =
        static_cast<double>(row.steps.temporaryBytes) > row.figures.machine.allowedBytes();
    violations_ += over ? 1 : 0;
    std::printf("%-34s %-5s %10s %10llu %10llu %+7.2f %6.1f %8.3f %8llu %8llu%s %7.1f  %s\n",
                row.name.c_str(), row.partials.c_str(), figure(row.published).c_str(),
                static_cast<unsigned long long>(predicted),
                static_cast<unsigned long long>(row.steps.cycles), error, peak(row, cycles),
                row.steps.averageCompute,
                static_cast<unsigned long long>(choice.cost.temporaryBytes),
                static_cast<unsigned long long>(row.steps.temporaryBytes), over ? "!" : " ", ms,
                splitText(choice.plan).c_str());
    std::fflush(stdout);
  }

  void printTail() {
    std::sort(errors_.begin(), errors_.end());
    double const median = errors_.empty() ? 0 : errors_[errors_.size() / 2];
    double const worst = errors_.empty() ? 0 : errors_.back();
    failed_ = failed_ || (!request_.published && (median > 3 || worst > 10 || violations_ != 0));
    std::printf(
        "median-error %.3f%% worst-error %.3f%% memory-violations %u slowest-plan %.1f ms\n",
        median, worst, violations_, slowest_ * 1e3);
  }

  static std::string figure(std::uint64_t value) {
    return value == 0 ? "-" : std::to_string(value);
  }
  /// Share of the peak of partial sums of half, as published figures have it.
  static double peak(Row const &row, double cycles) {
    planner::TileMachine machine = row.figures.machine;
    machine.amp.units = 16;
    return 100 * row.figures.problem.macs() / (cycles * machine.peak());
  }

  TableRequest request_;
  std::vector<double> errors_;
  unsigned violations_ = 0;
  double slowest_ = 0;
  bool failed_ = false;
};

} // namespace

int printTable(TableRequest const &request) { return Table(request).print(); }

} // namespace cottonwood::plan
