// Data between the host and the device: streams, and buffers that the device keeps on the host.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_DATASTREAM_HPP
#define POPLAR_DATASTREAM_HPP

#include <cstddef>
#include <memory>
#include <poplar/DataStreamType.hpp>
#include <poplar/ReplicatedStreamMode.hpp>
#include <poplar/Type.hpp>
#include <string>

namespace cottonwood {
namespace graph {
struct HandleAccess;
struct RemoteBufferData;
struct StreamData;
} // namespace graph
} // namespace cottonwood

namespace poplar {

/// A stream made by Graph::addHostToDeviceFIFO or addDeviceToHostFIFO. A cheap value; a
/// default-constructed one may only be assigned to or destroyed: its queries throw poplar_error.
class POP_API DataStream {
public:
  DataStream();
  DataStream(DataStream const &other);
  DataStream(DataStream &&other) noexcept;
  ~DataStream();
  DataStream &operator=(DataStream const &other);
  DataStream &operator=(DataStream &&other) noexcept;

  /// The name that Engine::connectStream takes.
  std::string handle() const;
  /// Elements that one transfer moves.
  std::size_t numElements() const;
  unsigned replicationFactor() const;
  ReplicatedStreamMode replicatedMode() const;
  DataStreamType type() const;
  Type elementType() const;

private:
  friend struct cottonwood::graph::HandleAccess;
  cottonwood::graph::StreamData const &data(char const *query) const;
  std::shared_ptr<cottonwood::graph::StreamData const> data_;
};

/// Rows of elements outside the tiles, made by Graph::addRemoteBuffer. A cheap value; a
/// default-constructed one may only be assigned to or destroyed: its queries throw poplar_error.
class POP_API RemoteBuffer {
public:
  RemoteBuffer();
  RemoteBuffer(RemoteBuffer const &other);
  RemoteBuffer(RemoteBuffer &&other) noexcept;
  ~RemoteBuffer();
  RemoteBuffer &operator=(RemoteBuffer const &other);
  RemoteBuffer &operator=(RemoteBuffer &&other) noexcept;

  /// The name that Engine::copyToRemoteBuffer and copyFromRemoteBuffer take.
  std::string handle() const;
  /// The two halves as streams, to ask for their properties; a Copy takes the buffer itself.
  DataStream getIpuToHostStream() const;
  DataStream getHostToIpuStream() const;
  /// Elements of one row.
  std::size_t numElements() const;
  /// Rows.
  std::size_t getRepeats() const;
  Type elementType() const;
  bool isRearrangeOnHost() const;
  bool isOptimisedForMemory() const;

  /// The same buffer of the same graph.
  bool operator==(RemoteBuffer const &b) const;
  bool operator!=(RemoteBuffer const &b) const;

private:
  friend struct cottonwood::graph::HandleAccess;
  cottonwood::graph::RemoteBufferData const &data(char const *query) const;
  std::shared_ptr<cottonwood::graph::RemoteBufferData const> data_;
};

} // namespace poplar

#endif
