// Body of ProfileFile.hpp, and of what poplar/Engine.hpp prints from files.
#pragma once

#include <poplar/impl/profile/ProfileFile.hpp>

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>

#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <istream>
#include <utility>

namespace cottonwood::profile::detail {

inline constexpr char PROFILE_FORMAT[] = "cottonwood profile";
inline constexpr unsigned PROFILE_VERSION = 1;

/// Reads what ProfileValue writes. Nothing is allocated for a length that the file only claims.
class CBORReader {
public:
  explicit CBORReader(std::istream &in) : in_(in) {}

  poplar::ProfileValue value(unsigned depth = 0) {
    if (depth == MAX_DEPTH)
      wrong("values are nested too deeply");
    Head const head = readHead();
    switch (head.major) {
    case 0:
      return head.argument;
    case 1:
      return static_cast<std::int64_t>(~head.argument);
    case 3:
      return text(head.argument);
    case 4:
      return vector(head.argument, depth);
    case 5:
      return map(head.argument, depth);
    case 6: // a tag says nothing that we need
      return value(depth + 1);
    default:
      return simple(head);
    }
  }

private:
  static constexpr unsigned MAX_DEPTH = 64;

  struct Head {
    unsigned major, info;
    std::uint64_t argument;
  };

  [[noreturn]] static void wrong(char const *what) {
    base::fail<poplar::parse_error>("poplar profile", "this is no profile: ", what);
  }

  unsigned byte() {
    int const next = in_.get();
    if (next == std::istream::traits_type::eof())
      wrong("it ends early");
    return static_cast<unsigned>(next);
  }

  Head readHead() {
    unsigned const first = byte();
    Head head{first >> 5, first & 31, first & 31};
    if (head.info > 27)
      wrong("an item has no length");
    if (head.info < 24)
      return head;
    head.argument = 0;
    for (unsigned i = 1u << (head.info - 24); i-- != 0;)
      head.argument = head.argument << 8 | byte();
    return head;
  }

  std::string text(std::uint64_t length) {
    std::string text;
    char part[4096];
    while (length != 0) {
      auto const now = static_cast<std::streamsize>(std::min<std::uint64_t>(length, sizeof part));
      if (!in_.read(part, now))
        wrong("it ends early");
      text.append(part, static_cast<std::size_t>(now));
      length -= static_cast<std::uint64_t>(now);
    }
    return text;
  }

  poplar::ProfileValue vector(std::uint64_t length, unsigned depth) {
    poplar::ProfileValue::Vector elements;
    for (; length != 0; --length)
      elements.push_back(value(depth + 1));
    return elements;
  }

  poplar::ProfileValue map(std::uint64_t length, unsigned depth) {
    poplar::ProfileValue::Map members;
    for (; length != 0; --length) {
      Head const key = readHead();
      if (key.major != 3)
        wrong("a key is no text");
      std::string name = text(key.argument);
      members[std::move(name)] = value(depth + 1);
    }
    return members;
  }

  poplar::ProfileValue simple(Head const &head) {
    if (head.major == 7 && (head.info == 20 || head.info == 21))
      return poplar::ProfileValue(head.info == 21);
    if (head.major == 7 && head.info == 27)
      return std::bit_cast<double>(head.argument);
    wrong("an item is of another kind");
  }

  std::istream &in_;
};

[[noreturn]] POP_INLINE void cannotWrite(std::string const &path, char const *why) {
  base::fail<poplar::poplar_error>("Engine", "cannot write the report ", base::quoted(path), ": ",
                                   why,
                                   "; the option autoReport.directory must name a folder that is "
                                   "writable or can be made");
}

} // namespace cottonwood::profile::detail

namespace cottonwood::profile {

POP_INLINE poplar::ProfileValue readCBOR(std::istream &in) {
  return detail::CBORReader(in).value();
}

POP_INLINE void writeProfile(std::string const &path, poplar::ProfileValue const &graph,
                             poplar::ProfileValue const &execution) {
  namespace fs = std::filesystem;
  poplar::ProfileValue::Map map;
  map["format"] = detail::PROFILE_FORMAT;
  map["version"] = detail::PROFILE_VERSION;
  map["poplarVersion"] = poplar::versionString().cloneAsString();
  map["packageHash"] = poplar::packageHash().cloneAsString();
  map["graphProfile"] = graph;
  map["executionProfile"] = execution;
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  if (error)
    detail::cannotWrite(path, error.message().c_str());
  // Whoever reads the file meanwhile sees the old one or the new one.
  std::string const unfinished = path + ".new";
  errno = 0;
  std::ofstream out(unfinished, std::ios::binary | std::ios::trunc);
  serializeToCBOR(out, poplar::ProfileValue(std::move(map)));
  out.close();
  if (!out)
    detail::cannotWrite(path, std::strerror(errno));
  fs::rename(unfinished, path, error);
  if (error)
    detail::cannotWrite(path, error.message().c_str());
}

POP_INLINE poplar::ProfileValue readProfile(char const *where, std::string const &path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path))
    throw poplar::file_load_error(path);
  char const *wrong = nullptr;
  try {
    poplar::ProfileValue profile = readCBOR(in);
    poplar::ProfileValue const *format =
        profile.type() == poplar::ProfileValue::Type::MAP ? profile.getOrNull("format") : nullptr;
    if (!format || *format != poplar::ProfileValue(detail::PROFILE_FORMAT))
      wrong = "is no profile that an engine wrote";
    else if (profile["version"] != poplar::ProfileValue(detail::PROFILE_VERSION))
      wrong = "is a profile of another version of the format";
    else
      return profile;
  } catch (poplar::parse_error const &) {
    wrong = "is no profile that an engine wrote, or only a part of one";
  }
  base::fail<poplar::parse_error>(where, "the file ", base::quoted(path), " ", wrong);
}

} // namespace cottonwood::profile

namespace poplar {

POP_INLINE void printGraphSummary(std::ostream &out, std::string const &profilePath,
                                  OptionFlags const &opt) {
  printGraphSummary(
      out, cottonwood::profile::readProfile("printGraphSummary", profilePath)["graphProfile"], opt);
}

POP_INLINE void printProfileSummary(std::ostream &out, std::string const &profilePath,
                                    OptionFlags const &opt) {
  ProfileValue const profile = cottonwood::profile::readProfile("printProfileSummary", profilePath);
  printProfileSummary(out, profile["graphProfile"], profile["executionProfile"], opt);
}

} // namespace poplar
