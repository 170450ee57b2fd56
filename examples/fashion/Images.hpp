// Labelled images from IDX files, compressed with gzip or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fashion {

/// Images of one size, row by row, one byte a pixel (0 is background), and a label each.
struct Images {
  std::size_t height = 0, width = 0;
  std::vector<std::uint8_t> pixels, labels;

  std::size_t size() const { return labels.size(); }
  std::size_t pixelsPerImage() const { return height * width; }
  std::uint8_t const *image(std::size_t i) const { return pixels.data() + i * pixelsPerImage(); }
};

/// One IDX file of unsigned bytes: an array of any rank.
struct Idx {
  std::vector<std::size_t> shape;
  std::vector<std::uint8_t> bytes;
};

/// Reads an IDX file: bytes 0 0 8 rank, the dimensions as big-endian 32-bit numbers, the elements.
/// \param rank  the rank that the file must have.
/// \throws std::runtime_error  the file is missing, damaged, of another kind, or longer or shorter
/// than its dimensions say.
Idx readIdx(std::string const &path, unsigned rank);

/// Reads <folder>/<set>-images-idx3-ubyte and <set>-labels-idx1-ubyte, with or without ".gz".
/// \param set      "train" or "t10k".
/// \param classes  labels must be below.
/// \throws std::runtime_error  as readIdx; also if the two files do not fit each other.
Images readImages(std::string const &folder, std::string const &set, unsigned classes);

/// The first `count` images. \throws std::runtime_error  there are fewer.
Images firstImages(Images const &images, std::size_t count);

} // namespace fashion
