// Ways to give a graph codelets: files, lists of files, text, compiled files, flags.
#include "test/popc/Sources.hpp"

using namespace popc;

TEST_SUITE("popc/sources") {
  TEST_CASE("a file, on each device") {
    Folder const folder;
    std::string const file = folder.file("scale.cpp", scaler("Scale", "2.5f"));
    conformance::onDevices([&](Device const &device) {
      Graph graph(device);
      CHECK_FALSE(graph.hasCodelet("Scale"));
      CHECK(graph.addCodelets(file));
      CHECK(graph.hasCodelet("Scale"));
      CHECK(runScaler(graph, device, "Scale", 4) == 10);
    });
  }

  TEST_CASE("a codelet belongs to the graph it was added to") {
    Folder const folder;
    Graph one = cpuGraph(), other = cpuGraph();
    one.addCodelets(folder.file("scale.cpp", scaler("Scale", "2")));
    CHECK_FALSE(other.hasCodelet("Scale"));
    CHECK_THROWS_AS(other.addVertex(other.addComputeSet(), "Scale"), unknown_vertex_type);
  }

  TEST_CASE("flags define macros and find includes; their quotation keeps blanks") {
    Folder const folder;
    folder.file("factor.h", "#define FACTOR 3\n");
    std::string const file =
        folder.file("scale.cpp", "#include <factor.h>\n" + scaler("Scale", "FACTOR + BIAS"));
    Graph graph = cpuGraph();
    CHECK_THROWS_AS(graph.addCodelets(file), graph_program_compilation_error);
    // The folder's name holds ' and ", which words in double quotes take with a backslash.
    std::string quoted;
    for (char const c : folder.path().string())
      quoted += c == '"' || c == '$' ? std::string("\\") + c : std::string(1, c);
    graph.addCodelets(file, CodeletFileType::Auto, "-O1 -I\"" + quoted + "\" -DBIAS='0 + 1'");
    CHECK(runScaler(graph, "Scale", 2) == 7);
  }

  TEST_CASE("includes are relative to the source") {
    Folder const folder;
    fs::create_directories(folder.path() / "parts");
    folder.file("parts/factor.h", "constexpr float factor = 5;\n");
    Graph graph = cpuGraph();
    graph.addCodelets(
        folder.file("scale.cpp", "#include \"parts/factor.h\"\n" + scaler("Scale", "factor")));
    CHECK(runScaler(graph, "Scale", 2) == 10);
  }

  TEST_CASE("text, with flags") {
    Graph graph = cpuGraph();
    std::stringstream text(scaler("Text", "FACTOR"));
    graph.addCodelets(text, "-DFACTOR=4");
    CHECK(runScaler(graph, "Text", 2) == 8);
    std::stringstream again(scaler("Text", "FACTOR"));
    graph.addCodelets(again, "-DFACTOR=4", CodeletFileType::CppSource, "cpu");
  }

  TEST_CASE("sources of one call are linked together, C among them") {
    Folder const folder;
    std::string const a =
        folder.file("a.cpp", "float both(float);\nextern \"C\" float inC(float);\n" +
                                 scaler("A", "both(2) + inC(1)"));
    std::string const b =
        folder.file("b.cpp", "float both(float x) { return 10 * x; }\n" + scaler("B", "both(3)"));
    std::string const c = folder.file("c.c", "float inC(float x) { return x + 100; }\n");
    Graph graph = cpuGraph();
    graph.addCodelets(std::vector<std::string>{a, b, c});
    CHECK(runScaler(graph, "A", 1) == 121);
    CHECK(runScaler(graph, "B", 1) == 30);
    // Alone, a source of the three lacks what another one has.
    Graph alone = cpuGraph();
    std::string const text = textOf<link_error>([&] { alone.addCodelets(a); });
    CHECK(has(text, "a.cpp"));
    CHECK(has(text, "undefined symbol"));
    CHECK(has(text, "in one call"));
  }

  TEST_CASE("libraries that the flags name are linked") {
    std::string const source = "extern \"C\" char const *zlibVersion();\n" +
                               scaler("Scale", "static_cast<float>(zlibVersion()[0] - '0')");
    std::stringstream text(source);
    Graph graph = cpuGraph();
    std::ostringstream warnings;
    graph.addCodelets(text, "-lz -Wall -Werror", warnings);
    CHECK(warnings.str() == "");
    CHECK(runScaler(graph, "Scale", 2) == 2); // zlib 1.x
  }

  TEST_CASE("a kind that is given goes before the ending") {
    Folder const folder;
    Graph graph = cpuGraph();
    std::string const file = folder.file("scale.inc", scaler("Scale", "2"));
    CHECK(has(textOf<poplar_error>([&] { graph.addCodelets(file); }), "scale.inc"));
    graph.addCodelets(file, CodeletFileType::CppSource);
    CHECK(runScaler(graph, "Scale", 3) == 6);
  }

  TEST_CASE("a path may begin with a dash, and be relative") {
    Folder const folder;
    fs::path const before = fs::current_path();
    fs::current_path(folder.path());
    folder.file("-O0.cpp", scaler("Dash", "2"));
    folder.file("plain.cpp", scaler("Plain", "3"));
    Graph graph = cpuGraph();
    graph.addCodelets("-O0.cpp");
    graph.addCodelets("./plain.cpp");
    fs::current_path(before);
    CHECK(runScaler(graph, "Dash", 3) == 6);
    CHECK(runScaler(graph, "Plain", 3) == 9);
  }

  TEST_CASE("warnings go where they are asked to, also when nothing is compiled again") {
    Folder const folder;
    std::string const file = folder.file(
        "warns.cpp", scaler("Warns", "2") + "inline int f() { int unusedHere; return 1; }\n");
    for (unsigned i = 0; i != 2; ++i) {
      Graph graph = cpuGraph();
      std::ostringstream output;
      graph.addCodelets(file, CodeletFileType::Auto, "-Wall", output);
      CHECK(has(output.str(), "warns.cpp:8:"));
      CHECK(has(output.str(), "unusedHere"));
    }
    Graph graph = cpuGraph();
    std::ostringstream output;
    graph.addCodelets(file, CodeletFileType::Auto, "", output);
    CHECK(output.str() == "");
  }

  TEST_CASE("the same again is nothing new, another definition is an error") {
    Folder const folder;
    std::string const two = folder.file("two.cpp", scaler("Scale", "2"));
    std::string const three = folder.file("three.cpp", "\n" + scaler("Scale", "3"));
    Graph graph = cpuGraph();
    CHECK(graph.addCodelets(two));
    CHECK_FALSE(graph.addCodelets(two));
    std::string const text = textOf<poplar_error>([&] { graph.addCodelets(three); });
    CHECK(has(text, "Scale"));
    CHECK(has(text, "two.cpp:2"));
    CHECK(has(text, "three.cpp:3"));
    CHECK(runScaler(graph, "Scale", 1) == 2);
    // Nothing of a source is added when one of its vertices cannot be.
    std::string const both = folder.file("both.cpp", scaler("Fresh", "1") + scaler("Scale", "4"));
    CHECK_THROWS_AS(graph.addCodelets(both), poplar_error);
    CHECK_FALSE(graph.hasCodelet("Fresh"));
  }

  TEST_CASE("a class of a header that several sources include is one definition") {
    Folder const folder;
    folder.file("common.hpp", "#pragma once\n" + scaler("Common", "6"));
    std::string const a = folder.file("a.cpp", "#include \"common.hpp\"\n" + scaler("A", "2"));
    std::string const b = folder.file("b.cpp", "#include \"common.hpp\"\n" + scaler("B", "3"));
    Graph graph = cpuGraph();
    CHECK(graph.addCodelets(a));
    CHECK(graph.addCodelets(b));
    CHECK(runScaler(graph, "Common", 1) == 6);
    Graph together = cpuGraph();
    CHECK(together.addCodelets(std::vector<std::string>{a, b}));
    CHECK(runScaler(together, "Common", 1) == 6);
    CHECK(runScaler(together, "B", 1) == 3);
  }

  TEST_CASE("graphs of one process have their own code under one name") {
    Folder const folder;
    Graph two = cpuGraph(), three = cpuGraph();
    two.addCodelets(folder.file("two.cpp", scaler("Scale", "2")));
    three.addCodelets(folder.file("three.cpp", scaler("Scale", "3")));
    auto const build = [](Graph &graph) {
      auto const cs = graph.addComputeSet();
      auto const in = conformance::variable(graph, FLOAT, {1}, "in");
      auto const out = conformance::variable(graph, FLOAT, {1}, "out");
      graph.setTileMapping(graph.addVertex(cs, "Scale", {{"in", in[0]}, {"out", out[0]}}), 0);
      return Engine(graph, program::Execute(cs));
    };
    // Both are compiled before one is loaded.
    Engine first = build(two), second = build(three);
    float result = 0;
    for (auto const &[engine, factor] : {std::pair{&first, 2.f}, std::pair{&second, 3.f}}) {
      engine->load(Device::createCPUDevice());
      conformance::put(*engine, "in", std::vector<float>{7});
      engine->run();
      engine->readTensor("out", &result, &result + 1);
      CHECK(result == 7 * factor);
    }
  }

  TEST_CASE("objects do not share what has the same name in them") {
    // The static variable of an inline function and of a template: one in a program, two here.
    std::string const statics = "template <class T> struct S { static float value; };\n"
                                "template <class T> float S<T>::value = INIT;\n"
                                "inline float &shared() { static float x = INIT; return x; }\n"
                                "__attribute__((noinline)) float named() { return INIT; }\n";
    std::string const factor = "(S<int>::value + shared() + named())";
    Graph graph = cpuGraph();
    for (char const *const init : {"1", "10"}) {
      std::stringstream text(statics + scaler(std::string("V") + init, factor));
      graph.addCodelets(text, std::string("-DINIT=") + init);
    }
    CHECK(runScaler(graph, "V1", 1) == 3);
    CHECK(runScaler(graph, "V10", 1) == 30);
  }

  TEST_CASE("contraction is off unless a flag turns it on") {
    // 1 + 2^-12 squared minus its rounding: 0 if the product is rounded, 2^-24 if it is not.
    std::string const source =
        scaler("Rest", "1")
            .replace(scaler("Rest", "1").find("*in * 1"), 7, "*in * *in - 1.00048828125f");
    float const x = 1 + 1.f / 4096;
    Graph graph = cpuGraph();
    std::stringstream text(source);
    graph.addCodelets(text);
    CHECK(runScaler(graph, "Rest", x) == 0);
    if (graph.getTarget().getTargetType() == TargetType::CPU && __builtin_cpu_supports("fma")) {
      Graph fused = cpuGraph();
      std::stringstream again(source);
      fused.addCodelets(again, "-ffp-contract=fast");
      CHECK(runScaler(fused, "Rest", x) == 1.f / (1 << 24));
    }
  }
}
