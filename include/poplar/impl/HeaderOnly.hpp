// All of poplar for POPLAR_HEADER_ONLY: every published header, then every body.
// Kept complete by test/structure/lists.pl (--fix rewrites it).
#pragma once

// clang-format off
#include <poplar/Alignment.hpp>
#include <poplar/ArrayRef.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Device.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/FieldTypes.hpp>
#include <poplar/GlobalExchangeConstraints.hpp>
#include <poplar/HalfFloat.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/InOutTypes.hpp>
#include <poplar/Interval.hpp>
#include <poplar/IpuLinkConfiguration.hpp>
#include <poplar/IpuLinkTopology.hpp>
#include <poplar/Loops.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/ReplicatedStreamMode.hpp>
#include <poplar/SerializationFormat.hpp>
#include <poplar/StackSizeDefs.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/SyncType.hpp>
#include <poplar/Target.hpp>
#include <poplar/TargetType.hpp>
#include <poplar/TileConstants.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeConversion.hpp>
#include <poplar/TypeTraits.hpp>
#include <poplar/VectorLayout.hpp>
#include <poplar/VectorListTypes.hpp>
#include <poplar/VectorTypes.hpp>
#include <poplar/Vertex.hpp>
#include <poplar/exceptions.hpp>

#include <poplar/impl/base/DebugContext.ipp>
#include <poplar/impl/base/Exceptions.ipp>
#include <poplar/impl/base/Log.ipp>
#include <poplar/impl/base/OptionFlags.ipp>
#include <poplar/impl/base/ProfileValue.ipp>
#include <poplar/impl/base/StringRef.ipp>
#include <poplar/impl/base/ThreadPool.ipp>
#include <poplar/impl/base/Type.ipp>
#include <poplar/impl/base/TypeConversion.ipp>
#include <poplar/impl/model/Device.ipp>
#include <poplar/impl/model/Generation.ipp>
#include <poplar/impl/model/IPUModel.ipp>
#include <poplar/impl/model/Machine.ipp>
#include <poplar/impl/model/Target.ipp>
// clang-format on
