#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/exceptions.hpp>
#include <sstream>
#include <string>
#include <utility>

using poplar::poplar_error;
using poplar::ProfileValue;

namespace {

std::string json(ProfileValue const &value, bool pretty = false) {
  std::ostringstream stream;
  poplar::serializeToJSON(stream, value, pretty);
  return stream.str();
}

ProfileValue sample() {
  return ProfileValue::Map{
      {"list", ProfileValue::Vector{1, -2, 2.5, "te\"xt\n", ProfileValue(true)}},
      {"map", ProfileValue::Map{{"big", std::numeric_limits<std::uint64_t>::max()}}},
      {"none", ProfileValue()}};
}

} // namespace

TEST_SUITE("poplar/base/ProfileValue") {
  TEST_CASE("each kind of argument makes its kind of value") {
    using Type = ProfileValue::Type;
    CHECK(ProfileValue().type() == Type::MAP);
    CHECK(ProfileValue("x").type() == Type::STRING);
    CHECK(ProfileValue(std::string("x")).type() == Type::STRING);
    CHECK(ProfileValue(true).type() == Type::BOOL_);
    CHECK(ProfileValue(1).type() == Type::NUMBER);
    CHECK(ProfileValue('c').type() == Type::NUMBER);
    CHECK(ProfileValue(1.5).type() == Type::NUMBER);
    CHECK(ProfileValue(ProfileValue::Vector()).type() == Type::VECTOR);
  }

  TEST_CASE("integers are exact over all 64 bits") {
    auto const max = std::numeric_limits<std::uint64_t>::max();
    auto const min = std::numeric_limits<std::int64_t>::min();
    CHECK(ProfileValue(max).asUint() == max);
    CHECK(ProfileValue(min).asInt() == min);
    CHECK(ProfileValue(-5).asInt() == -5);
    CHECK(ProfileValue(-5).asDouble() == -5.0);
    CHECK(ProfileValue(2.9).asInt() == 2);
    CHECK_THROWS_AS(ProfileValue(max).asInt(), poplar_error);
    CHECK_THROWS_AS(ProfileValue(-1).asUint(), poplar_error);
    CHECK_THROWS_AS(ProfileValue(1e300).asInt(), poplar_error);
    CHECK_THROWS_AS(ProfileValue(std::nan("")).asUint(), poplar_error);
  }

  TEST_CASE("asking for another kind, a missing key or a bad index is an error") {
    CHECK_THROWS_WITH_AS(ProfileValue("x").asInt(),
                         "poplar::ProfileValue: this is a string, not a number", poplar_error);
    CHECK_THROWS_AS(ProfileValue(1).asString(), poplar_error);
    CHECK_THROWS_AS(ProfileValue(1).asBool(), poplar_error);
    CHECK_THROWS_AS(ProfileValue(1).size(), poplar_error);
    CHECK_THROWS_AS(sample()["missing"], poplar_error);
    CHECK_THROWS_AS(sample()["list"][5], poplar_error);
    CHECK_THROWS_AS(sample()["map"][0], poplar_error);
    CHECK(sample().getOrNull("missing") == nullptr);
  }

  TEST_CASE("values copy deeply, move, and compare by content") {
    auto const value = sample();
    auto copy = value;
    CHECK(copy == value);
    auto const moved = std::move(copy);
    CHECK(moved == value);
    CHECK(moved != ProfileValue());
    CHECK(ProfileValue(1) == ProfileValue(1.0));
    CHECK(ProfileValue(1) != ProfileValue(true));
    CHECK(ProfileValue(-1) != ProfileValue(std::numeric_limits<std::uint64_t>::max()));
    ProfileValue assigned;
    assigned = true;
    CHECK(assigned.asBool());
    assigned = 3;
    CHECK(assigned.asInt() == 3);
    assigned = "text";
    CHECK(assigned.asString() == "text");
  }

  TEST_CASE("vectors of numbers sum up") {
    ProfileValue const row = ProfileValue::Vector{1, 2, 3};
    ProfileValue const rows = ProfileValue::Vector{row, row};
    CHECK(row.sumInt() == 6);
    CHECK(row.sumUint() == 6);
    CHECK(row.sumDouble() == 6.0);
    CHECK(rows.sum2DInt() == 12);
    CHECK(rows.sum2DUint() == 12);
    CHECK(row.toUintVector() == std::vector<std::uint64_t>{1, 2, 3});
    CHECK(ProfileValue(ProfileValue::Vector()).sumInt() == 0);
  }

  TEST_CASE("JSON comes on one line or indented") {
    CHECK(
        json(sample()) ==
        R"({"list": [1, -2, 2.5, "te\"xt\n", true], "map": {"big": 18446744073709551615}, "none": {}})");
    CHECK(json(ProfileValue::Map{{"a", ProfileValue::Vector{1, 2}}, {"b", ProfileValue::Vector()}},
               true) == "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": []\n}");
    CHECK(json(std::string("\x01\t", 2)) == "\"\\u0001\\t\"");
    CHECK(json(std::numeric_limits<double>::infinity()) == "null");
    CHECK(json(0.1) == "0.1");
    std::ostringstream stream;
    stream << sample()["list"];
    CHECK(stream.str() == R"([1, -2, 2.5, "te\"xt\n", true])");
  }

  TEST_CASE("an independent reader gets the same tree from JSON and from CBOR") {
    ProfileValue::Vector numbers{0,           23,          24, 255, 256, 65535, 65536,
                                 4294967295u, 4294967296u, -1, -24, -25, -257};
    auto const value = ProfileValue(ProfileValue::Map{{"numbers", numbers}, {"rest", sample()}});
    auto const fromJSON = nlohmann::json::parse(json(value));
    std::ostringstream plain, tagged;
    poplar::serializeToCBOR(plain, value, false);
    poplar::serializeToCBOR(tagged, value);
    CHECK(nlohmann::json::from_cbor(plain.str()) == fromJSON);
    CHECK(tagged.str() == "\xd9\xd9\xf7" + plain.str());
    CHECK(fromJSON["numbers"][8] == 4294967296u);
  }
}
