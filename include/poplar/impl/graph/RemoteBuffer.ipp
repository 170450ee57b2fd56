#pragma once
#include <poplar/Graph.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Enumerators.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/TypeInfo.hpp>
#include <poplar/impl/graph/GraphData.hpp>
#include <poplar/impl/graph/HandleAccess.hpp>

#include <limits>

// Remote buffers, and functions of the host.

namespace cottonwood::graph::detail {

POP_INLINE bool sameBuffer(RemoteBufferData const &a, RemoteBufferData const &b) {
  return a.type == b.type && a.numElements == b.numElements && a.repeats == b.repeats &&
         a.rearrangeOnHost == b.rearrangeOnHost && a.optimiseMemory == b.optimiseMemory;
}

POP_INLINE void checkBuffer(char const *where, RemoteBufferData const &buffer) {
  if (buffer.type == poplar::Type())
    base::fail<poplar::poplar_error>(where, "the element type of buffer '", buffer.handle,
                                     "' is unset");
  if (buffer.repeats == 0)
    base::fail<poplar::poplar_error>(where, "the buffer '", buffer.handle,
                                     "' has 0 repeats; it needs at least 1");
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(buffer.numElements, buffer.repeats, &bytes) ||
      __builtin_mul_overflow(bytes, base::sizeOf(buffer.type), &bytes) ||
      bytes > std::uint64_t(std::numeric_limits<std::int64_t>::max()))
    base::fail<poplar::poplar_error>(where, "the buffer '", buffer.handle, "' of ", buffer.repeats,
                                     " x ", buffer.numElements, " elements of type ", buffer.type,
                                     " is larger than any memory");
}

/// One half of a remote buffer as a stream: it can be asked about, not copied.
POP_INLINE poplar::DataStream halfOf(RemoteBufferData const &buffer,
                                     poplar::DataStreamType direction) {
  auto stream = std::make_shared<StreamData>();
  stream->graph = buffer.graph;
  stream->id = ~StreamId{0};
  stream->handle = buffer.handle;
  stream->type = buffer.type;
  stream->numElements = buffer.numElements;
  stream->direction = direction;
  return HandleAccess::stream(std::move(stream));
}

POP_INLINE std::vector<HostFunctionData::Argument>
argumentsOf(char const *where, poplar::StringRef handle,
            poplar::ArrayRef<poplar::Graph::HostFunctionArgument> list) {
  std::vector<HostFunctionData::Argument> arguments;
  for (auto const &[type, numElements] : list) {
    if (type == poplar::Type())
      base::fail<poplar::poplar_error>(where, "argument ", arguments.size(), " of '", handle,
                                       "' has no element type");
    arguments.emplace_back(type, numElements);
  }
  return arguments;
}

} // namespace cottonwood::graph::detail

