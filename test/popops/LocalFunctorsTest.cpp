#define LOCAL_FACTOR 10.0F
#include "LocalFunctors.hpp"

std::vector<std::size_t> byFunctorsOfOtherFile(harness::Run &run, poplar::Tensor const &t);

TEST_SUITE_BEGIN("popops/localfunctors");

using namespace harness;

TEST_CASE("functors that are called the same in two files are two functors") {
  for (bool const otherFirst : {false, true}) {
    CAPTURE(otherFirst);
    Run run(cpu);
    poplar::Tensor const t = run.input(poplar::FLOAT, {1}, {3});
    std::vector<std::size_t> here, there;
    if (otherFirst)
      there = byFunctorsOfOtherFile(run, t);
    here = byLocalFunctors(run, t);
    if (!otherFirst)
      there = byFunctorsOfOtherFile(run, t);
    run.run();
    for (std::size_t i = 0; i != here.size(); ++i) {
      CAPTURE(i);
      CHECK(run.values(here[i]) == Values{30});
      CHECK(run.values(there[i]) == Values{12});
    }
  }
}

TEST_SUITE_END();
