// All of poputil for POPLAR_HEADER_ONLY: every published header, then every body.
// Kept complete by test/structure/lists.pl (--fix rewrites it).
#pragma once

// clang-format off
#include <poputil/Broadcast.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/GraphFunction.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/TensorMetaData.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/VarStructure.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/cyclesTables.hpp>
#include <poputil/exceptions.hpp>

#include <poputil/impl/Broadcast.ipp>
#include <poputil/impl/CloneToTiles.ipp>
#include <poputil/impl/DebugInfo.ipp>
#include <poputil/impl/GraphFunction.ipp>
#include <poputil/impl/OptionParsing.ipp>
#include <poputil/impl/TensorMetaData.ipp>
#include <poputil/impl/TensorUseTracker.ipp>
#include <poputil/impl/TileMapping.ipp>
#include <poputil/impl/Util.ipp>
#include <poputil/impl/VarStructure.ipp>
#include <poputil/impl/cyclesTables.ipp>
#include <poputil/impl/exceptions.ipp>
// clang-format on
