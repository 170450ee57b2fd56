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

} // namespace poplar
