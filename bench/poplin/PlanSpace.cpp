#include <bench/poplin/PlanSpace.hpp>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace cottonwood::bench {
namespace {

constexpr std::size_t SPLITS[] = {2, 4, 8};

/// The line that starts with `key`, without it; empty if there is none.
std::string lineOf(std::string const &text, std::string const &key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(key))
      return line.substr(key.size());
  return {};
}

using Fields = std::vector<std::pair<std::string, std::string>>;

/// {"a": 1, "b": true}, of names and JSON values
std::string object(Fields const &fields) {
  std::string text = "{";
  for (auto const &[name, value] : fields)
    text += (text.size() > 1 ? ", \"" : "\"") + name + "\": " + value;
  return text + "}";
}

/// Splits of two sizes at a time and of one.
template <class Add>
void forEachSplit(std::vector<std::pair<std::string, std::size_t>> const &sizes, Add &&add) {
  for (std::size_t first = 0; first < sizes.size(); ++first)
    for (std::size_t split : SPLITS) {
      if (split > sizes[first].second)
        continue;
      add(Fields{{sizes[first].first, std::to_string(split)}});
      for (std::size_t second = first + 1; second < sizes.size(); ++second)
        if (split == 2 && sizes[second].second >= 2)
          add(Fields{{sizes[first].first, "2"}, {sizes[second].first, "2"}});
    }
}

void addKernels(std::vector<std::string> &all, std::string const &chosen) {
  for (char const *method : {"blocked", "rows", "column"})
    if (fieldOf(chosen, "method") != method)
      all.push_back(object({{"method", std::string("\"") + method + '"'}}));
  for (char const *name : {"rows", "depth"})
    if (std::string const value = fieldOf(chosen, name); !value.empty())
      for (unsigned long quarters : {2UL, 8UL})
        if (unsigned long const changed = std::stoul(value) * quarters / 4; changed > 0)
          all.push_back(object({{name, std::to_string(changed)}}));
  for (char const *name : {"packA", "packB", "panelsA"})
    if (std::string const value = fieldOf(chosen, name); !value.empty())
      all.push_back(object({{name, value == "true" ? "false" : "true"}}));
}

std::vector<std::string> constraintsOf(Product const &p, std::string const &chosen) {
  std::vector<std::string> all = {R"({"splitG": 1, "splitM": 1, "splitN": 1})"};
  forEachSplit({{"splitG", p.batch}, {"splitM", p.m}, {"splitN", p.n}},
               [&](Fields const &fields) { all.push_back(object(fields)); });
  addKernels(all, chosen);
  return all;
}

/// One entry of a convolution's "partition": some stand in objects of their own.
std::pair<std::string, std::string> partitionField(std::string const &name,
                                                   std::string const &split) {
  if (name == "fieldSplit")
    return {name, object({{"0", split}})};
  if (name == "outChanSplit")
    return {name, object({{"parallel", split}})};
  return {name, split};
}

std::vector<std::string> constraintsOf(Conv const &c, std::string const &) {
  std::vector<std::string> all;
  auto const add = [&](Fields const &splits) {
    Fields fields;
    for (auto const &[name, split] : splits)
      fields.push_back(partitionField(name, split));
    all.push_back(object({{"0", object({{"partition", object(fields)}})}}));
  };
  add({{"convGroupSplit", "1"}, {"batchSplit", "1"}, {"fieldSplit", "1"}, {"outChanSplit", "1"}});
  forEachSplit({{"convGroupSplit", c.groups},
                {"batchSplit", c.batch},
                {"fieldSplit", c.outSize()},
                {"outChanSplit", c.out}},
               add);
  return all;
}

/// Operations over arrays have no plans to choose from.
std::vector<std::string> constraintsOf(ArrayOp const &, std::string const &) { return {}; }

} // namespace

PlanReport parsePlanReport(std::string const &text) {
  PlanReport report{lineOf(text, "plan: ")};
  std::istringstream estimate(lineOf(text, "estimate: "));
  std::string unit;
  if (report.plan.empty() || !(estimate >> report.cycles >> unit) || !unit.starts_with("cycles"))
    throw std::invalid_argument("not the report of a plan: '" + text + "'");
  return report;
}

std::string fieldOf(std::string const &plan, std::string const &name) {
  std::istringstream words(plan);
  for (std::string word; words >> word;)
    if (word.starts_with(name + '='))
      return word.substr(name.size() + 1);
  return {};
}

std::string shortPlan(std::string const &plan) {
  std::istringstream words(plan);
  std::string text;
  for (std::string word; words >> word;) {
    std::size_t const equals = word.find('=');
    if (equals == std::string::npos)
      continue;
    std::string const value = word.substr(equals + 1);
    if (value != "0" && value != "false" && (value != "1" || !word.starts_with("split")) &&
        word != "otherSplits=1")
      text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

std::vector<std::string> constraintsFor(Problem const &problem, std::string const &chosenPlan) {
  return with(problem, [&](auto const &p) { return constraintsOf(p, chosenPlan); });
}

std::vector<Case> planCases() {
  std::vector<Case> cases;
  auto const add = [&](Set set, char const *group, Problem const &problem) {
    cases.push_back({.set = set, .groups = {group}, .problem = problem});
  };
  for (std::size_t n = 64; n <= 2048; n *= 2)
    add(n == 128   ? Set::Smoke
        : n <= 512 ? Set::Ci
                   : Set::All,
        "matmul", Product{.m = n, .n = n, .k = n});
  add(Set::Ci, "matmul", Product{.m = 32, .n = 4096, .k = 1024});
  add(Set::Ci, "matmul", Product{.m = 4096, .n = 32, .k = 1024});
  add(Set::Ci, "matmul", Product{.m = 1, .n = 4096, .k = 1024});
  add(Set::Ci, "matmul", Product{.m = 33, .n = 65, .k = 129});
  add(Set::Ci, "matmul", Product{.batch = 16, .m = 64, .n = 64, .k = 64});
  add(Set::All, "matmul", Product{.batch = 96, .m = 128, .n = 64, .k = 128});
  add(Set::All, "matmul", Product{.half = true, .m = 512, .n = 512, .k = 512});
  add(Set::Ci, "conv", Conv{.in = 3, .out = 64, .size = 112, .kernel = 7, .stride = 2});
  add(Set::Smoke, "conv", Conv{.in = 64, .out = 64, .size = 28, .kernel = 3});
  add(Set::Ci, "conv", Conv{.in = 256, .out = 64, .size = 56});
  add(Set::Ci, "conv", Conv{.in = 256, .out = 256, .size = 14, .kernel = 3});
  add(Set::Ci, "conv", Conv{.in = 512, .out = 512, .size = 7, .kernel = 3});
  add(Set::All, "conv", Conv{.batch = 4, .in = 64, .out = 256, .size = 56});
  add(Set::All, "conv", Conv{.batch = 4, .in = 512, .out = 512, .size = 7, .kernel = 3});
  add(Set::Ci, "conv", Conv{.groups = 128, .size = 56, .kernel = 3});
  add(Set::All, "conv", Conv{.batch = 4, .groups = 32, .in = 4, .out = 4, .size = 56, .kernel = 3});
  return cases;
}

} // namespace cottonwood::bench
