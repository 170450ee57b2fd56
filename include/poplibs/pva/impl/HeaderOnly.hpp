// All of pva for POPLAR_HEADER_ONLY: every published header, then every body.
// Kept complete by test/structure/lists.pl (--fix rewrites it).
#pragma once

// clang-format off
#include <pva/Compilation.hpp>
#include <pva/Execution.hpp>
#include <pva/Memory.hpp>
#include <pva/Program.hpp>
#include <pva/pva.hpp>

#include <pva/impl/Compilation.ipp>
#include <pva/impl/Execution.ipp>
#include <pva/impl/Memory.ipp>
#include <pva/impl/Program.ipp>
#include <pva/impl/pva.ipp>
// clang-format on
