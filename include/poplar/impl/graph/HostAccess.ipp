#pragma once
#include <poplar/Graph.hpp>

#include <limits>
#include <poplar/Program.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Enumerators.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/OptionReader.hpp>
#include <poplar/impl/graph/Checks.hpp>
#include <poplar/impl/graph/GraphData.hpp>
#include <poplar/impl/graph/HandleAccess.hpp>
#include <poplar/impl/program/Access.hpp>

// Host reads and writes, streams, functions.

namespace cottonwood::graph::detail {

POP_INLINE void readStreamOptions(char const *where, poplar::OptionFlags const &options,
                                  StreamData &stream) {
  base::OptionReader reader(where, options);
  stream.splitLimitBytes = 50 * 1024 * 1024;
  reader.integer("bufferingDepth", stream.bufferingDepth, 1u, std::numeric_limits<unsigned>::max());
  reader.integer("splitLimit", stream.splitLimitBytes);
  reader.finish();
}

POP_INLINE char const *directionText(poplar::DataStreamType type) {
  return poplar::isHostToDevice(type) ? "host to device" : "device to host";
}

/// The stream, made unless the same one exists.
POP_INLINE poplar::DataStream addStream(char const *where, GraphData &graph, StreamData stream) {
  if (stream.type == poplar::Type())
    base::fail<poplar::poplar_error>(where, "the element type of stream '", stream.handle,
                                     "' is unset");
  stream.numReplicas = graph.numReplicas() * stream.group;
  std::shared_ptr<StreamData const> const existing = graph.findStream(stream.handle);
  if (!existing)
    return HandleAccess::stream(graph.addStream(std::move(stream)));
  bool const isSame = existing->type == stream.type &&
                      existing->numElements == stream.numElements &&
                      existing->direction == stream.direction && existing->mode == stream.mode &&
                      existing->numReplicas == stream.numReplicas;
  if (!isSame)
    base::fail<poplar::poplar_error>(
        where, "the handle '", stream.handle, "' is taken by a stream of ", existing->numElements,
        " elements of type ", existing->type, ", ", directionText(existing->direction),
        "; this one has ", stream.numElements, " elements of type ", stream.type, ", ",
        directionText(stream.direction));
  return HandleAccess::stream(existing);
}

} // namespace cottonwood::graph::detail

namespace poplar {

// ---- DataStream

POP_INLINE DataStream::DataStream() = default;
POP_INLINE DataStream::DataStream(DataStream const &other) = default;
POP_INLINE DataStream::DataStream(DataStream &&other) noexcept = default;
POP_INLINE DataStream::~DataStream() = default;
POP_INLINE DataStream &DataStream::operator=(DataStream const &other) = default;
POP_INLINE DataStream &DataStream::operator=(DataStream &&other) noexcept = default;

POP_INLINE cottonwood::graph::StreamData const &DataStream::data(char const *query) const {
  if (!data_)
    cottonwood::base::fail<poplar_error>(std::string("DataStream::") + query,
                                         "the stream is default-constructed");
  return *data_;
}

POP_INLINE std::string DataStream::handle() const { return data("handle").handle; }
POP_INLINE std::size_t DataStream::numElements() const { return data("numElements").numElements; }
POP_INLINE unsigned DataStream::replicationFactor() const {
  return data("replicationFactor").numReplicas;
}
POP_INLINE ReplicatedStreamMode DataStream::replicatedMode() const {
  return data("replicatedMode").mode;
}
POP_INLINE DataStreamType DataStream::type() const { return data("type").direction; }
POP_INLINE Type DataStream::elementType() const { return data("elementType").type; }

// ---- Graph

POP_INLINE void Graph::createHostWrite(StringRef handle, Tensor const &t, bool) {
  char const *const where = "Graph::createHostWrite";
  cottonwood::graph::GraphData &graph = data(where);
  cottonwood::graph::View const &view = cottonwood::graph::checkedView(where, "t", t, graph);
  cottonwood::graph::checkWriteable(where, "t", view);
  if (!graph.addHostWrite({handle, allInstances(graph, view, replicasOf(graph, view))}))
    cottonwood::base::fail<poplar_error>(where, "the handle '", handle,
                                         "' is taken by another host write");
}

POP_INLINE void Graph::createHostRead(StringRef handle, Tensor const &t, bool) {
  char const *const where = "Graph::createHostRead";
  cottonwood::graph::GraphData &graph = data(where);
  cottonwood::graph::View const &view = cottonwood::graph::checkedView(where, "t", t, graph);
  if (!graph.addHostRead({handle, allInstances(graph, view, replicasOf(graph, view))}))
    cottonwood::base::fail<poplar_error>(where, "the handle '", handle,
                                         "' is taken by another host read");
}

POP_INLINE DataStream Graph::addHostToDeviceFIFO(StringRef handle, Type const &elementType,
                                                 std::size_t numElements,
                                                 ReplicatedStreamMode replicatedMode,
                                                 OptionFlags const &options) {
  char const *const where = "Graph::addHostToDeviceFIFO";
  cottonwood::base::requireEnumerator<poplar_error>(where, "ReplicatedStreamMode", replicatedMode,
                                                    {"REPLICATE", "BROADCAST"});
  cottonwood::graph::StreamData stream;
  stream.handle = handle;
  stream.type = elementType;
  stream.numElements = numElements;
  stream.direction = DataStreamType::HostToDeviceFIFO;
  stream.mode = replicatedMode;
  stream.group = replicas_;
  cottonwood::graph::detail::readStreamOptions(where, options, stream);
  return cottonwood::graph::detail::addStream(where, data(where), std::move(stream));
}

POP_INLINE DataStream Graph::addDeviceToHostFIFO(StringRef handle, Type const &elementType,
                                                 std::size_t numElements,
                                                 OptionFlags const &options) {
  char const *const where = "Graph::addDeviceToHostFIFO";
  cottonwood::graph::StreamData stream;
  stream.handle = handle;
  stream.type = elementType;
  stream.numElements = numElements;
  stream.direction = DataStreamType::DeviceToHostFIFO;
  stream.group = replicas_;
  cottonwood::graph::detail::readStreamOptions(where, options, stream);
  return cottonwood::graph::detail::addStream(where, data(where), std::move(stream));
}

POP_INLINE Function Graph::addFunction(program::Program const &program) {
  cottonwood::graph::GraphData &graph = data("Graph::addFunction");
  return cottonwood::graph::HandleAccess::function(
      graph.id(), graph.addFunction(cottonwood::program::Access::node(program)));
}

} // namespace poplar
