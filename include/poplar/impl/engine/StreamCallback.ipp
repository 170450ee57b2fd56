// Body of poplar/StreamCallback.hpp.
#pragma once

#include <poplar/StreamCallback.hpp>

namespace poplar {

POP_INLINE StreamCallbackBase::~StreamCallbackBase() = default;
POP_INLINE void StreamCallbackBase::invalidatePrefetched() {}
POP_INLINE StreamCallback::~StreamCallback() = default;
POP_INLINE LegacyStreamCallback::~LegacyStreamCallback() = default;

POP_INLINE StreamCallbackHandle::StreamCallbackHandle(std::unique_ptr<StreamCallback> callback)
    : callback_(std::move(callback)) {}
POP_INLINE
StreamCallbackHandle::StreamCallbackHandle(StreamCallbackHandle &&other) noexcept = default;
POP_INLINE StreamCallbackHandle &
StreamCallbackHandle::operator=(StreamCallbackHandle &&other) noexcept = default;
POP_INLINE StreamCallbackHandle::~StreamCallbackHandle() = default;

} // namespace poplar
