// What a user is told: by the compiler, by the graph, by a vertex that fails.
#include "test/popc/Sources.hpp"

#include <algorithm>

using namespace popc;

namespace {

/// Adds a text as codelets; what the graph says of it.
std::string refused(std::string const &source, std::string const &flags = "") {
  Graph graph = cpuGraph();
  std::stringstream text(source);
  return textOf<graph_program_compilation_error>([&] { graph.addCodelets(text, flags); });
}

} // namespace

TEST_SUITE("popc/errors") {
  TEST_CASE("errors of a source name its file, as it was given, and the line") {
    Folder const folder;
    fs::path const before = fs::current_path();
    fs::current_path(folder.path());
    folder.file("part.h", "int f() { return undeclared; }\n");
    folder.file("broken.cpp", "#include \"part.h\"\n" + scaler("V", "2 +"));
    Graph graph = cpuGraph();
    std::string const text =
        textOf<graph_program_compilation_error>([&] { graph.addCodelets("broken.cpp"); });
    fs::current_path(before);
    CHECK(has(text, "part.h:1:18: error"));
    CHECK(has(text, "undeclared"));
    CHECK(has(text, "broken.cpp:7:"));
    CHECK_FALSE(graph.hasCodelet("V"));
  }

  TEST_CASE("errors of a text name its line, and no file that is gone") {
    std::string const text = refused("\n\nint f() { return undeclared; }\n");
    CHECK(has(text, "codelets.cpp:3:"));
    CHECK(text.find("/tmp") == std::string::npos);
  }

  TEST_CASE("errors of instances are found though nothing else uses them") {
    std::string const text = refused("#include <poplar/Vertex.hpp>\n"
                                     "template <class T> class V : public poplar::Vertex {\n"
                                     "public:\n"
                                     "  poplar::Output<T> out;\n"
                                     "  void compute() { out = T::missing; }\n"
                                     "};\n"
                                     "template class V<float>;\n");
    CHECK(has(text, "codelets.cpp:5:"));
  }

  TEST_CASE("an edge of a type that tensors do not have is an error") {
    std::string const text = refused("#include <poplar/Vertex.hpp>\n"
                                     "struct V : poplar::Vertex { poplar::Input<double> in; void "
                                     "compute() {} };\n");
    CHECK(has(text, "a vertex field holds"));
  }

  TEST_CASE("warnings are errors where the user asks for it") {
    CHECK(has(refused(scaler("V", "2") + "static int unused() { return 1; }\n", "-Wall -Werror"),
              "codelets.cpp:8:"));
  }

  TEST_CASE("files that are missing, or nothing for this machine") {
    Folder const folder;
    Graph graph = cpuGraph();
    CHECK(has(textOf<file_load_error>([&] { graph.addCodelets("no/such.cpp"); }), "no/such.cpp"));
    CHECK_THROWS_AS(graph.addCodelets(folder.path().string()), file_load_error);
    CHECK_THROWS_AS(graph.addCodelets("no/such.gp"), file_load_error);
    CHECK_THROWS_AS(graph.addCodelets(std::vector<std::string>{"no/such.cpp"}), file_load_error);
    for (char const *const name : {"v.S", "v.s"}) {
      std::string const text = textOf<graph_program_compilation_error>(
          [&] { graph.addCodelets(folder.file(name, ".text\n")); });
      CHECK(has(text, name));
      CHECK(has(text, "assembly of the IPU"));
    }
    CHECK(has(textOf<graph_program_compilation_error>(
                  [&] { graph.addCodelets(folder.file("v.ll", "")); }),
              "v.ll"));
    CHECK(has(textOf<poplar_error>([&] { graph.addCodelets(folder.file("v.txt", "")); }),
              "no ending"));
    CHECK(has(textOf<graph_object_load_error>(
                  [&] { graph.addCodelets(folder.file("v.gp", "not compiled")); }),
              "popc"));
    CHECK(has(textOf<poplar_error>([&] {
                graph.addCodelets(folder.file("q.cpp", ""), CodeletFileType::Auto, "-DX='1");
              }),
              "has no end"));
  }

  TEST_CASE("a compiler that is not there") {
    Folder folder;
    std::string const file = folder.file("v.cpp", scaler("V", "2"));
    Graph graph = cpuGraph();
    folder.set("POPC_CXX", "no-such-compiler");
    std::string const text = textOf<no_environment>([&] { graph.addCodelets(file); });
    CHECK(has(text, "POPC_CXX"));
    CHECK(has(text, "no-such-compiler"));
    folder.unset("POPC_CXX");
    folder.set("PATH", folder.path().string());
    std::string const none = textOf<no_environment>([&] { graph.addCodelets(file); });
    CHECK(has(none, "clang++"));
    CHECK(has(none, "g++"));
  }

  TEST_CASE("an installation that is not there") {
    Folder folder;
    std::string const file = folder.file("v.cpp", scaler("V", "2"));
    Graph graph = cpuGraph();
    folder.set("POPLAR_HOME", folder.path().string());
    folder.set("PATH", std::getenv("PATH") + std::string(":/nowhere"));
    std::string const text = textOf<no_environment>([&] { graph.addCodelets(file); });
    CHECK(has(text, "popc"));
    CHECK(has(text, "POPLAR_HOME"));
  }

  TEST_CASE("names, fields and types are checked as those of every vertex") {
    Graph graph = cpuGraph();
    std::stringstream source(scaler("ns_Scale", "2") +
                             "template <class T> class Generic : public poplar::Vertex {\n"
                             "public: poplar::Output<T> out; void compute() {}\n};\n"
                             "template class Generic<float>;\n");
    graph.addCodelets(source);
    auto const cs = graph.addComputeSet();
    CHECK(has(textOf<unknown_vertex_type>([&] { graph.addVertex(cs, "ns_Scal"); }), "ns_Scale"));
    CHECK(has(textOf<unknown_vertex_type>([&] { graph.addVertex(cs, "Generic<half>"); }),
              "Generic<float>"));
    CHECK(has(textOf<unknown_vertex_type>([&] { graph.addVertex(cs, "Unrelated"); }),
              "needs compute()"));
    auto const v = graph.addVertex(cs, "ns_Scale");
    graph.setTileMapping(v, 0);
    auto const floats = conformance::variable(graph, FLOAT, {3}, "floats");
    auto const ints = conformance::variable(graph, INT, {3}, "ints");
    CHECK_THROWS_AS(graph.connect(v["input"], floats[0]), unknown_field);
    CHECK_THROWS_AS(graph.connect(v["in"], ints[0]), type_error);
    CHECK_THROWS_AS(graph.connect(v["in"], floats), graph_connection_error);
    graph.connect(v["in"], floats[0]);
    CHECK(has(textOf<poplar_error>([&] { Engine(graph, program::Execute(cs)); }), "out"));
  }

  TEST_CASE("a failed assertion names file, line, vertex and tile") {
    Folder const folder;
    std::string const file = folder.file(
        "asserts.cpp", "#include <cassert>\n" + scaler("Asserts", "2")
                                                    .replace(scaler("Asserts", "2").find("*out ="),
                                                             0, "assert(*in < 3); "));
    conformance::onDevices([&](Device const &device) {
      Graph graph(device);
      graph.addCodelets(file);
      CHECK(runScaler(graph, device, "Asserts", 1) == 2);
      Graph failing(device);
      failing.addCodelets(file);
      std::string const text =
          textOf<application_runtime_error>([&] { runScaler(failing, device, "Asserts", 5); });
      CHECK(has(text, "asserts.cpp:7"));
      CHECK(has(text, "*in < 3"));
      CHECK(has(text, "Asserts"));
      CHECK(has(text, "tile 0"));
    });
    Graph without = cpuGraph();
    without.addCodelets(file, CodeletFileType::Auto, "-DNDEBUG");
    CHECK(runScaler(without, "Asserts", 5) == 10);
  }

  TEST_CASE("an exception that leaves a vertex reaches the caller of run()") {
    Graph graph = cpuGraph();
    std::stringstream source("#include <stdexcept>\n" +
                             scaler("Throws", "(throw std::runtime_error(\"from a vertex\"), 2)"));
    graph.addCodelets(source);
    CHECK(has(textOf<std::exception>([&] { runScaler(graph, "Throws", 1); }), "from a vertex"));
  }
}
