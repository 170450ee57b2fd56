#include <bench/Cases.hpp>
#include <bench/poplin/ConvCases.hpp>
#include <bench/poplin/MatMulCases.hpp>
#include <bench/popops/ArrayCases.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace cottonwood::bench;

namespace {

std::vector<std::vector<Case>> families() {
  return {matMulCases(),   matMulHalfCases(),  convCases(),
          convHalfCases(), elementwiseCases(), elementwiseHalfCases(),
          reduceCases(),   normCases(),        copyCases()};
}

std::vector<std::string> namesOf(std::vector<Case> const &cases, Arguments const &arguments) {
  std::vector<std::string> names;
  for (Case const &chosen : selected(cases, arguments))
    names.push_back(nameOf(chosen.problem));
  return names;
}

std::string errorOf(std::vector<Case> const &cases, Arguments const &arguments) {
  try {
    selected(cases, arguments);
  } catch (UsageError const &error) {
    return error.what();
  }
  return "no error";
}

Case caseOf(Set set, std::vector<std::string> groups, std::size_t size) {
  return {.set = set, .groups = std::move(groups), .problem = Product{.m = size}};
}

} // namespace

TEST_SUITE("bench/cases") {
  TEST_CASE("every case has a name of its own and survives the trip to a peer") {
    for (auto const &cases : families()) {
      std::set<std::string> names;
      for (Case const &next : cases) {
        CAPTURE(nameOf(next.problem));
        CHECK(names.insert(nameOf(next.problem)).second);
        CHECK(nameOf(parseProblem(textOf(next.problem))) == nameOf(next.problem));
        CHECK(textOf(parseProblem(textOf(next.problem))) == textOf(next.problem));
        CHECK(!next.groups.empty());
      }
    }
  }

  TEST_CASE("larger sets include the smaller ones") {
    for (auto const &cases : families()) {
      auto const smoke = namesOf(cases, {.set = Set::Smoke}), ci = namesOf(cases, {.set = Set::Ci}),
                 all = namesOf(cases, {.set = Set::All});
      CHECK(!smoke.empty());
      CHECK(smoke.size() < ci.size());
      CHECK(ci.size() < all.size());
      CHECK(all.size() == cases.size());
    }
  }

  TEST_CASE("families of half compute the same problems in half") {
    auto const half = convHalfCases();
    CHECK(std::all_of(half.begin(), half.end(), [](Case const &c) { return isHalf(c.problem); }));
    auto const withHalfSums = std::count_if(half.begin(), half.end(), [](Case const &c) {
      return std::get<Conv>(c.problem).halfPartials;
    });
    CHECK(withHalfSums > 0);
    CHECK(convCases().size() + static_cast<std::size_t>(withHalfSums) == half.size());
    CHECK(nameOf(asFloat(half.front().problem)) == nameOf(convCases().front().problem));
    Problem const partials = Product{.half = true, .halfPartials = true};
    CHECK(nameOf(asFloat(partials)) == "float/1x1x1");
  }

  TEST_CASE("ResNet-50 has 53 convolutions of 8.17 GF at batch 1") {
    unsigned layers = 0;
    double flops = 0;
    for (Case const &next : selected(convCases(), {.group = "resnet50-b1/own"})) {
      layers += next.count;
      flops += next.count * flopsOf(next.problem);
    }
    CHECK(layers == 53);
    CHECK(flops == doctest::Approx(8.17e9).epsilon(0.001));
  }

  TEST_CASE("a group is its cases of all sets, and those of the groups below it") {
    std::vector<Case> const cases = {caseOf(Set::Smoke, {"a/x"}, 1), caseOf(Set::All, {"a/y"}, 2),
                                     caseOf(Set::Ci, {"ab", "b/x"}, 3)};
    auto const names = [&](std::string const &group) {
      return namesOf(cases, {.set = Set::All, .group = group});
    };
    CHECK(names("a") == std::vector<std::string>{"float/1x1x1", "float/2x1x1"});
    CHECK(names("a/y") == std::vector<std::string>{"float/2x1x1"});
    CHECK(names("b") == std::vector<std::string>{"float/3x1x1"});
    CHECK(groupsOf(cases) == std::vector<std::string>{"a/x", "a/y", "ab", "b/x"});
  }

  TEST_CASE("a part of the name chooses among the cases of a set") {
    std::vector<Case> const cases = {caseOf(Set::Smoke, {"a"}, 1), caseOf(Set::Smoke, {"a"}, 2)};
    CHECK(namesOf(cases, {.only = "/2x"}) == std::vector<std::string>{"float/2x1x1"});
    CHECK(errorOf(cases, {.only = "/3x"}) ==
          "--only '/3x': no case of the set has this in its name");
  }

  TEST_CASE("a group that does not exist is an error that names those that do") {
    std::vector<Case> const cases = {caseOf(Set::Smoke, {"a", "b"}, 1)};
    CHECK(errorOf(cases, {.set = Set::All, .group = "c"}) ==
          "--set 'c' is unknown; there are smoke, ci, all, a, b");
  }
}
