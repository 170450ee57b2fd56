#include <poputil/DebugInfo.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <doctest/doctest.h>

#include <array>

TEST_SUITE_BEGIN("poputil/vertexTemplates");

namespace {
enum class Kind { BIG };
} // namespace

template <> struct poputil::VertexTemplateToString<Kind> {
  static std::string to_string(Kind const &) { return "Kind::BIG"; }
};

TEST_CASE("names of instantiated vertices") {
  using poputil::templateVertex;
  CHECK(templateVertex("ns::V") == "ns::V");
  CHECK(templateVertex("ns::V", poplar::FLOAT, true, "abc", 3u, Kind::BIG) ==
        "ns::V<float,true,abc,3,Kind::BIG>");
  std::string const text = "x";
  bool flag = false;
  unsigned number = 7;
  poplar::Type type = poplar::UNSIGNED_INT;
  CHECK(templateVertex("V", text, flag, number, type, poplar::StringRef("r"), -1) ==
        "V<x,false,7,unsigned int,r,-1>");
}

TEST_CASE("arguments of library calls become profile values") {
  using poputil::toProfileValue;
  int const number = -3;
  CHECK(toProfileValue(number).asInt() == -3);
  CHECK(toProfileValue(std::vector<unsigned>{1, 2}).asVector().size() == 2);
  CHECK(toProfileValue(std::array<float, 2>{{1, 2}}).sumDouble() == 3);
  CHECK(toProfileValue(poplar::Tensor()).asString() == "<invalid tensor>");
  std::string const a = "x";
  double const b = 2;
  std::vector<poputil::ArgType> const args = DI_ARGS(a, b);
  CHECK(args.size() == 2);
  CHECK(args[1].n == "b");
  CHECK(args[1].pv.asDouble() == 2);
  poputil::PoplibsOpDebugInfo di("parent", args);
  CHECK(poplar::DebugContext(di, "child").getPathName() == "parent/child");
}

TEST_CASE("poplibs_error is a std::runtime_error with its name") {
  try {
    throw poputil::poplibs_error("text");
  } catch (std::runtime_error const &error) {
    CHECK(std::string(error.what()) == "text");
    CHECK(dynamic_cast<poputil::poplibs_error const &>(error).type == "poplibs_error");
  }
}

TEST_SUITE_END();
