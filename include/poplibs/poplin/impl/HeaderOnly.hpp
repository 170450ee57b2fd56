// All of poplin for POPLAR_HEADER_ONLY: every published header, then every body.
// Kept complete by test/structure/lists.pl (--fix rewrites it).
#pragma once

// clang-format off
#include <poplin/ConvParams.hpp>
#include <poplin/ConvPreplan.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/Epilogue.hpp>
#include <poplin/FullyConnected.hpp>
#include <poplin/Fused.hpp>
#include <poplin/Kernels.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/MeshGrid.hpp>
#include <poplin/MultiConvolution.hpp>
#include <poplin/Norms.hpp>
#include <poplin/PlanningCache.hpp>
#include <poplin/Wisdom.hpp>
#include <poplin/codelets.hpp>

#include <poplin/impl/Codelets.ipp>
#include <poplin/impl/ConvBias.ipp>
#include <poplin/impl/ConvCall.ipp>
#include <poplin/impl/ConvCanonical.ipp>
#include <poplin/impl/ConvCheck.ipp>
#include <poplin/impl/ConvCpu.ipp>
#include <poplin/impl/ConvGradient.ipp>
#include <poplin/impl/ConvOperand.ipp>
#include <poplin/impl/ConvOptions.ipp>
#include <poplin/impl/ConvParams.ipp>
#include <poplin/impl/ConvParamsText.ipp>
#include <poplin/impl/ConvPlanning.ipp>
#include <poplin/impl/ConvPreplan.ipp>
#include <poplin/impl/ConvReport.ipp>
#include <poplin/impl/ConvTables.ipp>
#include <poplin/impl/ConvTiles.ipp>
#include <poplin/impl/ConvUtil.ipp>
#include <poplin/impl/ConvWeights.ipp>
#include <poplin/impl/Convolution.ipp>
#include <poplin/impl/EpilogueEmit.ipp>
#include <poplin/impl/FullyConnected.ipp>
#include <poplin/impl/Fused.ipp>
#include <poplin/impl/MatMul.ipp>
#include <poplin/impl/MatMulCalibration.ipp>
#include <poplin/impl/MatMulCheck.ipp>
#include <poplin/impl/MatMulCpu.ipp>
#include <poplin/impl/MatMulCreate.ipp>
#include <poplin/impl/MatMulOperand.ipp>
#include <poplin/impl/MatMulOptions.ipp>
#include <poplin/impl/MatMulPlanning.ipp>
#include <poplin/impl/MatMulTiles.ipp>
#include <poplin/impl/Measure.ipp>
#include <poplin/impl/MeshGrid.ipp>
#include <poplin/impl/MultiConvolution.ipp>
#include <poplin/impl/NormApply.ipp>
#include <poplin/impl/NormCheck.ipp>
#include <poplin/impl/NormSums.ipp>
#include <poplin/impl/Norms.ipp>
#include <poplin/impl/PlanConstraints.ipp>
#include <poplin/impl/RawConv.ipp>
#include <poplin/impl/RawMatMul.ipp>
#include <poplin/impl/TileBlocks.ipp>
#include <poplin/impl/TileEmit.ipp>
#include <poplin/impl/TileGather.ipp>
#include <poplin/impl/TilePlanning.ipp>
#include <poplin/impl/Wisdom.ipp>
// clang-format on
