// All of pva for POPLAR_HEADER_ONLY: every published header, then every body.
// Kept complete by test/structure/lists.pl (--fix rewrites it).
#pragma once

// clang-format off
#include <pva/pva.hpp>

#include <pva/impl/pva.ipp>
// clang-format on
