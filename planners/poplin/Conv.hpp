// Planning of convolutions.
#pragma once

#include "ConvCpu.hpp"
#include "TilePlanner.hpp"
