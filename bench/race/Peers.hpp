// The peers of this build and machine.
#pragma once

#include <bench/race/PeerProcess.hpp>

#include <memory>
#include <vector>

namespace cottonwood::bench {

/// Starts every peer program that was built (beside this program), each with `threads` threads;
/// libraries that choose slower kernels than the machine has also run a second time with the right
/// ones forced. One that fails is named on standard error and left out.
std::vector<std::unique_ptr<PeerProcess>> startPeers(unsigned threads);

} // namespace cottonwood::bench
