// Body of poplar/Executable.hpp.
#pragma once

#include <poplar/Executable.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/engine/ExecutableFile.hpp>
#include <poplar/impl/lower/ExecutableData.hpp>

#include <istream>
#include <utility>

namespace poplar {

POP_INLINE Executable::Executable() = default;
POP_INLINE Executable::Executable(std::shared_ptr<cottonwood::lower::ExecutableData const> data)
    : data_(std::move(data)) {}
POP_INLINE Executable::Executable(Executable const &other) = default;
POP_INLINE Executable::Executable(Executable &&other) noexcept = default;
POP_INLINE Executable &Executable::operator=(Executable const &other) = default;
POP_INLINE Executable &Executable::operator=(Executable &&other) noexcept = default;
POP_INLINE Executable::~Executable() = default;

POP_INLINE void Executable::serialize(std::ostream &out) const {
  if (!data_)
    cottonwood::base::fail<poplar_error>("Executable::serialize", "the executable is empty");
  cottonwood::engine::writeExecutable(out, *data_);
}

POP_INLINE Executable Executable::deserialize(std::istream &in, bool checkPackageHash) {
  return Executable(cottonwood::engine::readExecutable(in, checkPackageHash));
}

POP_INLINE Executable Executable::deserialize(std::unique_ptr<std::istream> in,
                                              bool checkPackageHash) {
  if (!in)
    cottonwood::base::fail<poplar_error>("Executable::deserialize", "the stream is null");
  return deserialize(*in, checkPackageHash);
}

POP_INLINE Module::Module() = default;
POP_INLINE Module::Module(Executable executable) : executable_(std::move(executable)) {}

POP_INLINE void Module::serialize(std::ostream &out) const {
  if (!executable_.data())
    cottonwood::base::fail<poplar_error>("Module::serialize", "the module is empty");
  executable_.serialize(out);
}

POP_INLINE Module Module::deserialize(std::istream &in, bool checkPackageHash) {
  return Module(Executable::deserialize(in, checkPackageHash));
}

POP_INLINE Preallocations::Preallocations(Tag, std::vector<std::uint64_t> bytesByTile)
    : bytesByTile_(std::move(bytesByTile)) {}

POP_INLINE Preallocations Preallocations::of(std::vector<Module> const &modules) {
  std::vector<std::uint64_t> bytes;
  for (Module const &module : modules) {
    if (!module.executable().data())
      cottonwood::base::fail<poplar_error>("Preallocations::of", "a module is empty");
    auto const &tiles = module.executable().data()->tileMemory;
    if (bytes.empty())
      bytes.resize(tiles.size());
    if (bytes.size() != tiles.size())
      cottonwood::base::fail<poplar_error>("Preallocations::of", "one module has ", bytes.size(),
                                           " tiles, and another ", tiles.size(),
                                           "; they must be of one target");
    for (std::size_t tile = 0; tile < tiles.size(); ++tile)
      bytes[tile] += tiles[tile].alwaysLive + tiles[tile].constants + tiles[tile].vertexState +
                     tiles[tile].fieldData + tiles[tile].listDescriptors;
  }
  return Preallocations(Tag(), std::move(bytes));
}

} // namespace poplar
