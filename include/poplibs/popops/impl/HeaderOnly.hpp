// All of popops for POPLAR_HEADER_ONLY: every published header, then every body.
// Kept complete by test/structure/lists.pl (--fix rewrites it).
#pragma once

// clang-format off
#include <popops/AllTrue.hpp>
#include <popops/Cast.hpp>
#include <popops/CircBuf.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/ElementWiseUtil.hpp>
#include <popops/EncodingConstants.hpp>
#include <popops/Expr.hpp>
#include <popops/ExprOp.hpp>
#include <popops/ExprOpUtils.hpp>
#include <popops/Fill.hpp>
#include <popops/Gather.hpp>
#include <popops/HostSliceTensor.hpp>
#include <popops/Loop.hpp>
#include <popops/Operation.hpp>
#include <popops/OperationDef.hpp>
#include <popops/OperationDefUtil.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/Scatter.hpp>
#include <popops/SequenceSlice.hpp>
#include <popops/Zero.hpp>
#include <popops/codelets.hpp>

#include <popops/impl/Cast.ipp>
#include <popops/impl/CircBuf.ipp>
#include <popops/impl/Codelets.ipp>
#include <popops/impl/DynamicSlice.ipp>
#include <popops/impl/ElementWise.ipp>
#include <popops/impl/ElementWiseUtil.ipp>
#include <popops/impl/Expr.ipp>
#include <popops/impl/ExprOpUtils.ipp>
#include <popops/impl/Fill.ipp>
#include <popops/impl/Gather.ipp>
#include <popops/impl/HostSliceTensor.ipp>
#include <popops/impl/IndexVectors.ipp>
#include <popops/impl/Loop.ipp>
#include <popops/impl/MapEmit.ipp>
#include <popops/impl/MapOperand.ipp>
#include <popops/impl/MapTerm.ipp>
#include <popops/impl/MultiCall.ipp>
#include <popops/impl/MultiSlice.ipp>
#include <popops/impl/Operation.ipp>
#include <popops/impl/Partition.ipp>
#include <popops/impl/Reduce.ipp>
#include <popops/impl/ReduceEmit.ipp>
#include <popops/impl/ScaledAdd.ipp>
#include <popops/impl/Scatter.ipp>
#include <popops/impl/SequenceSlice.ipp>
#include <popops/impl/SliceCall.ipp>
#include <popops/impl/SliceCreate.ipp>
#include <popops/impl/SliceEmit.ipp>
#include <popops/impl/SliceLayout.ipp>
#include <popops/impl/SliceOptions.ipp>
#include <popops/impl/SlicePlan.ipp>
// clang-format on
