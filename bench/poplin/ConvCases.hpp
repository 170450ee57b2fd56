// The convolutions of the families conv and conv-half.
#pragma once

#include <bench/Cases.hpp>

namespace cottonwood::bench {

/// Every problem comes in two layouts, which end the names of its groups: /own is everybody in the
/// layout that they like best, /plain with row-major tensors in and out.
///
/// Groups: resnet50-b1 and resnet50-b4 (all layers of ResNet-50 at batch 1 and 4), and of these
/// stem, one-by-one and three-by-three; depthwise; grouped; gradients (of data and of weights).
std::vector<Case> convCases();
/// The same with operands and results of half and sums in float, and the groups partials, where
/// sums may be half.
std::vector<Case> convHalfCases();

} // namespace cottonwood::bench
