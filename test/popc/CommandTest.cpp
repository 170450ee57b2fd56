// The popc command, and the files that it makes.
#include "test/popc/Sources.hpp"

#include <array>
#include <poplar/impl/popc/GpFile.hpp>
#include <regex>
#include <thread>

using namespace popc;
using cottonwood::popc::GpFile;
using cottonwood::popc::parseGp;

namespace {

ProcessResult popcRun(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), POP_TEST_POPC);
  return runProcess(arguments, "test");
}

GpFile gpOf(std::string const &path) {
  std::optional<std::string> const bytes = readFile(path);
  REQUIRE(bytes);
  return parseGp(*bytes, path);
}

std::string firstLine(std::string const &text) { return text.substr(0, text.find('\n')); }

} // namespace

TEST_SUITE("popc/command") {
  TEST_CASE("--version satisfies those who parse it") {
    for (char const *const option : {"--version", "-version"}) {
      ProcessResult const result = popcRun({option});
      CHECK(result.status == 0);
      // popc --version | cut -d ' ' -f3 | head -1
      std::istringstream words(firstLine(result.output));
      std::string first, second, third;
      words >> first >> second >> third;
      CHECK(std::regex_match(third, std::regex("[0-9]+\\.[0-9]+\\.[0-9]+")));
      CHECK(std::regex_search(result.output, std::regex("clang version ([\\d.]+)")));
      std::smatch hash;
      REQUIRE(std::regex_search(result.output, hash, std::regex("[a-z0-9]{10,32}")));
      CHECK(std::regex_match(hash.str(), std::regex("[0-9a-f]{16}")));
    }
  }

  TEST_CASE("help and targets") {
    CHECK(has(popcRun({"--help"}).output, "usage: popc"));
    CHECK(popcRun({"-h"}).output == popcRun({"--help"}).output);
    CHECK(popcRun({"--list-targets"}).output == "cpu\nipu1\nipu2\nipu21\n");
  }

  TEST_CASE("a compiled file serves every level, and its vertices run") {
    Folder const folder;
    std::string const source = folder.file("scale.cpp", scaler("Scale", "FACTOR"));
    std::string const gp = (folder.path() / "out.gp").string();
    ProcessResult const result = popcRun({"-o", gp, "-DFACTOR=3", source});
    CHECK(result.errors == "");
    CHECK(result.status == 0);
    GpFile const file = gpOf(gp);
    REQUIRE(file.modules.size() == 1);
    CHECK(file.modules[0].objects.size() == 3);
    CHECK(file.modules[0].flags == std::vector<std::string>{"-DFACTOR=3"});
    REQUIRE(file.modules[0].vertices.size() == 1);
    CHECK(file.modules[0].vertices[0].name == "Scale");
    conformance::onDevices([&](Device const &device) {
      Graph graph(device);
      CHECK(graph.addCodelets(gp, CodeletFileType::Object));
      CHECK_FALSE(graph.addCodelets(gp));
      CHECK(runScaler(graph, device, "Scale", 2) == 6);
    });
  }

  TEST_CASE("a source and what popc made of it are one definition") {
    Folder const folder;
    std::string const source = folder.file("scale.cpp", scaler("Scale", "2"));
    std::string const gp = (folder.path() / "scale.gp").string();
    CHECK(popcRun({source, "-o" + gp}).status == 0);
    Graph graph = cpuGraph();
    CHECK(graph.addCodelets(source));
    CHECK_FALSE(graph.addCodelets(gp));
  }

  TEST_CASE("options in every spelling") {
    Folder const folder;
    folder.file("bias.h", "constexpr float bias = 1;\n");
    std::string const source =
        folder.file("scale.cpp", "#include <bias.h>\n" + scaler("Scale", "A + B + C + bias"));
    std::string const gp = (folder.path() / "out.gp").string();
    ProcessResult const result = popcRun(
        {"-O2", "-g", "-D", "A=1", "-DB=20", "-UUNSET", "-I", folder.path().string(), "--target",
         R"([{"name":"ipu2:cpp","arch":"ipu2","compile-flags":["-DC=300"]}])", "-std=c++20",
         "-Wall", "-X", "-fno-math-errno", "--variants=x86-64-v2", "--output=" + gp, source});
    CHECK(result.errors == "");
    REQUIRE(result.status == 0);
    CHECK(gpOf(gp).modules[0].objects.size() == 1);
    Graph graph = cpuGraph();
    graph.addCodelets(gp);
    CHECK(runScaler(graph, "Scale", 1) == 322);
    for (char const *const targets : {"-target=ipu1,ipu2,ipu21,cpu", "--target=cpu"})
      CHECK(popcRun({targets, "--variants", "x86-64-v2", "-DA=0", "-DB=0", "-DC=0",
                     "-I" + folder.path().string(), "-o", gp, source})
                .status == 0);
  }

  TEST_CASE("--times tells the steps and their seconds") {
    Folder const folder;
    ProcessResult const result =
        popcRun({"--times", "--variants", "x86-64-v2", "-o", (folder.path() / "x.gp").string(),
                 folder.file("scale.cpp", scaler("Scale", "2"))});
    CHECK(result.status == 0);
    for (char const *const step : {"compiler's version", "first compilation", "debug information",
                                   "compilation for x86-64-v2", "linking for x86-64-v2"})
      CHECK(std::regex_search(
          result.errors, std::regex(std::string("popc: [0-9]+\\.[0-9]{6} s: ") + step + "\n")));
  }

  TEST_CASE("macros mean something to the source only, not to the headers of codelets") {
    Folder const folder;
    std::string const gp = (folder.path() / "out.gp").string();
    std::string const source = folder.file("scale.cpp", scaler("Scale", "T(L + withSize)"));
    ProcessResult const result = popcRun({"-o", gp, "-DT=float", "-DL=2", "-D", "withSize=3",
                                          "-Ddata_=x", "--variants", "x86-64-v2", source});
    CHECK(result.errors == "");
    CHECK(result.status == 0);
    Graph graph = cpuGraph();
    graph.addCodelets(gp);
    CHECK(runScaler(graph, "Scale", 2) == 10);
  }

  TEST_CASE("without -o the file is called as the first source, here") {
    Folder const folder;
    std::string const source = folder.file("scale.cpp", scaler("Scale", "2"));
    fs::path const before = fs::current_path();
    fs::path const elsewhere = folder.path() / "elsewhere";
    fs::create_directories(elsewhere);
    fs::current_path(elsewhere);
    CHECK(popcRun({"--variants", "x86-64-v2", source}).status == 0);
    fs::current_path(before);
    CHECK(fs::exists(elsewhere / "scale.gp"));
    CHECK(std::distance(fs::directory_iterator(elsewhere), fs::directory_iterator()) == 1);
  }

  TEST_CASE("files of codelets are joined, with sources too") {
    Folder const folder;
    std::string const path = folder.path().string();
    for (char const *const name : {"A", "B"})
      CHECK(popcRun({"-o", path + "/" + name + ".gp", "--variants", "x86-64-v2",
                     folder.file(std::string(name) + ".cpp", scaler(name, "2"))})
                .status == 0);
    std::string const c = folder.file("C.cpp", scaler("C", "3"));
    CHECK(popcRun({"-o", path + "/all.gp", path + "/A.gp", c, path + "/B.gp"}).status == 0);
    CHECK(gpOf(path + "/all.gp").modules.size() == 3);
    Graph graph = cpuGraph();
    graph.addCodelets(path + "/all.gp");
    for (char const *const name : {"A", "B", "C"})
      CHECK(graph.hasCodelet(name));
    CHECK(runScaler(graph, "C", 2) == 6);
  }

  TEST_CASE("assembly text, and the list of files read") {
    Folder const folder;
    folder.file("part.h", "constexpr float factor = 2;\n");
    std::string const source =
        folder.file("scale.cpp", "#include \"part.h\"\n" + scaler("Scale", "factor"));
    std::string const path = folder.path().string();
    CHECK(popcRun({"-S", "-o", path + "/scale.s", source}).status == 0);
    CHECK(has(readFile(path + "/scale.s").value(), ".file"));
    CHECK(popcRun({"-o", path + "/x.gp", "--dependencies", path + "/files", source}).status == 0);
    std::string const files = readFile(path + "/files").value();
    CHECK(has(files, path + "/part.h\n"));
    CHECK(has(files, path + "/scale.cpp\n"));
    CHECK(has(files, "/poplar/Vertex.hpp\n"));
  }

  TEST_CASE("errors: exit code, place, and nothing written") {
    Folder const folder;
    std::string const gp = (folder.path() / "out.gp").string();
    std::string const broken = folder.file("broken.cpp", "int f( {\n");
    ProcessResult const result = popcRun({"-o", gp, broken});
    CHECK(result.status == 1);
    CHECK(has(result.errors, broken + ":1:"));
    CHECK_FALSE(fs::exists(gp));
    auto const refused = [&](std::vector<std::string> arguments, std::string const &text) {
      arguments.insert(arguments.end(), {"-o", gp});
      ProcessResult const run = popcRun(arguments);
      CHECK(run.status == 2);
      CHECK(has(run.errors, text));
      CHECK_FALSE(fs::exists(gp));
    };
    refused({}, "no input");
    refused({"no/such.cpp"}, "no/such.cpp");
    refused({"--no-such-option", broken}, "--no-such-option");
    refused({"--target", "ipu9", broken}, "ipu9");
    refused({"--target", "[{\"arch\":", broken}, "--target");
    refused({"--variants", "x86-64-v5", broken}, "x86-64-v5");
    refused({folder.file("v.S", "")}, "assembly");
    refused({folder.file("v.xyz", "")}, "v.xyz");
    refused({folder.file("v.gp", "x")}, "v.gp");
    ProcessResult const last = popcRun({broken, "-o"});
    CHECK(last.status == 2);
    CHECK(has(last.errors, "'-o' lacks its value"));
    ProcessResult const nowhere = popcRun({"-o", "/no/such/folder/x.gp", "--variants", "x86-64-v2",
                                           folder.file("v.cpp", scaler("V", "1"))});
    CHECK(nowhere.status == 2);
    CHECK(has(nowhere.errors, "/no/such/folder"));
  }

  TEST_CASE("eight run at once in one folder") {
    Folder const folder;
    std::array<ProcessResult, 8> results;
    std::vector<std::string> sources;
    for (unsigned i = 0; i != results.size(); ++i)
      sources.push_back(folder.file("v" + std::to_string(i) + ".cpp",
                                    scaler("V" + std::to_string(i), std::to_string(i))));
    std::vector<std::thread> threads;
    for (unsigned i = 0; i != results.size(); ++i)
      threads.emplace_back([&, i] {
        results[i] = popcRun({"-o", sources[i] + ".gp", "--variants", "x86-64-v2", sources[i]});
      });
    for (std::thread &thread : threads)
      thread.join();
    Graph graph = cpuGraph();
    for (unsigned i = 0; i != results.size(); ++i) {
      CHECK(results[i].status == 0);
      CHECK(results[i].errors == "");
      graph.addCodelets(sources[i] + ".gp");
      CHECK(runScaler(graph, "V" + std::to_string(i), 2) == 2 * static_cast<float>(i));
    }
  }

  TEST_CASE("a file without code that this machine or POPLAR_ISA allows is refused") {
    Folder folder;
    std::string const source = folder.file("scale.cpp", scaler("Scale", "2"));
    std::string const all = (folder.path() / "all.gp").string();
    std::string const high = (folder.path() / "high.gp").string();
    REQUIRE(popcRun({"-o", all, source}).status == 0);
    REQUIRE(popcRun({"-o", high, "--variants", "x86-64-v4", source}).status == 0);
    folder.set("POP_TEST_FILE", all);
    auto const child = [&](std::string const &isa) {
      folder.set("POPLAR_ISA", isa);
      return runProcess({"/proc/self/exe", "--no-skip", "--test-case=child: adds a file"}, "test");
    };
    CHECK(child("scalar").status == 0);
    if (__builtin_cpu_supports("avx2"))
      CHECK(child("avx2").status == 0);
    folder.set("POP_TEST_FILE", high);
    ProcessResult const refused = child("scalar");
    CHECK(refused.status != 0);
    CHECK(has(refused.output, "x86-64-v4"));
    CHECK(has(refused.output, "x86-64-v2 at most"));
  }

  TEST_CASE("child: adds a file" * doctest::skip()) {
    Graph graph = cpuGraph();
    graph.addCodelets(std::getenv("POP_TEST_FILE"));
    CHECK(runScaler(graph, "Scale", 2) == 4);
  }
}
