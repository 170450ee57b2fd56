#include "Weights.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <unistd.h>
#include <zlib.h>

namespace fashion {
namespace {

constexpr std::string_view MAGIC = "CWWEIGHT";
constexpr std::uint32_t VERSION = 1;

[[noreturn]] void fail(std::string const &path, std::string const &what) {
  throw std::runtime_error(path + ": " + what);
}

void putNumber(std::string &to, std::uint32_t value) {
  for (unsigned shift = 0; shift != 32; shift += 8)
    to += static_cast<char>(value >> shift & 0xff);
}

std::uint32_t numberAt(char const *bytes) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i != 4; ++i)
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << 8 * i;
  return value;
}

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(crc32(0, reinterpret_cast<unsigned char const *>(bytes.data()),
                                          static_cast<unsigned>(bytes.size())));
}

std::string shapeText(std::vector<std::size_t> const &shape) {
  std::string text = "[";
  for (std::size_t const dim : shape)
    text += (text.size() == 1 ? "" : ", ") + std::to_string(dim);
  return text + "]";
}

std::string layoutText(std::vector<NamedShape> const &arrays) {
  std::string text;
  for (NamedShape const &array : arrays)
    text += (text.empty() ? "" : ", ") + array.name + " " + shapeText(array.shape);
  return text;
}

/// Takes the file's bytes one item after the other.
class Parser {
public:
  Parser(std::string const &path, std::string_view bytes) : path_(path), rest_(bytes) {}

  std::string_view take(std::size_t size) {
    if (size > rest_.size())
      fail(path_, "the file is truncated");
    std::string_view const bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return bytes;
  }
  std::uint32_t number() { return numberAt(take(4).data()); }
  std::size_t left() const { return rest_.size(); }

private:
  std::string const &path_;
  std::string_view rest_;
};

std::vector<NamedShape> parseLayout(Parser &parser) {
  std::vector<NamedShape> arrays;
  for (std::uint32_t count = parser.number(); count != 0; --count) {
    NamedShape array;
    array.name = parser.take(parser.number());
    for (std::uint32_t rank = parser.number(); rank != 0; --rank)
      array.shape.push_back(parser.number());
    arrays.push_back(std::move(array));
  }
  return arrays;
}

std::string readAll(std::string const &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    fail(path, std::string("cannot open the file of weights: ") + std::strerror(errno));
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (file.bad())
    fail(path, "the file cannot be read");
  return bytes;
}

/// A file beside `path` that is removed again unless it took the place of `path`.
class TemporaryFile {
public:
  explicit TemporaryFile(std::string const &path)
      : path_(path), name_(path + "." + std::to_string(getpid()) + ".tmp"),
        file_(name_, std::ios::binary | std::ios::trunc) {
    if (!file_)
      fail(path, std::string("cannot create a file beside it: ") + std::strerror(errno));
  }
  ~TemporaryFile() {
    if (!name_.empty())
      std::remove(name_.c_str());
  }
  TemporaryFile(TemporaryFile const &) = delete;
  TemporaryFile &operator=(TemporaryFile const &) = delete;

  void write(std::string const &bytes) {
    file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file_.close();
    if (!file_)
      fail(path_, "the file cannot be written; is the disk full?");
  }
  void replaceTarget() {
    if (std::rename(name_.c_str(), path_.c_str()) != 0)
      fail(path_, std::string("cannot replace the file: ") + std::strerror(errno));
    name_.clear();
  }

private:
  std::string path_, name_;
  std::ofstream file_;
};

} // namespace

std::size_t NamedShape::numElements() const {
  std::size_t count = 1;
  for (std::size_t const dim : shape)
    count *= dim;
  return count;
}

std::size_t numElements(std::vector<NamedShape> const &arrays) {
  std::size_t count = 0;
  for (NamedShape const &array : arrays)
    count += array.numElements();
  return count;
}

void saveWeights(std::string const &path, std::vector<NamedShape> const &arrays,
                 std::vector<float> const &values) {
  if (values.size() != numElements(arrays))
    fail(path, std::to_string(values.size()) + " values for arrays of " +
                   std::to_string(numElements(arrays)) + " elements");
  std::string bytes(MAGIC);
  putNumber(bytes, VERSION);
  putNumber(bytes, static_cast<std::uint32_t>(arrays.size()));
  for (NamedShape const &array : arrays) {
    putNumber(bytes, static_cast<std::uint32_t>(array.name.size()));
    bytes += array.name;
    putNumber(bytes, static_cast<std::uint32_t>(array.shape.size()));
    for (std::size_t const dim : array.shape)
      putNumber(bytes, static_cast<std::uint32_t>(dim));
  }
  for (float const value : values)
    putNumber(bytes, std::bit_cast<std::uint32_t>(value));
  putNumber(bytes, checksum(bytes));
  TemporaryFile file(path);
  file.write(bytes);
  file.replaceTarget();
}

void checkWriteable(std::string const &path) { TemporaryFile const file(path); }

std::vector<float> loadWeights(std::string const &path, std::vector<NamedShape> const &arrays) {
  std::string const bytes = readAll(path);
  Parser parser(path, bytes);
  if (bytes.size() < MAGIC.size() || parser.take(MAGIC.size()) != MAGIC)
    fail(path, "this is not a file of weights: it does not begin with " + std::string(MAGIC));
  if (std::uint32_t const version = parser.number(); version != VERSION)
    fail(path, "the file has version " + std::to_string(version) + "; this program reads version " +
                   std::to_string(VERSION));
  std::vector<NamedShape> const found = parseLayout(parser);
  if (found != arrays)
    fail(path, "the file holds " + layoutText(found) + "; this network has " + layoutText(arrays));
  std::size_t const dataBytes = 4 * numElements(arrays);
  if (parser.left() != dataBytes + 4)
    fail(path, "the file has " + std::to_string(parser.left()) + " bytes after its header, not " +
                   std::to_string(dataBytes + 4) + "; it is truncated or too long");
  std::string_view const data = parser.take(dataBytes);
  if (parser.number() != checksum(std::string_view(bytes).substr(0, bytes.size() - 4)))
    fail(path, "the checksum does not fit; the file is damaged");
  std::vector<float> values(dataBytes / 4);
  for (std::size_t i = 0; i != values.size(); ++i)
    values[i] = std::bit_cast<float>(numberAt(data.data() + 4 * i));
  return values;
}

} // namespace fashion
