#include <doctest/doctest.h>
#include <poplar/exceptions.hpp>
#include <poplar/impl/popc/GpFile.hpp>

using namespace cottonwood::popc;

namespace {

GpFile sample() {
  GpModule first;
  first.sources = {"a b.cpp", "c\xff.cpp"}; // the second is no UTF-8
  first.compiler = "clang version 14.0.6";
  first.flags = {"-O2", "-DX=\"y\""};
  first.vertices = {{"V<float,true>", "a b.cpp:3", 0xfedcba9876543210u}, {"ns::W", "c.cpp:7", 1}};
  first.objects = {{"x86-64-v2", std::string("one\0two", 7)}, {"x86-64-v4", "three"}};
  GpModule second;
  second.objects = {{"x86-64-v3", ""}};
  return {{first, second}};
}

std::string refusal(std::string const &bytes) {
  try {
    parseGp(bytes, "x.gp");
  } catch (poplar::graph_object_load_error const &error) {
    return error.what();
  }
  return "loaded";
}

} // namespace

TEST_SUITE("poplar/popc/gp") {
  TEST_CASE("what is stored comes back") {
    GpFile const file = parseGp(storedGp(sample()), "x.gp");
    REQUIRE(file.modules.size() == 2);
    GpModule const &module = file.modules[0];
    CHECK(module.sources[0] == "a b.cpp");
    CHECK(module.compiler == "clang version 14.0.6");
    CHECK(module.flags == std::vector<std::string>{"-O2", "-DX=\"y\""});
    REQUIRE(module.vertices.size() == 2);
    CHECK(module.vertices[0].name == "V<float,true>");
    CHECK(module.vertices[0].origin == "a b.cpp:3");
    CHECK(module.vertices[0].definition == 0xfedcba9876543210u);
    REQUIRE(module.objects.size() == 2);
    CHECK(module.objects[0].level == "x86-64-v2");
    CHECK(module.objects[0].bytes == std::string("one\0two", 7));
    CHECK(module.objects[1].bytes == "three");
    CHECK(file.modules[1].objects[0].bytes.empty());
  }

  TEST_CASE("files of another codelet interface are refused with its number") {
    std::string older = storedGp(sample());
    older[12] = 1;
    std::string const text = refusal(older);
    CAPTURE(text);
    CHECK(text.find("codelet interface 1; this release loads ") != std::string::npos);
    CHECK(text.find(" and 3: compile the codelets again") != std::string::npos);
  }

  TEST_CASE("every change of a byte and every cut is found") {
    std::string const good = storedGp(sample());
    for (std::size_t i = 0; i < good.size(); ++i) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ 0x20);
      INFO(i);
      CHECK(refusal(bad) != "loaded");
      CHECK(refusal(good.substr(0, i)) != "loaded");
    }
    CHECK(refusal(good + "x") != "loaded");
  }

  TEST_CASE("refusals name the file and say what is wrong") {
    std::string const good = storedGp(sample());
    CHECK(refusal("int main() {}").find("x.gp") != std::string::npos);
    CHECK(refusal("int main() {}").find("no file of codelets") != std::string::npos);
    CHECK(refusal(good.substr(0, 12)).find("cut off") != std::string::npos);
    CHECK(refusal(good.substr(0, good.size() - 1)).find("damaged") != std::string::npos);
    std::string older = good;
    older[8] = 9;
    CHECK(refusal(older).find("format 9") != std::string::npos);
  }
}
