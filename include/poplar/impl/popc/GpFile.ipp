// Body of GpFile.hpp.
#pragma once

#include <poplar/impl/popc/GpFile.hpp>

#include <poplar/impl/base/Digest.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/Version.hpp>
#include <poplar/impl/popc/Object.hpp>

#include <cstring>

#include <nlohmann/json.hpp>

namespace cottonwood::popc::detail {

inline constexpr std::string_view GP_MAGIC{"\x91"
                                           "CWG\r\n\x1a\n"};
inline constexpr std::uint32_t GP_FORMAT = 1;
inline constexpr std::size_t GP_DIGEST_AT = 8 + 4 + 4 + 8, GP_DIGEST_BYTES = 32;
inline constexpr std::size_t GP_HEADER_BYTES = GP_DIGEST_AT + GP_DIGEST_BYTES;

POP_INLINE void appendNumber(std::string &bytes, std::uint64_t number, unsigned width) {
  for (unsigned i = 0; i != width; ++i)
    bytes += static_cast<char>(number >> (8 * i) & 0xff);
}
POP_INLINE std::uint64_t numberAt(std::string_view bytes, std::size_t at, unsigned width) {
  std::uint64_t number = 0;
  for (unsigned i = width; i-- != 0;)
    number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

/// \throws nlohmann::json::exception  a member is missing or has another type
POP_INLINE GpModule moduleFrom(nlohmann::json const &json, std::string_view &objects) {
  GpModule module;
  module.sources = json.at("sources").get<std::vector<std::string>>();
  module.compiler = json.at("compiler").get<std::string>();
  module.flags = json.at("flags").get<std::vector<std::string>>();
  for (nlohmann::json const &vertex : json.at("vertices"))
    module.vertices.push_back({vertex.at("name").get<std::string>(),
                               vertex.at("origin").get<std::string>(),
                               vertex.at("definition").get<std::uint64_t>()});
  for (nlohmann::json const &object : json.at("objects")) {
    std::size_t const bytes = object.at("bytes").get<std::size_t>();
    if (bytes > objects.size())
      throw poplar::poplar_error("an object is longer than what is there");
    module.objects.push_back(
        {object.at("level").get<std::string>(), std::string(objects.substr(0, bytes))});
    objects.remove_prefix(bytes);
  }
  return module;
}

} // namespace cottonwood::popc::detail

namespace cottonwood::popc {

POP_INLINE std::string storedGp(GpFile const &file) {
  using nlohmann::json;
  json modules = json::array();
  std::string objects;
  for (GpModule const &module : file.modules) {
    json vertices = json::array(), list = json::array();
    for (GpVertex const &vertex : module.vertices)
      vertices.push_back(
          {{"name", vertex.name}, {"origin", vertex.origin}, {"definition", vertex.definition}});
    for (GpObject const &object : module.objects) {
      list.push_back({{"level", object.level}, {"bytes", object.bytes.size()}});
      objects += object.bytes;
    }
    modules.push_back({{"sources", module.sources},
                       {"compiler", module.compiler},
                       {"flags", module.flags},
                       {"vertices", std::move(vertices)},
                       {"objects", std::move(list)}});
  }
  // Names of files need not be UTF-8.
  std::string const manifest =
      json{{"release", base::RELEASE}, {"modules", std::move(modules)}}.dump(
          1, ' ', false, json::error_handler_t::replace);
  std::string bytes(detail::GP_MAGIC);
  detail::appendNumber(bytes, detail::GP_FORMAT, 4);
  detail::appendNumber(bytes, codelet::OBJECT_ABI, 4);
  detail::appendNumber(bytes, manifest.size(), 8);
  bytes += base::Digest().add(manifest).add(objects).hex();
  return bytes + manifest + objects;
}

POP_INLINE GpFile parseGp(std::string_view bytes, std::string const &path) {
  auto const refuse = [&](auto const &...parts) {
    throw poplar::graph_object_load_error(path, base::textOf(parts...));
  };
  if (bytes.substr(0, detail::GP_MAGIC.size()) != detail::GP_MAGIC)
    refuse("this is no file of codelets; popc makes them (popc -o codelets.gp codelets.cpp)");
  if (bytes.size() < detail::GP_HEADER_BYTES)
    refuse("the header is cut off");
  std::uint64_t const format = detail::numberAt(bytes, 8, 4), abi = detail::numberAt(bytes, 12, 4);
  if (format != detail::GP_FORMAT || abi != codelet::OBJECT_ABI)
    refuse("the file has format ", format, " and codelet interface ", abi, "; this release loads ",
           detail::GP_FORMAT, " and ", codelet::OBJECT_ABI, ": compile the codelets again");
  std::uint64_t const manifestBytes = detail::numberAt(bytes, 16, 8);
  std::string_view const rest = bytes.substr(detail::GP_HEADER_BYTES);
  if (base::digestOf(rest) != bytes.substr(detail::GP_DIGEST_AT, detail::GP_DIGEST_BYTES) ||
      manifestBytes > rest.size())
    refuse("its checksum is not the stored one: the file is damaged");
  GpFile file;
  try {
    auto const manifest = nlohmann::json::parse(rest.substr(0, manifestBytes));
    std::string_view objects = rest.substr(manifestBytes);
    for (nlohmann::json const &module : manifest.at("modules"))
      file.modules.push_back(detail::moduleFrom(module, objects));
  } catch (std::exception const &error) {
    refuse("bad manifest: ", error.what());
  }
  return file;
}

} // namespace cottonwood::popc
