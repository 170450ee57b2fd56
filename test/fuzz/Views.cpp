// Chains of tensor operations against lists of indices.
#include "Fuzz.hpp"

#include "../poplar/tensor/Composer.hpp"

using namespace cottonwood;
using fuzz::expect;
using naive::Twin;

namespace {

graph::View const &viewOf(Twin const &twin) { return graph::viewOf(twin.real); }

void checkElements(Twin const &twin) {
  expect(twin.real.shape() == twin.model.shape, "another shape");
  expect(twin.real.numElements() == twin.model.places.size(), "another number of elements");
  for (std::size_t k = 0; k != twin.model.places.size(); ++k) {
    graph::Location const where = viewOf(twin).locate(k);
    expect(naive::Place(where.var, where.offset) == twin.model.places[k],
           "element " + std::to_string(k) + " is another one");
  }
}

void checkRuns(Twin const &twin) {
  std::vector<naive::Run> const expected = naive::runs(twin.model);
  std::size_t next = 0;
  viewOf(twin).forEachRun([&](graph::Run const &run) {
    expect(next < expected.size() && naive::Place(run.var, run.begin) == expected[next].first &&
               run.size == expected[next].end - expected[next].begin,
           "run " + std::to_string(next) + " is another one");
    ++next;
  });
  expect(next == expected.size(), "fewer runs");
  expect(twin.real.isContiguous() == (expected.size() <= 1), "isContiguous");
}

void checkQueries(Twin const &twin) {
  expect(twin.real.containsAliases() == naive::containsAliases(twin.model), "containsAliases");
  expect(viewOf(twin) == viewOf(Twin(twin)), "a copy is not equal");
}

void checkPair(Twin const &a, Twin const &b) {
  expect(a.real.intersectsWith(b.real) == naive::intersects(a.model, b.model),
         "intersectsWith of " + b.story);
  expect((a.real == b.real) == (a.model.shape == b.model.shape && a.model.places == b.model.places),
         "operator== of " + b.story);
}

} // namespace

int main(int argc, char **argv) {
  return fuzz::run("fuzz-views", argc, argv, [](fuzz::Random &random) {
    naive::Composer composer(random());
    Twin const a = composer.chain(), b = composer.chain();
    try {
      for (Twin const *twin : {&a, &b}) {
        checkElements(*twin);
        checkRuns(*twin);
        checkQueries(*twin);
      }
      checkPair(a, b);
    } catch (std::exception const &error) {
      fuzz::finding(std::string(error.what()) + "\n  a = " + a.story + "\n  b = " + b.story);
    }
  });
}
