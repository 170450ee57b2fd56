#include <chrono>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <poplar/impl/popc/Cache.hpp>
#include <poplar/impl/popc/Files.hpp>
#include <sys/stat.h>

using namespace cottonwood::popc;
namespace fs = std::filesystem;

namespace {

/// A folder for the cache of this process, and a source beside it.
struct Fixture {
  TemporaryFolder folder;
  fs::path cache = folder.path() / "a/b";
  std::string source = (folder.path() / "s.cpp").string();

  Fixture() {
    ::setenv("POPLAR_CODELET_CACHE", cache.c_str(), 1);
    ::unsetenv("POPLAR_CODELET_CACHE_MAX_BYTES");
    write("one");
  }
  void write(std::string const &text) const { CHECK(replaceFile(source, text).empty()); }
  std::size_t numFiles() const {
    std::error_code ignored;
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(cache, ignored), fs::directory_iterator()));
  }
};

} // namespace

TEST_SUITE("poplar/popc/cache") {
  TEST_CASE_FIXTURE(Fixture, "an entry comes back as long as what was read is as it was") {
    CHECK_FALSE(lookUpCodelets("key"));
    storeCodelets("key", {source}, {std::string("g\0p\n", 4), "a warning\n"});
    auto const entry = lookUpCodelets("key");
    REQUIRE(entry);
    CHECK(entry->gp == std::string("g\0p\n", 4));
    CHECK(entry->diagnostics == "a warning\n");
    CHECK_FALSE(lookUpCodelets("other"));
    write("two");
    CHECK_FALSE(lookUpCodelets("key"));
    write("one");
    CHECK(lookUpCodelets("key"));
    fs::remove(source);
    CHECK_FALSE(lookUpCodelets("key"));
  }

  TEST_CASE_FIXTURE(Fixture, "the folder is made for the user alone") {
    storeCodelets("key", {}, {"gp", ""});
    struct stat facts;
    for (fs::path const &path : {cache, cache.parent_path()}) {
      REQUIRE(::stat(path.c_str(), &facts) == 0);
      CHECK((facts.st_mode & 0777) == 0700);
    }
  }

  TEST_CASE_FIXTURE(Fixture, "damage is as if there were nothing") {
    storeCodelets("key", {source}, {"gp", ""});
    fs::path const file = cache / "key.entry";
    std::string const good = readFile(file).value();
    for (std::size_t i = 0; i < good.size(); ++i) {
      INFO(i);
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ 1);
      CHECK(replaceFile(file, bad).empty());
      CHECK_FALSE(lookUpCodelets("key"));
      CHECK(replaceFile(file, good.substr(0, i)).empty());
      CHECK_FALSE(lookUpCodelets("key"));
    }
    CHECK(replaceFile(file, good).empty());
    CHECK(lookUpCodelets("key"));
  }

  TEST_CASE_FIXTURE(Fixture, "a folder that others may enter, or that is none, is not used") {
    fs::create_directories(cache);
    ::chmod(cache.c_str(), 0755);
    storeCodelets("key", {}, {"gp", ""});
    CHECK(numFiles() == 0);
    ::chmod(cache.c_str(), 0700);
    storeCodelets("key", {}, {"gp", ""});
    CHECK(lookUpCodelets("key"));
    ::chmod(cache.c_str(), 0750);
    CHECK_FALSE(lookUpCodelets("key"));
    fs::remove_all(cache);
    CHECK(replaceFile(cache, "a file").empty());
    storeCodelets("key", {}, {"gp", ""});
    CHECK(readFile(cache) == "a file");
    fs::remove(cache);
    fs::create_directories(folder.path() / "elsewhere");
    ::chmod((folder.path() / "elsewhere").c_str(), 0700);
    fs::create_directory_symlink(folder.path() / "elsewhere", cache);
    storeCodelets("key", {}, {"gp", ""});
    CHECK(fs::is_empty(folder.path() / "elsewhere"));
    ::setenv("POPLAR_CODELET_CACHE", "off", 1);
    storeCodelets("key", {}, {"gp", ""});
    CHECK_FALSE(lookUpCodelets("key"));
  }

  TEST_CASE_FIXTURE(Fixture, "without a folder named, XDG_CACHE_HOME and HOME say where") {
    ::unsetenv("POPLAR_CODELET_CACHE");
    ::setenv("XDG_CACHE_HOME", (folder.path() / "xdg").c_str(), 1);
    storeCodelets("key", {}, {"gp", ""});
    CHECK(fs::exists(folder.path() / "xdg/cottonwood/codelets/key.entry"));
    ::setenv("XDG_CACHE_HOME", "relative", 1);
    ::setenv("HOME", (folder.path() / "home").c_str(), 1);
    storeCodelets("key", {}, {"gp", ""});
    CHECK(fs::exists(folder.path() / "home/.cache/cottonwood/codelets/key.entry"));
    CHECK_FALSE(fs::exists("relative"));
  }

  TEST_CASE_FIXTURE(Fixture, "what was not used for longest goes when all is too much") {
    ::setenv("POPLAR_CODELET_CACHE_MAX_BYTES", "8000", 1);
    std::string const large(2000, 'x');
    auto const age = [&](std::string const &key, int hours) {
      fs::path const path = cache / (key + ".entry");
      fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(hours));
    };
    storeCodelets("a", {}, {large, ""});
    age("a", 3);
    storeCodelets("b", {}, {large, ""});
    age("b", 2);
    storeCodelets("c", {}, {large, ""});
    age("c", 1);
    CHECK(lookUpCodelets("a")); // counts as use
    storeCodelets("d", {}, {large, ""});
    CHECK(numFiles() == 2);
    CHECK(lookUpCodelets("a"));
    CHECK(lookUpCodelets("d"));
    CHECK_FALSE(lookUpCodelets("b"));
  }

  TEST_CASE_FIXTURE(Fixture, "objects are files of their bytes, in the cache or for a while") {
    fs::path path = objectFile("digest", "bytes").path();
    CHECK(path == cache / "digest.so");
    CHECK(readFile(path) == "bytes");
    CHECK(replaceFile(path, "damage").empty());
    CHECK(readFile(objectFile("digest", "bytes").path()) == "bytes");
    ::setenv("POPLAR_CODELET_CACHE", "off", 1);
    {
      ObjectFile const file = objectFile("digest", "bytes");
      path = file.path();
      CHECK(readFile(path) == "bytes");
    }
    CHECK_FALSE(fs::exists(path));
  }
}
