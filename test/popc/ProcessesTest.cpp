// The cache as programs meet it: headers that change, several processes, a folder that cannot be
// used, an executable that another process made.
#include "test/popc/Sources.hpp"

#include <fstream>
#include <thread>

using namespace popc;

namespace {

/// This program again, with one of its skipped cases.
ProcessResult child(std::string const &testCase) {
  return runProcess({"/proc/self/exe", "--no-skip", "--test-case=" + testCase}, "test");
}

std::size_t numEntries(fs::path const &cache) {
  std::size_t count = 0;
  std::error_code error;
  for (fs::directory_iterator at(cache, error), end; !error && at != end; ++at)
    count += at->path().extension() == ".entry" ? 1 : 0;
  return count;
}

float scaled(std::string const &file) {
  Graph graph = cpuGraph();
  graph.addCodelets(file);
  return runScaler(graph, "Scale", 1);
}

} // namespace

TEST_SUITE("popc/processes") {
  TEST_CASE("what a changed source or header means is compiled again, nothing else") {
    Folder folder;
    fs::path const cache = folder.path() / "cache";
    folder.set("POPLAR_CODELET_CACHE", cache.string());
    folder.file("factor.h", "constexpr float factor = 2;\n");
    std::string const source = "#include \"factor.h\"\n" + scaler("Scale", "factor");
    std::string const file = folder.file("scale.cpp", source);
    CHECK(scaled(file) == 2);
    CHECK(numEntries(cache) == 1);
    CHECK(scaled(file) == 2);
    CHECK(numEntries(cache) == 1);
    folder.file("factor.h", "constexpr float factor = 3;\n");
    CHECK(scaled(file) == 3);
    CHECK(numEntries(cache) == 1);
    folder.file("scale.cpp", source + "\n#define unused\n");
    CHECK(scaled(file) == 3);
    CHECK(numEntries(cache) == 2);
    // Another compilation leaves what is loaded alone.
    folder.file("factor.h", "#error\n");
    CHECK_THROWS_AS(scaled(file), graph_program_compilation_error);
  }

  TEST_CASE("a damaged cache is made again") {
    Folder folder;
    fs::path const cache = folder.path() / "cache";
    folder.set("POPLAR_CODELET_CACHE", cache.string());
    std::string const file = folder.file("scale.cpp", scaler("Scale", "2"));
    folder.set("POP_TEST_FILE", file);
    CHECK(child("child: scales by two").status == 0);
    for (fs::directory_entry const &entry : fs::directory_iterator(cache))
      std::ofstream(entry.path(), std::ios::app) << "damage";
    CHECK(child("child: scales by two").status == 0);
    for (fs::directory_entry const &entry : fs::directory_iterator(cache))
      fs::resize_file(entry.path(), fs::file_size(entry.path()) / 2);
    CHECK(child("child: scales by two").status == 0);
  }

  TEST_CASE("without a folder that may be used, codelets are compiled every time") {
    Folder folder;
    std::string const file = folder.file("scale.cpp", scaler("Scale", "2"));
    folder.set("POP_TEST_FILE", file);
    folder.set("POPLAR_CODELET_CACHE", "off");
    CHECK(child("child: scales by two").status == 0);
    fs::path const open = folder.path() / "open";
    fs::create_directories(open);
    fs::permissions(open, fs::perms::all);
    folder.set("POPLAR_CODELET_CACHE", open.string());
    CHECK(child("child: scales by two").status == 0);
    CHECK(fs::is_empty(open));
    folder.set("POPLAR_CODELET_CACHE", "/proc/no/such/folder");
    CHECK(child("child: scales by two").status == 0);
  }

  TEST_CASE("processes that begin at once end with the same code") {
    Folder folder;
    folder.set("POPLAR_CODELET_CACHE", (folder.path() / "cache").string());
    folder.set("POP_TEST_FILE", folder.file("scale.cpp", scaler("Scale", "2")));
    std::vector<std::thread> threads;
    std::vector<ProcessResult> results(4);
    for (ProcessResult &result : results)
      threads.emplace_back([&] { result = child("child: scales by two"); });
    for (std::thread &thread : threads)
      thread.join();
    for (ProcessResult const &result : results) {
      INFO(result.output);
      CHECK(result.status == 0);
    }
    CHECK(numEntries(folder.path() / "cache") == 1);
  }

  TEST_CASE("an executable runs in a process that has neither source nor cache") {
    Folder folder;
    folder.set("POPLAR_CODELET_CACHE", "off");
    std::string const file = folder.file("scale.cpp", scaler("Scale", "2"));
    std::string const stored = (folder.path() / "stored").string();
    {
      Graph graph = cpuGraph();
      graph.addCodelets(file);
      auto const cs = graph.addComputeSet();
      auto const in = conformance::variable(graph, FLOAT, {1}, "in");
      auto const out = conformance::variable(graph, FLOAT, {1}, "out");
      graph.setTileMapping(graph.addVertex(cs, "Scale", {{"in", in[0]}, {"out", out[0]}}), 0);
      std::ofstream output(stored, std::ios::binary);
      compileGraph(graph, {program::Execute(cs)}).serialize(output);
    }
    fs::remove(file);
    folder.set("POP_TEST_FILE", stored);
    folder.set("POPC_CXX", "no-such-compiler");
    ProcessResult const run = child("child: runs an executable");
    INFO(run.output);
    CHECK(run.status == 0);
    if (__builtin_cpu_supports("avx2")) { // it was compiled for more than scalar
      folder.set("POPLAR_ISA", "scalar");
      CHECK(child("child: runs an executable").status == 0);
    }
  }

  TEST_CASE("child: scales by two" * doctest::skip()) {
    CHECK(scaled(std::getenv("POP_TEST_FILE")) == 2);
  }

  TEST_CASE("child: runs an executable" * doctest::skip()) {
    std::ifstream input(std::getenv("POP_TEST_FILE"), std::ios::binary);
    Engine engine(Executable::deserialize(input));
    engine.load(Device::createCPUDevice());
    conformance::put(engine, "in", std::vector<float>{21});
    engine.run();
    CHECK(conformance::get<float>(engine, "out", 1)[0] == 42);
  }
}
