// Body of ExecutableFile.hpp.
#pragma once

#include <poplar/impl/engine/ExecutableFile.hpp>

#include <poplar/Graph.hpp>
#include <poplar/impl/engine/ExecutableCheck.hpp>
#include <poplar/impl/engine/FieldReader.hpp>
#include <poplar/impl/engine/FieldWriter.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <istream>
#include <ostream>
#include <sstream>

namespace cottonwood::engine::detail {

/// As PNG's: a byte that is no ASCII, then line ends that a transfer as text would change.
inline constexpr std::array<unsigned char, 8> MAGIC{0x91, 'C', 'W', 'X', '\r', '\n', 0x1a, '\n'};
inline constexpr std::size_t PREFIX_BYTES = MAGIC.size() + sizeof(FORMAT_VERSION);
inline constexpr std::size_t LENGTH_BYTES = sizeof(std::uint64_t);
/// Behind the release: length and checksum of the payload, checksum of the header.
inline constexpr std::size_t SUFFIX_BYTES = 3 * LENGTH_BYTES;
inline constexpr std::uint64_t MAX_RELEASE_BYTES = 256;

/// Sees every change of a single word and the order of words; no protection against intent.
POP_INLINE std::uint64_t checksum(std::span<std::byte const> bytes) {
  constexpr std::uint64_t ODD = 0x9e3779b97f4a7c15u; // 2^64 / golden ratio
  std::uint64_t hash = bytes.size() * ODD;
  for (std::size_t i = 0; i < bytes.size(); i += sizeof hash) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min(sizeof word, bytes.size() - i));
    hash = std::rotl(hash ^ word, 29) * ODD;
  }
  return hash ^ (hash >> 32);
}

[[noreturn]] POP_INLINE void refuse(std::string const &text) {
  throw poplar::poplar_error("Executable::deserialize: " + text);
}

POP_INLINE void checkHost(char const *where) {
  if constexpr (std::endian::native != std::endian::little)
    base::fail<poplar::poplar_error>(where,
                                     "executables are stored by little-endian machines only");
}

/// Appends the next bytes of the stream; the memory grows with what is really there.
POP_INLINE void readBytes(std::istream &in, std::uint64_t count, char const *part,
                          std::vector<std::byte> &out) {
  constexpr std::uint64_t STEP = std::uint64_t{1} << 20;
  for (std::uint64_t done = 0; done < count;) {
    std::uint64_t const step = std::min(count - done, STEP);
    std::size_t const at = out.size();
    out.resize(at + step);
    in.read(reinterpret_cast<char *>(out.data() + at), static_cast<std::streamsize>(step));
    auto const got = static_cast<std::uint64_t>(in.gcount());
    done += got;
    if (got != step)
      refuse(base::textOf(part, ": ", done, " bytes found, ", count,
                          " are wanted; the file is "
                          "truncated"));
  }
}

/// `number` at the end of the bytes before `end`.
POP_INLINE std::uint64_t wordAt(std::span<std::byte const> bytes, std::size_t at) {
  std::uint64_t word;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

struct Header {
  std::string release;
  std::uint64_t payloadBytes, payloadChecksum;
};

POP_INLINE void checkPrefix(std::span<std::byte const> prefix) {
  if (std::memcmp(prefix.data(), MAGIC.data(), MAGIC.size()) != 0) {
    std::string found;
    for (std::size_t i = 0; i < MAGIC.size(); ++i) {
      char const *const digits = "0123456789abcdef";
      auto const byte = std::to_integer<unsigned>(prefix[i]);
      found += {digits[byte / 16], digits[byte % 16], i + 1 < MAGIC.size() ? ' ' : '\''};
    }
    refuse("magic: '" + found + " found; this is no stored executable");
  }
  std::uint32_t version;
  std::memcpy(&version, prefix.data() + MAGIC.size(), sizeof version);
  if (version != FORMAT_VERSION)
    refuse(base::textOf("format version: ", version, " found, ", FORMAT_VERSION, " is wanted; ",
                        "compile the graph again with this release"));
}

POP_INLINE Header readHeader(std::istream &in) {
  std::vector<std::byte> bytes;
  readBytes(in, PREFIX_BYTES, "header", bytes);
  checkPrefix(bytes);
  readBytes(in, LENGTH_BYTES, "header", bytes);
  std::uint64_t const releaseBytes = wordAt(bytes, PREFIX_BYTES);
  if (releaseBytes > MAX_RELEASE_BYTES)
    refuse(base::textOf("release: a text of ", releaseBytes, " bytes found, at most ",
                        MAX_RELEASE_BYTES, " are wanted; the file is damaged"));
  readBytes(in, releaseBytes + SUFFIX_BYTES, "header", bytes);
  std::size_t const suffix = bytes.size() - SUFFIX_BYTES;
  std::uint64_t const wanted = wordAt(bytes, suffix + 2 * LENGTH_BYTES);
  if (checksum(std::span(bytes).first(suffix + 2 * LENGTH_BYTES)) != wanted)
    refuse("header: its checksum is not the stored one; the file is damaged");
  return {std::string(reinterpret_cast<char const *>(&bytes[PREFIX_BYTES + LENGTH_BYTES]),
                      releaseBytes),
          wordAt(bytes, suffix), wordAt(bytes, suffix + LENGTH_BYTES)};
}

} // namespace cottonwood::engine::detail

