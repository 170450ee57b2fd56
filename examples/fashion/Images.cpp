#include "Images.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <zlib.h>

namespace fashion {
namespace {

[[noreturn]] void fail(std::string const &path, std::string const &what) {
  throw std::runtime_error(path + ": " + what);
}

/// A file read through zlib, which takes compressed and plain files alike.
class Reader {
public:
  explicit Reader(std::string path) : path_(std::move(path)) {
    errno = 0;
    file_.reset(gzopen(path_.c_str(), "rb"));
    if (!file_)
      fail(path_, std::string("cannot open the file: ") +
                      (errno == 0 ? "out of memory" : std::strerror(errno)));
  }

  /// Up to `size` bytes; fewer only at the end of the file.
  std::size_t read(std::uint8_t *to, std::size_t size) {
    std::size_t done = 0;
    while (done != size) {
      auto const chunk = static_cast<unsigned>(std::min<std::size_t>(size - done, 1u << 20));
      int const got = gzread(file_.get(), to + done, chunk);
      if (got <= 0) {
        checkEnd();
        break;
      }
      done += static_cast<unsigned>(got);
    }
    return done;
  }

  std::string const &path() const { return path_; }

private:
  struct Close {
    void operator()(gzFile file) const { gzclose(file); }
  };

  // A compressed file that was cut ends without an error from gzread: gzerror knows.
  void checkEnd() {
    int code = Z_OK;
    char const *const text = gzerror(file_.get(), &code);
    if (code == Z_OK || code == Z_STREAM_END)
      return;
    if (code == Z_BUF_ERROR)
      fail(path_, "the compressed data end too early; the file is truncated");
    fail(path_, std::string("the file cannot be read: ") +
                    (code == Z_ERRNO ? std::strerror(errno) : text));
  }

  std::string path_;
  std::unique_ptr<std::remove_pointer_t<gzFile>, Close> file_;
};

std::uint32_t bigEndian(std::uint8_t const *bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | bytes[3];
}

std::uint32_t readNumber(Reader &reader, char const *what) {
  std::uint8_t bytes[4];
  if (reader.read(bytes, 4) != 4)
    fail(reader.path(), std::string("the file ends within its ") + what);
  return bigEndian(bytes);
}

std::string hex(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", static_cast<unsigned>(value));
  return text;
}

/// Grows with what is really there, so that a wrong header cannot ask for all memory.
std::vector<std::uint8_t> readElements(Reader &reader, std::size_t count) {
  constexpr std::size_t STEP = std::size_t{1} << 22;
  std::vector<std::uint8_t> bytes;
  while (bytes.size() != count) {
    std::size_t const before = bytes.size(), want = std::min(STEP, count - before);
    bytes.resize(before + want);
    std::size_t const got = reader.read(bytes.data() + before, want);
    if (got != want)
      fail(reader.path(), "the file ends after " + std::to_string(before + got) + " of " +
                              std::to_string(count) + " elements; it is truncated");
  }
  std::uint8_t extra = 0;
  if (reader.read(&extra, 1) != 0)
    fail(reader.path(), "the file goes on after its " + std::to_string(count) + " elements");
  return bytes;
}

std::string existing(std::string const &path) {
  for (char const *const ending : {".gz", ""})
    if (std::ifstream(path + ending))
      return path + ending;
  fail(path + ".gz", "no such file, nor one without .gz; install the Debian package "
                     "dataset-fashion-mnist, or name the folder of the files with --data");
}

} // namespace

Idx readIdx(std::string const &path, unsigned rank) {
  Reader reader(path);
  std::uint32_t const magic = readNumber(reader, "magic number"), expected = 0x0800 | rank;
  if (magic != expected)
    fail(path, "the magic number is " + hex(magic) + ", not " + hex(expected) +
                   " (an IDX file of unsigned bytes with " + std::to_string(rank) +
                   (rank == 1 ? " dimension)" : " dimensions)"));
  Idx idx;
  std::size_t count = 1;
  for (unsigned i = 0; i != rank; ++i) {
    idx.shape.push_back(readNumber(reader, "dimensions"));
    if (__builtin_mul_overflow(count, idx.shape.back(), &count))
      fail(path, "the dimensions give more elements than memory can hold");
  }
  idx.bytes = readElements(reader, count);
  return idx;
}

Images readImages(std::string const &folder, std::string const &set, unsigned classes) {
  std::string const imagePath = existing(folder + "/" + set + "-images-idx3-ubyte");
  std::string const labelPath = existing(folder + "/" + set + "-labels-idx1-ubyte");
  Idx images = readIdx(imagePath, 3), labels = readIdx(labelPath, 1);
  if (images.shape[0] != labels.shape[0])
    fail(labelPath, std::to_string(labels.shape[0]) + " labels for the " +
                        std::to_string(images.shape[0]) + " images of " + imagePath);
  auto const wrong = std::find_if(labels.bytes.begin(), labels.bytes.end(),
                                  [&](unsigned label) { return label >= classes; });
  if (wrong != labels.bytes.end())
    fail(labelPath, "label " + std::to_string(wrong - labels.bytes.begin()) + " is " +
                        std::to_string(*wrong) + "; labels must be below " +
                        std::to_string(classes));
  return {images.shape[1], images.shape[2], std::move(images.bytes), std::move(labels.bytes)};
}

Images firstImages(Images const &images, std::size_t count) {
  if (count > images.size())
    throw std::runtime_error("there are only " + std::to_string(images.size()) +
                             " images; asked for are the first " + std::to_string(count));
  auto const pixels = static_cast<std::ptrdiff_t>(count * images.pixelsPerImage());
  return {images.height,
          images.width,
          {images.pixels.begin(), images.pixels.begin() + pixels},
          {images.labels.begin(), images.labels.begin() + static_cast<std::ptrdiff_t>(count)}};
}

} // namespace fashion
