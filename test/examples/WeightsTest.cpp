#include "TemporaryFolder.hpp"

#include <examples/fashion/Weights.hpp>

#include <doctest/doctest.h>
#include <limits>

TEST_SUITE_BEGIN("examples/fashion/weights");

using namespace fashion;

namespace {

std::vector<NamedShape> const ARRAYS = {{"w", {2, 3}}, {"b", {3}}};

std::string read(std::string const &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

TEST_CASE("weights come back as they were saved, and no other file is left") {
  TemporaryFolder const folder;
  std::vector<float> const values = {
      1, -2.5f, 3e-40f, std::numeric_limits<float>::infinity(), -0.f, 6, 7, 8, 9};
  folder.write("w", "old");
  saveWeights(folder.path("w"), ARRAYS, values);
  CHECK(loadWeights(folder.path("w"), ARRAYS) == values);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a file that does not fit is an error that says why") {
  TemporaryFolder const folder;
  std::string const path = folder.path("w");
  saveWeights(path, ARRAYS, std::vector<float>(9, 1));
  std::string const good = read(path);
  auto const error = [&](std::string const &bytes) {
    folder.write("w", bytes);
    std::string const text = errorOf([&] { loadWeights(path, ARRAYS); });
    CHECK(text.find(path + ": ") == 0);
    return text.substr(std::min(path.size() + 2, text.size()));
  };
  CHECK(error("") == "this is not a file of weights: it does not begin with CWWEIGHT");
  CHECK(error("CWWEIGHT\2" + good.substr(9)) ==
        "the file has version 2; this program reads version 1");
  CHECK(error(good.substr(0, 30)) == "the file is truncated");
  CHECK(error(good.substr(0, good.size() - 8)) ==
        "the file has 32 bytes after its header, not 40; it is truncated or too long");
  CHECK(error(good + "x").find("truncated or too long") != std::string::npos);
  std::string damaged = good;
  damaged[damaged.size() - 10] ^= 1;
  CHECK(error(damaged) == "the checksum does not fit; the file is damaged");
  saveWeights(path, {{"w", {2, 4}}}, std::vector<float>(8));
  CHECK(error(read(path)) == "the file holds w [2, 4]; this network has w [2, 3], b [3]");
}

TEST_CASE("a file that cannot be read or written is an error with the reason") {
  TemporaryFolder const folder;
  checkWriteable(folder.path("w"));
  CHECK(std::filesystem::is_empty(folder.path()));
  CHECK(errorOf([&] { checkWriteable(folder.path("no/w")); }).find("cannot create") !=
        std::string::npos);
  CHECK(errorOf([&] {
          saveWeights(folder.path(), ARRAYS, std::vector<float>(9));
        }).find("cannot replace the file: ") != std::string::npos);
  CHECK(errorOf([&] {
          loadWeights(folder.path("none"), ARRAYS);
        }).find("none: cannot open the file of weights: No such file") != std::string::npos);
  CHECK(errorOf([&] {
          saveWeights(folder.path("no/w"), ARRAYS, std::vector<float>(9));
        }).find("cannot create a file beside it: No such file") != std::string::npos);
  CHECK(errorOf([&] {
          saveWeights(folder.path("w"), ARRAYS, {1, 2});
        }).find("2 values for arrays of 9 elements") != std::string::npos);
}
