#include <bench/race/Idle.hpp>
#include <bench/race/PeerProcess.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <csignal>
#include <string>
#include <thread>

#include <unistd.h>

using namespace cottonwood::bench;

namespace {

std::string errorOf(std::string const &program) {
  try {
    PeerProcess const peer(program, {});
  } catch (PeerError const &error) {
    return error.what();
  }
  return "no error";
}

} // namespace

TEST_SUITE("bench/peer") {
  TEST_CASE("a peer introduces itself, computes and is timed") {
    PeerProcess peer(TEST_PEER, {});
    CHECK(peer.description() == "longhand 1.0");
    Problem const problem = Product{.batch = 2, .m = 5, .n = 6, .k = 7};
    REQUIRE(peer.prepare(problem));
    CHECK(peer.way() == "longhand");
    CHECK(peer.result() == Result::FLOAT);
    CHECK(worstError(referenceOf(problem), peer.sample()) <= allowedErrorOf(problem, false));
    peer.setBatch(100);
    CHECK(peer.runBatch() > 0);
  }

  TEST_CASE("a peer that cannot compute a problem says so and takes the next one") {
    PeerProcess peer(TEST_PEER, {});
    CHECK_FALSE(peer.prepare(Product{.m = 2, .n = 2, .k = 2, .transposedA = true}));
    CHECK_FALSE(peer.prepare(Conv{.size = 2}));
    CHECK(peer.way().empty());
    CHECK(peer.prepare(Product{.m = 2, .n = 2, .k = 2}));
  }

  TEST_CASE("a command that a peer does not know is an error") {
    PeerProcess peer(TEST_PEER, {});
    CHECK_THROWS_WITH_AS(peer.ask("roofs", "roofs"),
                         "bench-test-peer answers 'error unknown command' where 'roofs' was "
                         "expected",
                         PeerError);
  }

  TEST_CASE("programs that are no peers are named in the error") {
    CHECK(errorOf("/nonexistent/peer").starts_with("/nonexistent/peer does not start: "));
    CHECK(errorOf("/bin/true") == "true has ended");
    CHECK(errorOf("/bin/echo") == "echo answers '' where 'peer' was expected");
  }

  TEST_CASE("a peer that dies is an error, not the driver's death") {
    PeerProcess peer(TEST_PEER, {});
    REQUIRE(peer.prepare(Product{.m = 2, .n = 2, .k = 2}));
    kill(peer.process(), SIGKILL);
    CHECK_THROWS_AS(peer.runBatch(), PeerError);
  }

  TEST_CASE("a waiting process is idle, a spinning thread is not") {
    PeerProcess const peer(TEST_PEER, {});
    pid_t const processes[] = {peer.process()};
    CHECK(waitUntilIdle(processes, std::chrono::seconds(10)));
    std::atomic<bool> stop{false};
    std::thread spinning([&] {
      while (!stop)
        std::this_thread::yield();
    });
    pid_t const self[] = {getpid()};
    CHECK_FALSE(waitUntilIdle(self, std::chrono::milliseconds(20)));
    stop = true;
    spinning.join();
    CHECK(waitUntilIdle(self, std::chrono::seconds(10)));
  }
}
