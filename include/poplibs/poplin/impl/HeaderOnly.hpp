// All of poplin for POPLAR_HEADER_ONLY: every published header, then every body.
// Kept complete by test/structure/lists.pl (--fix rewrites it).
#pragma once

// clang-format off
#include <poplin/ConvParams.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/FullyConnected.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/PlanningCache.hpp>
#include <poplin/codelets.hpp>

#include <poplin/impl/Codelets.ipp>
#include <poplin/impl/ConvCanonical.ipp>
#include <poplin/impl/ConvGradient.ipp>
#include <poplin/impl/ConvParams.ipp>
#include <poplin/impl/ConvParamsText.ipp>
#include <poplin/impl/ConvUtil.ipp>
#include <poplin/impl/FullyConnected.ipp>
#include <poplin/impl/MatMul.ipp>
#include <poplin/impl/MatMulCheck.ipp>
#include <poplin/impl/MatMulCpu.ipp>
#include <poplin/impl/MatMulCreate.ipp>
#include <poplin/impl/MatMulOperand.ipp>
#include <poplin/impl/MatMulOptions.ipp>
#include <poplin/impl/MatMulPlanning.ipp>
#include <poplin/impl/MatMulTiles.ipp>
// clang-format on
