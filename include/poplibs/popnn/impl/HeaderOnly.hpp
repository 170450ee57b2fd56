// All of popnn for POPLAR_HEADER_ONLY: every published header, then every body.
// Kept complete by test/structure/lists.pl (--fix rewrites it).
#pragma once

// clang-format off
#include <popnn/BatchNorm.hpp>
#include <popnn/GroupNorm.hpp>
#include <popnn/InstanceNorm.hpp>
#include <popnn/LayerNorm.hpp>
#include <popnn/LogSoftmax.hpp>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/NonLinearityDef.hpp>
#include <popnn/NonLinearityDefUtil.hpp>
#include <popnn/Norms.hpp>
#include <popnn/Pooling.hpp>
#include <popnn/PoolingDef.hpp>
#include <popnn/SpatialSoftMax.hpp>
#include <popnn/codelets.hpp>

#include <popnn/impl/BatchNorm.ipp>
#include <popnn/impl/Codelets.ipp>
#include <popnn/impl/GroupNorm.ipp>
#include <popnn/impl/InstanceNorm.ipp>
#include <popnn/impl/LayerNorm.ipp>
#include <popnn/impl/Loss.ipp>
#include <popnn/impl/NonLinearity.ipp>
#include <popnn/impl/NonLinearityDef.ipp>
#include <popnn/impl/NormCalls.ipp>
#include <popnn/impl/Norms.ipp>
#include <popnn/impl/PoolEmit.ipp>
#include <popnn/impl/Pooling.ipp>
#include <popnn/impl/SharedRows.ipp>
#include <popnn/impl/SpatialSoftMax.ipp>
// clang-format on
