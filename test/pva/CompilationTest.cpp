// What reports of engines and of files tell of the graph.
#include "Reported.hpp"

#include <poplar/exceptions.hpp>

#include <doctest/doctest.h>

using namespace poplar;
using namespace pvaTest;

namespace {

using Numbers = std::vector<std::uint64_t>;

class Counter : public pva::ProgramVisitor {
public:
  int exchanges = 0, sequences = 0, repeats = 0, others = 0;
  void visitDoExchange(pva::DoExchangeProgram const &) override { ++exchanges; }
  void visitSequence(pva::SequenceProgram const &program) override {
    ++sequences;
    inside(program);
  }
  void visitRepeat(pva::RepeatProgram const &program) override {
    ++repeats;
    CHECK(program.repeatCount() == 3);
    inside(program);
  }
  void visitProgram(pva::Program const &) override { ++others; }

private:
  void inside(pva::Program const &program) {
    for (pva::Program const &child : program.children())
      child.accept(*this);
  }
};

} // namespace

TEST_SUITE("pva/Compilation") {
  TEST_CASE("the target and its limits") {
    Both const both;
    for (pva::Report const &report : both.reports) {
      auto const target = report.compilation().target();
      CHECK(target.type() == "IPU_MODEL");
      CHECK(target.architecture() == "ipu2");
      CHECK(target.numTiles() == 4);
      CHECK(target.bytesPerTile() == 638976);
      CHECK(target.nonInterleavedBytesPerTile() == 212992);
      CHECK(target.numWorkerContexts() == 6);
      CHECK(target.exchangeBytesPerCycle() == 4);
      CHECK(target.clockFrequency() == doctest::Approx(1.33e9));
      CHECK(report.compilation().graph().numVars() == 4);
      CHECK(report.compilation().ipus().size() == 1);
      CHECK(report.compilation().ipus()[0].tiles().size() == 4);
      CHECK(report.name() == "chain");
      CHECK(report.version().majorVer() == 2);
      CHECK_FALSE(report.version().isUnstableFormat());
    }
  }

  TEST_CASE("memory of tiles by category") {
    Both const both;
    for (pva::Report const &report : both.reports) {
      auto const memory = report.compilation().tiles().at(1).memory();
      CHECK(memory.category().size() == 18);
      CHECK(memory.category().variable().total() == 32);
      CHECK(memory.category().variable().nonInterleaved().nonOverlapped() == 32);
      CHECK(memory.category().variable().interleaved().total() == 0);
      CHECK(memory.category().stack().total() == 3168);
      // Three copies; the Repeat has a branch.
      CHECK(memory.category().controlCode().total() == 128 + 3 * 40 + 16);
      // Receives in one and sends in another.
      CHECK(memory.category().internalExchangeCode().total() == 2 * (16 + 8));
      CHECK(memory.category().vertexCode().total() == 0);
      CHECK(memory.category().all()[11].name() == "vertexCode");
      std::uint64_t total = 0;
      for (auto const &category : memory.category().all())
        total += category.total();
      CHECK(memory.total().excludingGaps() == total);
      CHECK(memory.notAlwaysLiveBytes() == 32);
      CHECK(memory.alwaysLiveBytes() == total - 32);
      CHECK(memory.overflowedBytes() == 0);
      CHECK(report.compilation().tiles()[1].vertices().empty());
    }
  }

  TEST_CASE("steps with their costs, in total and by tile") {
    Both const both;
    for (pva::Report const &report : both.reports) {
      auto const steps = report.compilation().steps();
      auto const first = steps.at(0);
      CHECK(first.type() == "DoExchange");
      CHECK(first.name() == "op/first");
      CHECK(first.activeTiles() == 2);
      // 32 bytes in 8 cycles, and a cycle for the message where it arrives.
      CHECK(first.minCycles() == 8);
      CHECK(first.maxCycles() == 9);
      CHECK(first.meanCycles() == 8.5);
      CHECK(first.tileBalance() == doctest::Approx(100 * 8.5 / 9));
      CHECK(first.bytesIn() == 32);
      CHECK(first.bytesOut() == 32);
      CHECK(first.cyclesByTile() == Numbers{8, 9, 0, 0});
      CHECK(first.bytesOutByTile() == Numbers{32, 0, 0, 0});
      CHECK(first.bytesInByTile() == Numbers{0, 32, 0, 0});
      CHECK(first.cycles() == first.syncCycles() + 100 + 9); // an exchange begins in 100 cycles
      // 40 bytes of control code on all tiles; exchange code where there is something to do.
      CHECK(first.program().codeBytesByTile() == Numbers{64, 64, 40, 40});
    }
  }

  TEST_CASE("programs are a tree with steps as leaves") {
    Both const both;
    for (pva::Report const &report : both.reports) {
      auto const programs = report.compilation().programs();
      REQUIRE(programs.size() == 1);
      CHECK(report.compilation().functions().empty());
      CHECK(programs[0].type() == "Sequence");
      auto const children = programs[0].children();
      REQUIRE(children.size() == 2);
      CHECK(children[0].type() == "Repeat");
      CHECK(children[1].type() == "DoExchange");
      CHECK(children[1].name() == "last");
      CHECK(children[0].id() != children[1].id());
      auto const vars = children[1].vars();
      REQUIRE(vars.size() == 2);
      CHECK(vars[0].name() == "b");
      CHECK_FALSE(vars[0].alwaysLive());
      CHECK(vars[1].name() == "y");
      CHECK(vars[1].bytes() == 32);
      CHECK(vars[1].alwaysLive());
      Counter counter;
      programs[0].accept(counter);
      CHECK(counter.sequences == 2);
      CHECK(counter.repeats == 1);
      CHECK(counter.exchanges == 3);
      CHECK(counter.others == 0);
    }
  }

  TEST_CASE("what lives in each step") {
    Both const both;
    for (pva::Report const &report : both.reports) {
      auto const steps = report.compilation().livenessProgramSteps();
      REQUIRE(steps.size() == 3);
      CHECK(steps[0].program().name() == "op/first");
      CHECK(steps[1].program().name() == "op/second");
      CHECK(steps[1].notAlwaysLiveBytes() == 64);
      auto const live = steps[1].notAlwaysLiveMemory();
      CHECK(live.bytes() == 64);
      REQUIRE(live.variables().size() == 2);
      CHECK(live.variables()[0].size() == 32);
      CHECK(steps[1].notAlwaysLiveMemoryForTile(1).bytes() == 32);
      CHECK(steps[1].notAlwaysLiveMemoryForTile(1).variables().at(0).name() == "a");
      CHECK(steps[1].notAlwaysLiveMemoryForTile(0).variables().empty());
      CHECK(steps[1].notAlwaysLiveBytesByTile() == Numbers{0, 32, 32, 0});
      CHECK(steps[2].notAlwaysLiveBytesByTile() == Numbers{0, 0, 32, 0});
      CHECK_THROWS_AS(steps[0].notAlwaysLiveMemoryForTile(4), poplar_error);
      auto const always = report.compilation().alwaysLiveVariables();
      REQUIRE(always.size() == 2);
      CHECK(always[0].name() == "x");
      CHECK(report.compilation().alwaysLiveVariablesForTile(3).at(0).name() == "y");
      CHECK(report.compilation().tilesWithLivenessInfo().size() == 4);
      auto const all = report.compilation().loweredVariables();
      CHECK(all.allBriefVars().size() == 4);
      CHECK(all.allBriefVars()[0].type() == "float");
      CHECK(all.allBriefVars()[0].bytesByTile() == Numbers{32, 0, 0, 0});
      CHECK(all.forTile(2).at(0).name() == "b");
      CHECK_THROWS_AS(all.forTile(4), poplar_error);
    }
  }

  TEST_CASE("without the option a file has no variables") {
    Both const both(1, {{"autoReport.outputLoweredVars", "false"}});
    auto const file = both.reports[1].compilation();
    CHECK_THROWS_WITH_AS(file.loweredVariables(),
                         "pva::CompilationReport::loweredVariables: the report has no variables; "
                         "the engine option autoReport.outputLoweredVars adds them",
                         missing_profile_data);
    CHECK(file.tilesWithLivenessInfo().empty());
    CHECK(file.livenessProgramSteps().at(1).notAlwaysLiveBytes() == 64); // the step's own
    CHECK(file.programs().at(0).children().at(1).vars().empty());
    CHECK(both.reports[0].compilation().loweredVariables().allBriefVars().size() == 4);
  }

  TEST_CASE("options and instrumentation") {
    Both const both(
        1, {{"debug.instrumentCompute", "true"}, {"debug.computeInstrumentationLevel", "ipu"}});
    for (pva::Report const &report : both.reports) {
      auto const settings = report.instrumentationSettings();
      CHECK(settings.compute() == pva::InstrumentationSettings::Compute::Ipu);
      CHECK(settings.externalExchange() == pva::InstrumentationSettings::ExternalExchange::Off);
      bool found = false;
      for (auto const &[name, value] : report.options())
        found = found || (name == "debug.computeInstrumentationLevel" && value == "ipu");
      CHECK(found);
    }
    CHECK(both.reports[0].options() == both.reports[1].options());
  }

  TEST_CASE("steps are grouped by the operation in their names") {
    Both const both;
    for (pva::Report const &report : both.reports) {
      auto const operations = pva::OperationAnalysis(report).operations();
      auto const op = std::find_if(operations.begin(), operations.end(),
                                   [](auto const &operation) { return operation.name() == "op"; });
      REQUIRE(op != operations.end());
      CHECK(op->steps().size() == 2);
    }
  }
}
