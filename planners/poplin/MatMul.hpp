// Planning of matrix products.
#pragma once

#include "MatMulCpu.hpp"
#include "TilePlanner.hpp"
