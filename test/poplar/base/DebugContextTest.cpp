#include <cstdio>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/DebugAccess.hpp>
#include <string>
#include <type_traits>

using namespace poplar;
using cottonwood::base::DebugAccess;

namespace {

DebugContext const &same(DebugContext const &context = {}) { return context; }
unsigned lineOf(DebugContext const &context = {}) {
  return DebugAccess::location(context).getLineNumber();
}

std::string contentOf(std::string const &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// A file name in the folder for temporary files, removed at the end.
struct TemporaryFile {
  std::string path;
  explicit TemporaryFile(std::string const &name)
      : path((std::filesystem::temp_directory_path() / name).string()) {}
  ~TemporaryFile() { std::remove(path.c_str()); }
};

} // namespace

TEST_SUITE("poplar/base/DebugContext") {
  TEST_CASE("a path is the parent's path and the name; empty parts add nothing") {
    DebugInfo const top({}, "test");
    CHECK(top.getPathName() == "");
    CHECK(DebugContext(top, "a").getPathName() == "a");
    DebugInfo const child({top, "a"}, "test");
    CHECK(DebugContext(child).getPathName() == "a");
    CHECK(DebugContext(child, "b/c").getPathName() == "a/b/c");
    CHECK(DebugNameAndId("n", 1, "p").getPathName() == "p/n");
    CHECK(DebugNameAndId("", 1, "p").getPathName() == "p");
    CHECK(DebugNameAndId(DebugNameAndId("n"), "m").getPathName() == "n/m");
    CHECK(DebugNameAndId(DebugId(5)).getPathName() == "");
  }

  TEST_CASE("ids are fresh, and handed down to what is made below") {
    DebugInfo const parent({"p"}, "test");
    DebugInfo const child({parent, "c"}, "test");
    CHECK(child.getId() != parent.getId());
    CHECK(DebugAccess::parent(child) == parent.getId());
    DebugNameAndId const name(parent, "x");
    CHECK(DebugAccess::id(DebugNameAndId(name, "y")) == parent.getId());
    DebugContext const context(name);
    CHECK(DebugAccess::parent(DebugContext(context, "deeper")) == parent.getId());
    CHECK(DebugAccess::parent(DebugContext("alone")) == 0);
  }

  TEST_CASE("a context knows the place of the call that made it") {
    CHECK(lineOf() == __LINE__);
    CHECK(lineOf({}) == __LINE__);
    CHECK(lineOf("name") == __LINE__);
    CHECK(DebugAccess::location(same()).isValid());
    CHECK_FALSE(SourceLocation().isValid());
    CHECK(std::string(SourceLocation("f", "file.cpp", 3).getFileName()) == "file.cpp");
  }

  TEST_CASE("nothing that is not a name converts to a context") {
    CHECK_FALSE(std::is_convertible_v<bool, DebugContext>);
    CHECK_FALSE(std::is_convertible_v<int *, DebugContext>);
    CHECK_FALSE(std::is_convertible_v<double, DebugContext>);
    CHECK_FALSE(std::is_copy_constructible_v<DebugInfo>);
    CHECK(std::has_virtual_destructor_v<DebugInfo>);
  }

  TEST_CASE("a value of a DebugInfo can be set once") {
    DebugInfo info({"p"}, "test");
    CHECK(info.setValue("key", 1));
    CHECK_FALSE(info.setValue("key", 2));
    CHECK(DebugAccess::values(info)->at("key").asInt() == 1);
  }

  TEST_CASE("a streamer records what dies while it is open, as JSON") {
    TemporaryFile const file("poplar-debug-test.json");
    DebugInfo before({"before"}, "test");
    DebugInfo::initializeStreamer(file.path, DebugSerializationFormat::JSON);
    CHECK_THROWS_AS(DebugInfo::initializeStreamer(file.path), poplar_error);
    {
      DebugInfo info({before, "in\"side"}, "layer");
      info.setValue("answer", 42);
    }
    { DebugInfo info({"second"}, "layer"); }
    DebugInfo::closeStreamer();
    DebugInfo::closeStreamer();
    { DebugInfo after({"after"}, "test"); }
    auto const read = nlohmann::json::parse(contentOf(file.path));
    REQUIRE(read["contexts"].size() == 2);
    auto const &first = read["contexts"][0];
    CHECK(first["name"] == "before/in\"side");
    CHECK(first["parentId"] == before.getId());
    CHECK(first["layer"] == "layer");
    CHECK(first["values"]["answer"] == 42);
    CHECK(first["location"]["lineNumber"].get<int>() > 0);
  }

  TEST_CASE("a streamer records CBOR by default, also when nothing died") {
    TemporaryFile const file("poplar-debug-test.cbor");
    DebugInfo::initializeStreamer(file.path);
    DebugInfo::closeStreamer();
    auto const tag = nlohmann::json::cbor_tag_handler_t::ignore;
    CHECK(nlohmann::json::from_cbor(contentOf(file.path), true, true, tag)["contexts"].empty());
    DebugInfo::initializeStreamer(file.path);
    { DebugInfo info({"name"}, "layer"); }
    DebugInfo::closeStreamer();
    auto const read = nlohmann::json::from_cbor(contentOf(file.path), true, true, tag);
    REQUIRE(read["contexts"].size() == 1);
    CHECK(read["contexts"][0]["name"] == "name");
  }

  TEST_CASE("a streamer that cannot write its file says so") {
    CHECK_THROWS_AS(DebugInfo::initializeStreamer("/no/such/folder/debug.cbor"), poplar_error);
    TemporaryFile const file("poplar-debug-test2.cbor");
    DebugInfo::initializeStreamer(file.path); // a failed one is not open
    DebugInfo::closeStreamer();
  }
}
