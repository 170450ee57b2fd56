// All of poprand for POPLAR_HEADER_ONLY: every published header, then every body.
// Kept complete by test/structure/lists.pl (--fix rewrites it).
#pragma once

// clang-format off
#include <poprand/RandomGen.hpp>
#include <poprand/codelets.hpp>

#include <poprand/impl/Bounds.ipp>
#include <poprand/impl/Codelets.ipp>
#include <poprand/impl/Draw.ipp>
#include <poprand/impl/RandomGen.ipp>
// clang-format on
