// The end of the pipes where a contender in a process of its own obeys commands; PeerProcess is
// the other end. Commands and answers are one line each.
//
//   (start)          peer DESCRIPTION
//   problem TEXT     way RESULT NAME    takes on a problem; RESULT is float, half or none; without
//                                       a name it cannot be computed
//   sample           values X...        elements of the result, in hexadecimal
//   count N          ready              batches are of N problems from now on
//   batch            seconds S          the problem once unmeasured, then a batch
#pragma once

#include <bench/race/Contender.hpp>

#include <functional>
#include <map>

namespace cottonwood::bench {

/// Further commands without arguments, and what gives their answers.
using Commands = std::map<std::string, std::function<std::string()>>;

/// Obeys commands from standard input until it is closed. \returns what main() does.
int serve(Contender &contender, std::string const &description, Commands const &more = {});

} // namespace cottonwood::bench