namespace poplar {

namespace remoteDetail = cottonwood::graph::detail;

POP_INLINE RemoteBuffer::RemoteBuffer() = default;
POP_INLINE RemoteBuffer::RemoteBuffer(RemoteBuffer const &other) = default;
POP_INLINE RemoteBuffer::RemoteBuffer(RemoteBuffer &&other) noexcept = default;
POP_INLINE RemoteBuffer::~RemoteBuffer() = default;
POP_INLINE RemoteBuffer &RemoteBuffer::operator=(RemoteBuffer const &other) = default;
POP_INLINE RemoteBuffer &RemoteBuffer::operator=(RemoteBuffer &&other) noexcept = default;

POP_INLINE cottonwood::graph::RemoteBufferData const &RemoteBuffer::data(char const *query) const {
  if (!data_)
    cottonwood::base::fail<poplar_error>(std::string("RemoteBuffer::") + query,
                                         "the buffer is default-constructed");
  return *data_;
}

POP_INLINE std::string RemoteBuffer::handle() const { return data("handle").handle; }
POP_INLINE DataStream RemoteBuffer::getIpuToHostStream() const {
  return remoteDetail::halfOf(data("getIpuToHostStream"), DataStreamType::DeviceToHostBuffer);
}
POP_INLINE DataStream RemoteBuffer::getHostToIpuStream() const {
  return remoteDetail::halfOf(data("getHostToIpuStream"), DataStreamType::HostToDeviceBuffer);
}
POP_INLINE std::size_t RemoteBuffer::numElements() const { return data("numElements").numElements; }
POP_INLINE std::size_t RemoteBuffer::getRepeats() const { return data("getRepeats").repeats; }
POP_INLINE Type RemoteBuffer::elementType() const { return data("elementType").type; }
POP_INLINE bool RemoteBuffer::isRearrangeOnHost() const {
  return data("isRearrangeOnHost").rearrangeOnHost;
}
POP_INLINE bool RemoteBuffer::isOptimisedForMemory() const {
  return data("isOptimisedForMemory").optimiseMemory;
}
POP_INLINE bool RemoteBuffer::operator==(RemoteBuffer const &b) const { return data_ == b.data_; }
POP_INLINE bool RemoteBuffer::operator!=(RemoteBuffer const &b) const { return !(*this == b); }

POP_INLINE RemoteBuffer Graph::addRemoteBuffer(StringRef handle, Type const &elementType,
                                               std::size_t numElements, std::size_t repeats,
                                               bool rearrangeOnHost, bool optimiseMemory) {
  char const *const where = "Graph::addRemoteBuffer";
  using cottonwood::graph::HandleAccess;
  cottonwood::graph::GraphData &graph = data(where);
  cottonwood::graph::RemoteBufferData buffer;
  buffer.handle = handle;
  buffer.type = elementType;
  buffer.numElements = numElements;
  buffer.repeats = repeats;
  buffer.rearrangeOnHost = rearrangeOnHost;
  buffer.optimiseMemory = optimiseMemory;
  remoteDetail::checkBuffer(where, buffer);
  auto const existing = graph.findRemoteBuffer(buffer.handle);
  if (!existing)
    return HandleAccess::remoteBuffer(graph.addRemoteBuffer(std::move(buffer)));
  if (!remoteDetail::sameBuffer(*existing, buffer))
    cottonwood::base::fail<poplar_error>(
        where, "the handle '", handle, "' is taken by a buffer of ", existing->repeats, " x ",
        existing->numElements, " elements of type ", existing->type, "; this one has ", repeats,
        " x ", numElements, " elements of type ", elementType,
        ", and the flags of both must be equal, too");
  return HandleAccess::remoteBuffer(existing);
}

POP_INLINE FunctionBuffer Graph::addFunctionBuffer(Function const &function,
                                                   FunctionBufferMappingType mappingType) {
  cottonwood::graph::GraphData &graph = data("Graph::addFunctionBuffer");
  cottonwood::base::requireEnumerator<poplar_error>(
      "Graph::addFunctionBuffer", "FunctionBufferMappingType", mappingType, {"REMOTE"});
  if (function.getId() >= graph.numFunctions())
    cottonwood::base::fail<poplar_error>("Graph::addFunctionBuffer",
                                         "the function is none that addFunction returned");
  return cottonwood::graph::HandleAccess::functionBuffer(graph.id(), graph.addFunctionBuffer());
}

POP_INLINE HostFunction Graph::addHostFunction(StringRef handle,
                                               ArrayRef<HostFunctionArgument> inputs,
                                               ArrayRef<HostFunctionArgument> outputs) {
  char const *const where = "Graph::addHostFunction";
  cottonwood::graph::GraphData &graph = data(where);
  auto const id =
      graph.addHostFunction({std::string(handle), remoteDetail::argumentsOf(where, handle, inputs),
                             remoteDetail::argumentsOf(where, handle, outputs)});
  if (!id)
    cottonwood::base::fail<poplar_error>(where, "the handle '", handle,
                                         "' is taken by another host function");
  return cottonwood::graph::HandleAccess::hostFunction(graph.id(), *id);
}

} // namespace poplar
