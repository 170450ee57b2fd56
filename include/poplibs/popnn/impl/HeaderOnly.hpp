// All of popnn for POPLAR_HEADER_ONLY: every published header, then every body.
// Kept complete by test/structure/lists.pl (--fix rewrites it).
#pragma once

// clang-format off
#include <popnn/LogSoftmax.hpp>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/NonLinearityDef.hpp>
#include <popnn/NonLinearityDefUtil.hpp>
#include <popnn/codelets.hpp>

#include <popnn/impl/Codelets.ipp>
#include <popnn/impl/Loss.ipp>
#include <popnn/impl/NonLinearity.ipp>
#include <popnn/impl/NonLinearityDef.ipp>
// clang-format on
