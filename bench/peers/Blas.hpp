// What peers with the CBLAS interface have in common.
#pragma once

#include <bench/race/Peer.hpp>

namespace cottonwood::bench {

/// Sets how many threads one call uses, for calls from the calling thread.
using SetThreads = void (*)(unsigned threads);

/// sgemm with all threads in each call; a loop of single-threaded calls shared out over the
/// threads, for batches; sgemv for a single row.
std::vector<Way> blasWays(Product const &product, Operands const &operands, std::string const &name,
                          SetThreads setThreads);

} // namespace cottonwood::bench
