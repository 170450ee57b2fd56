// Trained weights in a file.
//
// The format, all numbers little-endian:
//   8 bytes   "CWWEIGHT"
//   u32       version, 1
//   u32       number of arrays
//   for each array: u32 length of its name, the name, u32 rank, u32 for each dimension
//   f32       the elements of all arrays, one array after the other, row-major
//   u32       CRC-32 of everything before it
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fashion {

/// The name and the dimensions of one array of weights.
struct NamedShape {
  std::string name;
  std::vector<std::size_t> shape;

  std::size_t numElements() const;
  bool operator==(NamedShape const &) const = default;
};

std::size_t numElements(std::vector<NamedShape> const &arrays);

/// Writes a temporary file beside `path` and renames it, so that `path` never holds half a file.
/// \param values  the elements of all arrays, in order.
/// \throws std::runtime_error  the file cannot be written, or `values` has another size.
void saveWeights(std::string const &path, std::vector<NamedShape> const &arrays,
                 std::vector<float> const &values);

/// Whether saveWeights could write `path` now: to be asked before hours of training.
/// \throws std::runtime_error  it could not.
void checkWriteable(std::string const &path);

/// \returns  the elements of all arrays, in order.
/// \throws std::runtime_error  the file cannot be read, is damaged, or holds other arrays.
std::vector<float> loadWeights(std::string const &path, std::vector<NamedShape> const &arrays);

} // namespace fashion
