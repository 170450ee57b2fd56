// The peers of this build and machine.
#pragma once

#include <bench/race/PeerProcess.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cottonwood::bench {

using Peers = std::vector<std::unique_ptr<PeerProcess>>;

/// Who may be a peer; which were built depends on what is installed.
inline constexpr std::string_view LIBRARIES[] = {"eigen", "openblas", "onednn", "blis", "xnnpack"};

/// "onednn" of "onednn" and of "onednn(reorders)", a way as rows print it.
std::string libraryOf(std::string const &way);

/// Starts every peer program that was built (beside this program), each with `threads` threads;
/// libraries that choose slower kernels than the machine has also run a second time with the right
/// ones forced. One that fails is named on standard error and left out.
Peers startPeers(unsigned threads);

/// One of LIBRARIES as it is shipped, or, with the name of a way, that way alone: of all the
/// kernels it may be forced to use. \throws PeerError  it was not built, or cannot be started.
Peers startLibrary(std::string const &way, unsigned threads);

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