namespace cottonwood::engine {

POP_INLINE std::string releaseText() {
  return base::textOf(poplar::versionString(), " (", poplar::packageHash(), ")");
}

POP_INLINE std::vector<std::byte> storedExecutable(lower::ExecutableData const &executable) {
  detail::checkHost("Executable::serialize");
  std::vector<std::byte> payload;
  FieldWriter(payload).value(executable);
  std::vector<std::byte> file;
  auto const magic = std::as_bytes(std::span(detail::MAGIC));
  file.assign(magic.begin(), magic.end());
  FieldWriter header(file);
  header.value(FORMAT_VERSION);
  header.text(releaseText());
  header.value(std::uint64_t{payload.size()});
  header.value(detail::checksum(payload));
  header.value(detail::checksum(file));
  file.insert(file.end(), payload.begin(), payload.end());
  return file;
}

POP_INLINE void writeExecutable(std::ostream &out, lower::ExecutableData const &executable) {
  std::vector<std::byte> const file = storedExecutable(executable);
  out.write(reinterpret_cast<char const *>(file.data()), static_cast<std::streamsize>(file.size()));
  if (!out.flush())
    base::fail<poplar::poplar_error>("Executable::serialize", "the stream failed; ", file.size(),
                                     " bytes had to be written");
}

POP_INLINE std::shared_ptr<lower::ExecutableData const> readExecutable(std::istream &in,
                                                                       bool sameRelease) {
  detail::checkHost("Executable::deserialize");
  if (!in)
    detail::refuse("the stream cannot be read: it has failed already, as that of a file does which "
                   "could not be opened");
  detail::Header const header = detail::readHeader(in);
  if (sameRelease && header.release != releaseText())
    detail::refuse(base::textOf("release: the file was written by ", header.release, ", this is ",
                                releaseText(), "; checkPackageHash = false accepts any release ",
                                "with format version ", FORMAT_VERSION));
  std::vector<std::byte> payload;
  detail::readBytes(in, header.payloadBytes, "payload", payload);
  if (detail::checksum(payload) != header.payloadChecksum)
    detail::refuse("payload: its checksum is not the stored one; the file is damaged");
  FieldReader reader(payload);
  auto const executable = std::make_shared<lower::ExecutableData>();
  reader.value(*executable);
  if (reader.left() != 0)
    reader.fail(reader.left(), " bytes found behind the last field");
  if (std::string const fault = faultOf(*executable); !fault.empty())
    detail::refuse(fault);
  return executable;
}

POP_INLINE void verifyExecutable(lower::ExecutableData const &executable) {
  std::string fault = faultOf(executable);
  if (fault.empty()) {
    std::vector<std::byte> const file = storedExecutable(executable);
    std::istringstream in(std::string(reinterpret_cast<char const *>(file.data()), file.size()));
    if (storedExecutable(*readExecutable(in, true)) != file)
      fault = "it is another one after writing and reading";
  }
  if (!fault.empty())
    base::fail<poplar::poplar_error>("Engine", "internal error in the executable: ", fault);
}

POP_INLINE void repairChecksums(std::span<std::byte> file) {
  using namespace detail;
  if (file.size() < PREFIX_BYTES + LENGTH_BYTES)
    return;
  std::uint64_t const release = wordAt(file, PREFIX_BYTES);
  std::size_t const suffix = PREFIX_BYTES + LENGTH_BYTES + release;
  if (release > MAX_RELEASE_BYTES || file.size() < suffix + SUFFIX_BYTES)
    return;
  std::uint64_t const sum = checksum(file.subspan(suffix + SUFFIX_BYTES));
  std::memcpy(&file[suffix + LENGTH_BYTES], &sum, sizeof sum);
  std::uint64_t const all = checksum(file.first(suffix + 2 * LENGTH_BYTES));
  std::memcpy(&file[suffix + 2 * LENGTH_BYTES], &all, sizeof all);
}

} // namespace cottonwood::engine
