#include "TemporaryFolder.hpp"

#include <examples/fashion/Images.hpp>

#include <doctest/doctest.h>
#include <zlib.h>

TEST_SUITE_BEGIN("examples/fashion/images");

using fashion::readIdx;
using fashion::readImages;

namespace {

std::string number(unsigned value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16 & 255),
          static_cast<char>(value >> 8 & 255), static_cast<char>(value & 255)};
}

std::string idx(std::vector<unsigned> const &shape, std::string const &elements) {
  std::string bytes = number(0x0800 | static_cast<unsigned>(shape.size()));
  for (unsigned const dim : shape)
    bytes += number(dim);
  return bytes + elements;
}

std::string compressed(TemporaryFolder const &folder, std::string const &bytes) {
  std::string const path = folder.path("compressed");
  gzFile const file = gzopen(path.c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool contains(std::string const &text, std::string const &part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("IDX files are read, compressed or not") {
  TemporaryFolder const folder;
  std::string const bytes = idx({2, 1, 3}, "abcdef");
  for (std::string const &content : {bytes, compressed(folder, bytes)}) {
    fashion::Idx const read = readIdx(folder.write("x", content), 3);
    CHECK(read.shape == std::vector<std::size_t>{2, 1, 3});
    CHECK(std::string(read.bytes.begin(), read.bytes.end()) == "abcdef");
  }
  CHECK(readIdx(folder.write("x", idx({0, 5}, "")), 2).bytes.empty());
}

TEST_CASE("damaged IDX files are errors that say what is wrong") {
  TemporaryFolder const folder;
  auto const error = [&](std::string const &bytes, unsigned rank) {
    std::string const path = folder.write("x", bytes);
    std::string const text = errorOf([&] { readIdx(path, rank); });
    CHECK(contains(text, path + ": "));
    return text.substr(std::min(path.size() + 2, text.size()));
  };
  CHECK(error("", 1) == "the file ends within its magic number");
  CHECK(error(idx({2}, "ab"), 3) ==
        "the magic number is 0x00000801, not 0x00000803 (an IDX file of unsigned bytes with 3 "
        "dimensions)");
  CHECK(error(idx({2, 1, 3}, "").substr(0, 9), 3) == "the file ends within its dimensions");
  CHECK(error(idx({4}, "ab"), 1) == "the file ends after 2 of 4 elements; it is truncated");
  CHECK(error(idx({2}, "abc"), 1) == "the file goes on after its 2 elements");
  CHECK(error(idx({~0u, ~0u, ~0u}, ""), 3) ==
        "the dimensions give more elements than memory can hold");
  CHECK(error(idx({~0u, 4}, "abc"), 2) ==
        "the file ends after 3 of 17179869180 elements; it is truncated");
  std::string const whole = compressed(folder, idx({9}, "abcdefghi"));
  CHECK(contains(error(whole.substr(0, whole.size() - 12), 1), "the file is truncated"));
  std::string broken = whole;
  broken[whole.size() - 6] = static_cast<char>(~broken[whole.size() - 6]);
  CHECK(contains(error(broken, 1), "cannot be read"));
}

TEST_CASE("images and labels belong together") {
  TemporaryFolder const folder;
  folder.write("t10k-images-idx3-ubyte", idx({2, 1, 3}, "abcdef"));
  folder.write("t10k-labels-idx1-ubyte", idx({2}, {"\7\3"}));
  fashion::Images const images = readImages(folder.path(), "t10k", 8);
  CHECK(images.size() == 2);
  CHECK(images.width == 3);
  CHECK(images.image(1)[0] == 'd');
  CHECK(fashion::firstImages(images, 1).pixels.size() == 3);
  CHECK(errorOf([&] { fashion::firstImages(images, 3); }) ==
        "there are only 2 images; asked for are the first 3");
  CHECK(contains(errorOf([&] { readImages(folder.path(), "t10k", 7); }),
                 "label 0 is 7; labels must be below 7"));
  folder.write("t10k-labels-idx1-ubyte", idx({3}, "abc"));
  CHECK(contains(errorOf([&] { readImages(folder.path(), "t10k", 10); }),
                 "3 labels for the 2 images of "));
  CHECK(contains(errorOf([&] { readImages(folder.path(), "train", 10); }),
                 "/train-images-idx3-ubyte.gz: no such file, nor one without .gz; install the "
                 "Debian package dataset-fashion-mnist, or name the folder of the files with "
                 "--data"));
}
