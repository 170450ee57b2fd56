// What the tiles do over time.
#include "Profiled.hpp"

#include <poplar/exceptions.hpp>

#include <doctest/doctest.h>

#include <array>
#include <vector>

using namespace poplar;
using namespace profileTest;

namespace {

using Row = std::array<std::uint64_t, 6>; // begin, end, compute, exchange, host exchange, sync

std::vector<Row> intervals(Engine &engine) {
  std::stringstream text;
  engine.reportIntervals(text);
  std::string line;
  std::getline(text, line);
  CHECK(line == "begin,end,compute,exchange,host exchange,sync");
  std::vector<Row> rows;
  while (std::getline(text, line)) {
    std::istringstream cells(line);
    Row row{};
    for (std::uint64_t &cell : row) {
      cells >> cell;
      cells.ignore(1);
    }
    rows.push_back(row);
  }
  return rows;
}

} // namespace

TEST_SUITE("poplar/profile/Intervals") {
  TEST_CASE("intervals follow one another, and every tile does something in each") {
    Profiled p({{"debug.instrument", "true"}});
    p.engine.loadAndRun(p.device);
    auto const rows = intervals(p.engine);
    REQUIRE(rows.size() >= 4); // sync and exchange, twice
    std::uint64_t at = 0, exchanging = 0;
    for (Row const &row : rows) {
      CHECK(row[0] == at);
      CHECK(row[1] > row[0]);
      CHECK(row[2] + row[3] + row[4] + row[5] == 4);
      CHECK(row[2] == 0); // there is no vertex
      exchanging += row[3] * (row[1] - row[0]);
      at = row[1];
    }
    CHECK(at == p.engine.getExecutionProfile()["cycles"].asUint());
    CHECK(exchanging > 0);
    p.engine.run();
    CHECK(intervals(p.engine).back()[1] == 2 * at);
    p.engine.resetExecutionProfile();
    CHECK(intervals(p.engine).empty());
  }

  TEST_CASE("without an order of steps, or on a CPU, the error says what is missing") {
    Profiled plain;
    std::ostringstream out;
    CHECK_THROWS_WITH_AS(
        plain.engine.reportIntervals(out),
        "Engine::reportIntervals: nothing was executed; call load(device) and run() first",
        missing_profile_data);
    plain.engine.loadAndRun(plain.device);
    CHECK_THROWS_WITH_AS(plain.engine.reportIntervals(out),
                         "Engine::reportIntervals: the order of steps is not recorded; set the "
                         "engine option debug.instrument to true",
                         missing_profile_data);
    Device const cpu = Device::createCPUDevice();
    Graph graph(cpu);
    Engine engine(graph, program::Sequence());
    CHECK_THROWS_AS(engine.reportIntervals(out), profiling_disabled);
    CHECK(out.str().empty());
  }
}
