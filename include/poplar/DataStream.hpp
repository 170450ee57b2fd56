// A stream of data between the host and the device.
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

} // namespace poplar

#endif
