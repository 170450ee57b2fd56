// The convolutions of ResNet-50.
#pragma once

#include <poplin/ConvParams.hpp>

#include <vector>

namespace cottonwood::bench {

/// All 53, first to last, of 224 x 224 images; the stride of a block is that of its 3 x 3
/// convolution.
std::vector<poplin::ConvParams> resNet50(std::size_t batch, poplar::Type const &type);

} // namespace cottonwood::bench
