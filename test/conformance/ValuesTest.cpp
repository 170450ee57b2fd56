// ArrayRef, StringRef, Interval, Type and its relatives, OptionFlags, ProfileValue.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <limits>
#include <map>
#include <poplar/ArrayRef.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/Interval.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeConversion.hpp>
#include <poplar/TypeTraits.hpp>
#include <poplar/exceptions.hpp>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

using namespace poplar;

namespace {

std::size_t total(ArrayRef<std::size_t> values) {
  std::size_t sum = 0;
  for (auto const &value : values)
    sum += value;
  return sum;
}

template <class T> std::string textOf(T const &value) {
  std::ostringstream stream;
  stream << value;
  return stream.str();
}

// Built before main(): the constants must be ready by then.
std::map<Type, std::string> const namesByType = {{FLOAT, "float"}, {HALF, "half"}, {INT, "int"}};

} // namespace

TEST_SUITE("conformance/values") {
  TEST_CASE("an ArrayRef views lists, vectors, arrays and other views") {
    std::vector<std::size_t> const vector = {1, 2, 3};
    std::array<std::size_t, 2> const array = {{4, 5}};
    std::size_t const plain[] = {6, 7};
    CHECK(total({1, 2, 3}) == 6);
    CHECK(total({}) == 0);
    CHECK(total(vector) == 6);
    CHECK(total(array) == 9);
    CHECK(total(plain) == 13);
    ArrayRef<std::size_t> const view(vector);
    CHECK(view.data() == vector.data());
    CHECK(view.front() == 1);
    CHECK(view[2] == 3);
    CHECK(view.end() - view.begin() == 3);
    CHECK(view.cloneAsVector() == vector);
    CHECK(view == ArrayRef<std::size_t>({1, 2, 3}));
    CHECK(view != ArrayRef<std::size_t>({1, 2}));
    CHECK(ArrayRef<int>().empty());
  }

  TEST_CASE("a writable view changes what it views") {
    std::vector<float> values(3);
    gccs::ArrayRef<float> view(values);
    for (float &value : view)
      value = 2.5f;
    CHECK(values == std::vector<float>{2.5f, 2.5f, 2.5f});
    ArrayRef<float> const reading = view;
    CHECK(reading.size() == 3);
  }

  TEST_CASE("a StringRef is text without an end mark") {
    std::string const whole = "type<float>";
    StringRef const part(whole.data(), 4);
    CHECK(part == "type");
    CHECK(part != whole);
    CHECK(part < StringRef("typf"));
    CHECK(part + "s" == std::string("types"));
    std::string sum = "a ";
    sum += part;
    CHECK(sum == "a type");
    std::string const copy = part;
    CHECK(copy == part.cloneAsString());
    CHECK(textOf(part) == "type");
    CHECK(StringRef().empty());
  }

  TEST_CASE("an Interval is half open and ordered by its ends") {
    Interval const interval(2, 5);
    CHECK(interval.size() == 3);
    CHECK(interval == Interval{2, 5});
    CHECK(Interval() == Interval(0, 0));
    CHECK(Interval(1, 9) < Interval(2, 3));
    CHECK(Interval(2, 3) < interval);
    CHECK(interval >= Interval(2, 5));
    CHECK(textOf(interval) == "[2:5)");
  }

  TEST_CASE("types have names, order, hashes and host types") {
    CHECK(namesByType.at(HALF) == "half");
    std::unordered_map<Type, int> sizes = {{UNSIGNED_INT, 4}, {BOOL, 1}};
    CHECK(sizes[BOOL] == 1);
    std::pair<Type, char const *> const names[] = {{BOOL, "bool"},
                                                   {CHAR, "char"},
                                                   {UNSIGNED_CHAR, "unsigned char"},
                                                   {SIGNED_CHAR, "signed char"},
                                                   {UNSIGNED_SHORT, "unsigned short"},
                                                   {SHORT, "short"},
                                                   {UNSIGNED_INT, "unsigned int"},
                                                   {INT, "int"},
                                                   {UNSIGNED_LONG, "unsigned long"},
                                                   {LONG, "long"},
                                                   {UNSIGNED_LONGLONG, "unsigned long long"},
                                                   {LONGLONG, "long long"},
                                                   {QUARTER, "quarter"},
                                                   {HALF, "half"},
                                                   {FLOAT, "float"}};
    for (auto const &entry : names) {
      CHECK(entry.first.toString() == entry.second);
      CHECK(textOf(entry.first) == entry.second);
    }
    CHECK(FLOAT.isFloatingPoint());
    CHECK_FALSE(INT.isFloatingPoint());
    CHECK(QUARTER.requiresMetadata());
    CHECK_FALSE(HALF.requiresMetadata());
    CHECK(Type() == Type());
    CHECK(Type() != FLOAT);
    CHECK(equivalent_device_type<float>().value == FLOAT);
    CHECK(equivalent_device_type<unsigned>().value == UNSIGNED_INT);
    CHECK(equivalent_device_type<long long>().value == LONGLONG);
    CHECK(std::string("V<") + FLOAT.toString() == "V<float");
  }

  TEST_CASE("traits tell simple types from others") {
    CHECK(TypeTraits::isSimpleType<float>());
    CHECK(TypeTraits::isSimpleType<bool>());
    CHECK(TypeTraits::isSimpleType<IeeeHalf>());
    CHECK_FALSE(TypeTraits::isSimpleType<std::string>());
    CHECK(TypeTraits::make<double>().isSimpleType());
    CHECK(TypeTraits::make<std::int16_t>().size == 2);
    CHECK(TypeTraits::make<std::int16_t>().isSigned);
    CHECK(TypeTraits::make<float>().isFloat);
    CHECK_FALSE(TypeTraits::requiresMetadata<float>());
  }

  TEST_CASE("arrays convert to device types and back, from any address") {
    std::vector<float> const values = {1.0f, -2.5f, 65504.0f, 1e6f, 1.0f / 3};
    std::vector<char> bytes(2 * values.size() + 1);
    convertToDeviceType(HALF, ArrayRef<float>(values), bytes.data() + 1);
    std::vector<float> back(values.size());
    convertFromDeviceType(HALF, bytes.data() + 1, gccs::ArrayRef<float>(back));
    CHECK(back[0] == 1.0f);
    CHECK(back[1] == -2.5f);
    CHECK(back[2] == 65504.0f);
    CHECK(std::isinf(back[3]));
    CHECK(back[4] == doctest::Approx(1.0 / 3).epsilon(1e-3));
    std::vector<std::int32_t> ints(2);
    std::vector<double> const doubles = {3.0, -7.0};
    convertToDeviceType(INT, ArrayRef<double>(doubles), ints.data());
    CHECK(ints == std::vector<std::int32_t>{3, -7});
  }

  TEST_CASE("IeeeHalf is a number of two bytes") {
    IeeeHalf const one(1.0f), third(1.0f / 3);
    CHECK(sizeof(IeeeHalf) == 2);
    CHECK(one.bit16() == 0x3c00);
    CHECK(IeeeHalf::fromBits(0x4000) == 2.0f);
    CHECK(float(one + one) == 2.0f);
    CHECK(-one < third);
    IeeeHalf sum = one;
    sum += 2.0f;
    sum *= one;
    CHECK(float(sum) == 3.0f);
    CHECK(IeeeHalf(1e6f).isInf());
    CHECK(IeeeHalf(std::numeric_limits<float>::quiet_NaN()).isqNaN());
    CHECK(IeeeHalf(0.0f).isZero());
    CHECK(one.isNorm());
    CHECK_FALSE(IeeeHalf::fromBits(1).isNorm());
  }

  TEST_CASE("quarter metadata is a format and a power of two") {
    QuarterMetadata const metadata(QuarterMetadata::Format::F152, -4);
    CHECK(metadata.getFormat() == QuarterMetadata::Format::F152);
    CHECK(metadata.getScale() == -4);
    CHECK(QuarterMetadata(metadata.getBinary()) == metadata);
    CHECK(metadata != QuarterMetadata());
    unsigned char bits[3];
    std::vector<float> const values = {1.0f, -0.5f, 1e9f};
    convertToDeviceType(QUARTER, metadata, ArrayRef<float>(values), bits, false);
    std::vector<float> back(3);
    convertFromDeviceType(QUARTER, metadata, bits, gccs::ArrayRef<float>(back));
    CHECK(back == std::vector<float>{1.0f, -0.5f, 57344.0f / 16});
  }

  TEST_CASE("option flags are an ordered map of texts") {
    OptionFlags options = {{"b", "2"}};
    options.set("a", "1");
    options.set({{"b", "3"}, {"c", "true"}});
    std::string all;
    for (auto const &option : options)
      all += option.first + "=" + option.second + ";";
    CHECK(all == "a=1;b=3;c=true;");
    CHECK(options.at("b") == "3");
    CHECK_THROWS_AS(options.at("d"), std::out_of_range);
    CHECK(options.find("d") == options.end());
    CHECK(options.find("c")->second == "true");
    CHECK(options.size() == 3);
    OptionFlags const copy = options;
    CHECK(copy == options);
    options.clear();
    CHECK(options.size() == 0);
    CHECK(getAsProfileValue(copy)["a"].asString() == "1");
  }

  TEST_CASE("option flags come from JSON, and from the environment where it says") {
    OptionFlags options{{"kept", "x"}, {"changed", "old"}};
    readJSON("{\"changed\": \"new\", \"target.hostSyncTimeout\": 900, \"debug.trace\": true}",
             options);
    CHECK(options.at("kept") == "x");
    CHECK(options.at("changed") == "new");
    CHECK(options.at("target.hostSyncTimeout") == "900");
    CHECK(options.at("debug.trace") == "true");
    CHECK_THROWS_AS(readJSON("{\"a\": ", options), parse_error);
    std::istringstream stream("{\"kept\": \"y\"}");
    readJSON(stream, options);
    CHECK(options.at("kept") == "y");
    setenv("CONFORMANCE_OPTIONS", "{\"kept\": \"z\"}", 1);
    readJSONFromEnv("CONFORMANCE_OPTIONS", options);
    unsetenv("CONFORMANCE_OPTIONS");
    readJSONFromEnv("CONFORMANCE_OPTIONS", options);
    CHECK(options.at("kept") == "z");
  }

  TEST_CASE("profile values are trees as JSON has them") {
    ProfileValue::Map map;
    map.insert({"name", ProfileValue{std::string("x")}});
    map["count"] = ProfileValue(3);
    map["flag"] = true;
    map["list"] = ProfileValue::Vector{1, 2, 3.5};
    ProfileValue const value(map);
    CHECK(value.type() == ProfileValue::Type::MAP);
    CHECK(value["name"].asString() == "x");
    CHECK(value["count"].asUint() == 3);
    CHECK(value["flag"].asBool());
    CHECK(value["list"][2].asDouble() == 3.5);
    CHECK(value["list"].sumDouble() == 6.5);
    CHECK(value["list"].size() == 3);
    CHECK(value.getOrNull("none") == nullptr);
    CHECK_THROWS(value["none"]);
    CHECK_THROWS(value["name"].asInt());
    CHECK(ProfileValue("text").type() == ProfileValue::Type::STRING);
    std::ostringstream json;
    serializeToJSON(json, value);
    std::string text;
    for (char const c : json.str())
      if (c != ' ' && c != '\n')
        text += c;
    CHECK(text == R"({"count":3,"flag":true,"list":[1,2,3.5],"name":"x"})");
    CHECK(value == ProfileValue(map));
  }
}
