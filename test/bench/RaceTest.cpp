#include <bench/race/Race.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <unistd.h>

using namespace cottonwood::bench;

namespace {

/// Takes a time that we choose, and writes down when it ran.
class Fake : public Contender {
public:
  Fake(std::string name, double seconds, std::string &log)
      : name_(std::move(name)), seconds_(seconds), log_(log) {}

  pid_t process() const override { return getpid(); }
  std::string way() const override { return name_; }
  Result result() const override { return result_; }
  bool prepare(Problem const &problem) override {
    ++prepared;
    values_ = referenceOf(problem).values;
    values_.front() += error;
    return able;
  }
  std::vector<double> sample() override { return values_; }
  void setBatch(unsigned count) override { count_ = count; }
  double runBatch() override {
    if (dies)
      throw PeerError(name_ + " has ended");
    log_ += name_;
    return seconds_ * count_;
  }

  double error = 0;
  Result result_ = Result::FLOAT;
  bool able = true, dies = false;
  unsigned prepared = 0;
  unsigned count() const { return count_; }

private:
  std::string name_;
  double seconds_;
  std::string &log_;
  std::vector<double> values_;
  unsigned count_ = 1;
};

Problem const PRODUCT = Product{.m = 4, .n = 4, .k = 4};
// Nothing here takes time, so nothing can be disturbed.
RaceSettings const SETTINGS{.batchSeconds = 1, .rounds = 4, .disturbed = 1e9};

} // namespace

TEST_SUITE("bench/race") {
  TEST_CASE("the fastest peer is the one that counts") {
    std::string log;
    Fake ours("o", 0.1, log), slow("s", 0.5, log), fast("f", 0.05, log);
    RaceResult const result = Race(ours, {&slow, &fast}, SETTINGS).run(PRODUCT);
    CHECK(result.peer == "f");
    CHECK(result.ours == doctest::Approx(0.1));
    CHECK(result.theirs == doctest::Approx(0.05));
    REQUIRE(result.ratios.size() == 4);
    CHECK(result.ratios[0] == doctest::Approx(0.5));
    CHECK(result.complaint.empty());
    CHECK_FALSE(result.disturbed);
  }

  TEST_CASE("the race alternates, each round beginning with the other one") {
    std::string log;
    Fake ours("o", 0.1, log), peer("p", 0.1, log);
    Race(ours, {&peer}, SETTINGS).run(PRODUCT);
    CHECK(log.ends_with("oppooppo"));
  }

  TEST_CASE("rounds of problems that a cache may hold are shared among places in memory") {
    std::string log;
    Fake ours("o", 0.1, log), peer("p", 0.2, log);
    RaceSettings settings = SETTINGS;
    settings.placements = 3;
    RaceResult const result =
        Race(ours, {&peer}, settings).run(Product{.m = 256, .n = 256, .k = 64});
    CHECK(ours.prepared == 3);
    CHECK(peer.prepared == 3);
    CHECK(result.ratios.size() == 6); // two rounds in each
    CHECK(ours.count() == 10);
    Race(ours, {&peer}, settings).run(PRODUCT);
    CHECK(ours.prepared == 4);
  }

  TEST_CASE("a batch has as many problems as fill its time") {
    std::string log;
    Fake ours("o", 0.1, log), peer("p", 0.02, log);
    Race(ours, {&peer}, SETTINGS).run(PRODUCT);
    CHECK(ours.count() == 10);
    CHECK(peer.count() == 50);
  }

  TEST_CASE("peers far behind do not enter the race, close ones do") {
    std::string log;
    Fake ours("o", 0.1, log), best("b", 0.1, log), close("c", 0.105, log), far("f", 0.2, log);
    Race(ours, {&far, &close, &best}, SETTINGS).run(PRODUCT);
    std::string const race = log.substr(log.size() - 4 * 3);
    CHECK(race.find('f') == std::string::npos);
    CHECK(race.find('c') != std::string::npos);
  }

  TEST_CASE("a peer that computes wrong values is reported and does not count") {
    std::string log;
    Fake ours("o", 0.1, log), wrong("w", 0.01, log), right("r", 0.2, log);
    wrong.error = 1;
    RaceResult const result = Race(ours, {&wrong, &right}, SETTINGS).run(PRODUCT);
    CHECK(result.peer == "r");
    CHECK(result.complaint.starts_with("w computes wrong values"));
    CHECK(result.worstError > 1);
  }

  TEST_CASE("our own wrong values end the race") {
    std::string log;
    Fake ours("o", 0.1, log), peer("p", 0.1, log);
    ours.error = 1;
    RaceResult const result = Race(ours, {&peer}, SETTINGS).run(PRODUCT);
    CHECK(result.peer.empty());
    CHECK(result.complaint.starts_with("o computes wrong values"));
  }

  TEST_CASE("a peer that cannot compute a problem stays out of it without complaint") {
    std::string log;
    Fake ours("o", 0.1, log), unable("u", 0.01, log);
    unable.able = false;
    RaceResult const result = Race(ours, {&unable}, SETTINGS).run(PRODUCT);
    CHECK(result.peer.empty());
    CHECK(result.complaint.empty());
    CHECK(result.ours == doctest::Approx(0.1));
  }

  TEST_CASE("a limit computes nothing, so its values are not looked at") {
    std::string log;
    Fake ours("o", 0.1, log), limit("l", 0.05, log);
    limit.error = 1, limit.result_ = Result::NONE;
    RaceResult const result = Race(ours, {&limit}, SETTINGS).run(PRODUCT);
    CHECK(result.peer == "l");
    CHECK(result.complaint.empty());
  }

  TEST_CASE("a race has at least fifteen pairs unless told otherwise") {
    std::string log;
    Fake ours("o", 0.1, log), peer("p", 0.1, log);
    RaceResult const result = Race(ours, {&peer}, {.disturbed = 1e9}).run(PRODUCT);
    CHECK(result.ratios.size() >= 15);
  }

  TEST_CASE("times of all are in the order of the field, those of very slow ones from the trial") {
    std::string log;
    Fake a("a", 0.1, log), b("b", 5, log), c("c", 0.05, log);
    RaceResult result;
    auto const times = Race(a, {&b, &c}, SETTINGS).times(PRODUCT, result);
    REQUIRE(times.size() == 3);
    CHECK(times[0].seconds == doctest::Approx(0.1));
    CHECK(times[1].seconds == doctest::Approx(5));
    CHECK(times[1].trialOnly);
    CHECK(times[2].way == "c");
    CHECK_FALSE(times[2].trialOnly);
  }

  TEST_CASE("times of those who died or are wrong are missing, now and later") {
    std::string log;
    Fake a("a", 0.1, log), dead("d", 0.1, log), wrong("w", 0.1, log);
    dead.dies = true, wrong.error = 1;
    Race race(a, {&dead, &wrong}, SETTINGS);
    for (int i = 0; i < 2; ++i) {
      RaceResult result;
      auto const times = race.times(PRODUCT, result);
      REQUIRE(times.size() == 3);
      CHECK(times[0].way == "a");
      CHECK(times[1].way.empty());
      CHECK(times[2].way.empty());
    }
  }

  TEST_CASE("a peer that died is reported, and the others go on") {
    std::string log;
    Fake ours("o", 0.1, log), dead("d", 0.01, log), peer("p", 0.1, log);
    dead.dies = true;
    Race race(ours, {&dead, &peer}, SETTINGS);
    RaceResult const first = race.run(PRODUCT), second = race.run(PRODUCT);
    CHECK(first.complaint == "d has ended");
    CHECK(first.peer == "p");
    CHECK(second.complaint.empty());
  }
}
