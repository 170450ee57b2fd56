// Bodies of HostFunctions.hpp and poplar/HostFunctionCallback.hpp.
#pragma once

#include <poplar/impl/engine/HostFunctions.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>

#include <cstring>

namespace poplar {

POP_INLINE HostCallback::~HostCallback() = default;

POP_INLINE HostCallbackHandle::HostCallbackHandle(std::unique_ptr<HostCallback> callback)
    : callback_(std::move(callback)) {}
POP_INLINE HostCallbackHandle::HostCallbackHandle(HostCallbackHandle &&other) noexcept = default;
POP_INLINE HostCallbackHandle &
HostCallbackHandle::operator=(HostCallbackHandle &&other) noexcept = default;
POP_INLINE HostCallbackHandle::~HostCallbackHandle() = default;

} // namespace poplar

namespace cottonwood::engine {

POP_INLINE void HostFunctions::call(lower::HostCall const &call, MoveRunner const &moves,
                                    std::byte *arena, unsigned maxThreads) {
  lower::HostFunctionPlan const &function = executable_->hostFunctions[call.function];
  if (!callbacks_[call.function])
    base::fail<poplar::stream_connection_error>(
        "Engine::run", "the host function '", function.handle,
        "' is not connected; call connectHostFunction before the program that uses it runs");
  std::uint64_t total = 0;
  auto const place = [&](std::uint64_t bytes) {
    std::uint64_t const at = total;
    total += (bytes + lower::VARIABLE_ALIGN - 1) / lower::VARIABLE_ALIGN * lower::VARIABLE_ALIGN;
    return at;
  };
  std::vector<std::uint64_t> places;
  for (std::uint64_t const bytes : function.inputBytes)
    places.push_back(place(bytes));
  std::uint64_t const firstOutput = total;
  for (std::uint64_t const bytes : function.outputBytes)
    places.push_back(place(bytes));
  packed_.resize(total + lower::VARIABLE_ALIGN);
  auto const misalign = reinterpret_cast<std::uintptr_t>(packed_.data()) % lower::VARIABLE_ALIGN;
  std::byte *const base = packed_.data() + (lower::VARIABLE_ALIGN - misalign);
  std::memset(base + firstOutput, 0, total - firstOutput);

  std::vector<void const *> inputs;
  std::vector<void *> outputs;
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::byte *const at = base + places[i];
    if (i >= call.inputs.size()) {
      outputs.push_back(at);
      continue;
    }
    moves.run(call.inputs[i], arena, at, maxThreads);
    inputs.push_back(at);
  }
  (**callbacks_[call.function])(inputs, outputs);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    moves.run(call.outputs[i], static_cast<std::byte const *>(outputs[i]), arena, maxThreads);
}

} // namespace cottonwood::engine
