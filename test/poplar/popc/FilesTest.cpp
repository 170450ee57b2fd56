#include <doctest/doctest.h>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Digest.hpp>
#include <poplar/impl/popc/Files.hpp>
#include <poplar/impl/popc/Process.hpp>
#include <sys/stat.h>

using namespace cottonwood::popc;
namespace fs = std::filesystem;

TEST_SUITE("poplar/popc/files") {
  TEST_CASE("a digest is FNV-1a of 128 bits") {
    // Test vectors published with the algorithm: the offset basis, and "a".
    CHECK(cottonwood::base::digestOf("") == "6c62272e07bb014262b821756295c58d");
    CHECK(cottonwood::base::digestOf("a") == "d228cb696f1a8caf78912b704e4a8964");
    using cottonwood::base::Digest;
    CHECK(Digest().addText("ab").addText("c").hex() != Digest().addText("a").addText("bc").hex());
  }

  TEST_CASE("a temporary folder is the user's alone and goes with its object") {
    fs::path path;
    {
      TemporaryFolder const folder;
      path = folder.path();
      struct stat facts;
      REQUIRE(::stat(path.c_str(), &facts) == 0);
      CHECK((facts.st_mode & 0777) == 0700);
      CHECK(replaceFile(path / "file", "text").empty());
    }
    CHECK_FALSE(fs::exists(path));
  }

  TEST_CASE("files are replaced as a whole") {
    TemporaryFolder const folder;
    fs::path const path = folder.path() / "file";
    CHECK(replaceFile(path, std::string("a\0b", 3)).empty());
    CHECK(readFile(path) == std::string("a\0b", 3));
    CHECK(replaceFile(path, "").empty());
    CHECK(readFile(path) == "");
    CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
    CHECK_FALSE(replaceFile(folder.path() / "no/such/file", "x").empty());
    CHECK_FALSE(readFile(folder.path() / "absent"));
    CHECK_FALSE(readFile(folder.path()));
  }

  TEST_CASE("processes get their arguments as they are, and both outputs come back") {
    ProcessResult const result = runProcess(
        {"sh", "-c", "printf '%s|' \"$@\"; echo no >&2; exit 3", "sh", "a b", "$HOME; `x` '\""},
        "test");
    CHECK(result.status == 3);
    CHECK(result.output == "a b|$HOME; `x` '\"|");
    CHECK(result.errors == "no\n");
    // More than a pipe holds, on both at once.
    ProcessResult const much = runProcess(
        {"sh", "-c",
         "i=0; while [ $i -lt 20000 ]; do echo 0123456789; echo x >&2; i=$((i+1)); done"},
        "test");
    CHECK(much.status == 0);
    CHECK(much.output.size() == 220000);
    CHECK(much.errors.size() == 40000);
  }

  TEST_CASE("a process that a signal ends says so, one that is not there throws") {
    CHECK(runProcess({"sh", "-c", "kill -9 $$"}, "test").status == 128 + 9);
    CHECK_THROWS_AS(runProcess({"/no/such/program"}, "test"), poplar::poplar_error);
  }
}
