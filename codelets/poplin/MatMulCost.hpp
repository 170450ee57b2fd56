/// \file MatMulCost.hpp
/// What planners and profiles need to know of the kernels of matrix products. Standard library
/// only, as what it includes.
#pragma once

#include <codelets/poplin/MatMulChoice.hpp>
#include <codelets/poplin/MatMulTileBlocking.hpp>
#include <codelets/poplin/MatMulWorkspace.hpp>
