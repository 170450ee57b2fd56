// Body of poplar/Executable.hpp.
#pragma once

#include <poplar/Executable.hpp>

#include <poplar/impl/lower/ExecutableData.hpp>

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

} // namespace poplar
