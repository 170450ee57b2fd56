// The peers of this build and machine.
#pragma once

#include <bench/race/PeerProcess.hpp>

#include <memory>
#include <string>
#include <vector>

namespace cottonwood::bench {

using Peers = std::vector<std::unique_ptr<PeerProcess>>;

/// Starts every peer program that was built (beside this program), each with `threads` threads;
/// libraries that choose slower kernels than the machine has also run a second time with the right
/// ones forced. One that fails is named on standard error and left out.
Peers startPeers(unsigned threads);

/// Ourselves with another tag, as a process of its own.
/// \throws PeerError  it cannot be started.
std::unique_ptr<PeerProcess> startTag(std::string const &tag, unsigned threads);
/// Ourselves, computing everything in float.
std::unique_ptr<PeerProcess> startFloat(unsigned threads);
/// The program that takes the time that a problem must take on this machine; it also knows the
/// command `roofs`.
std::unique_ptr<PeerProcess> startLimit(unsigned threads);

/// The argument upon which this program serves as a contender.
inline constexpr char const *SERVE = "serve";

} // namespace cottonwood::bench
