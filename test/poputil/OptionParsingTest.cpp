#include <poputil/OptionParsing.hpp>

#include <doctest/doctest.h>

TEST_SUITE_BEGIN("poputil/optionParsing");

using poplibs::OptionHandler;
using poplibs::OptionSpec;

namespace {

struct Options {
  int depth = 0;
  bool fast = false;
  double share = 0;
  std::string name;
  std::vector<unsigned> sizes;
  char mode = '?';

  OptionSpec spec() {
    return OptionSpec{{"depth", OptionHandler::createWithInteger(depth)},
                      {"fast", OptionHandler::createWithBool(fast)},
                      {"share", OptionHandler::createWithDouble(share, 0., false, 1.)},
                      {"name", OptionHandler::createWithString(name)},
                      {"sizes", OptionHandler::createWithList(sizes)},
                      {"mode", OptionHandler::createWithEnum(
                                   mode, std::map<std::string, char>{{"a", 'A'}, {"b", 'B'}})}};
  }
};

} // namespace

TEST_CASE("values reach their variables") {
  Options options;
  auto const spec = options.spec();
  spec.parse("depth", "-0x10");
  spec.parse("fast", "true");
  spec.parse("share", "0.25");
  spec.parse("name", "x y");
  spec.parse("sizes", "1,2,3");
  spec.parse("mode", "b");
  spec.parse("other", "1", true);
  CHECK(options.depth == -16);
  CHECK(options.fast);
  CHECK(options.share == 0.25);
  CHECK(options.name == "x y");
  CHECK(options.sizes == std::vector<unsigned>{1, 2, 3});
  CHECK(options.mode == 'B');
}

TEST_CASE("lists have no empty elements") {
  Options options;
  auto const spec = options.spec();
  for (char const *text : {"1,,2", "1,2,", ",1", ","})
    CHECK_THROWS_WITH_AS(spec.parse("sizes", text), doctest::Contains("Not a valid integer"),
                         poplar::invalid_option);
  options.sizes = {5};
  spec.parse("sizes", "");
  CHECK(options.sizes.empty());
}

TEST_CASE("errors name the option, the value and what is allowed") {
  Options options;
  auto const spec = options.spec();
  CHECK_THROWS_WITH_AS(
      spec.parse("speed", "1"),
      "Unrecognised option 'speed'; known options: depth, fast, mode, name, share, sizes",
      poplar::invalid_option);
  CHECK_THROWS_WITH_AS(spec.parse("dept", "1"), "Unrecognised option 'dept'; did you mean 'depth'?",
                       poplar::invalid_option);
  CHECK_THROWS_WITH_AS(spec.parse("depth", "7x"),
                       "Invalid value '7x' for option 'depth': Not a valid integer",
                       poplar::invalid_option);
  CHECK_THROWS_WITH_AS(spec.parse("depth", "3000000000"),
                       "Invalid value '3000000000' for option 'depth': Integer out of range: "
                       "allowed are -2147483648 to "
                       "2147483647",
                       poplar::invalid_option);
  CHECK_THROWS_WITH_AS(
      spec.parse("fast", "yes"),
      "Invalid value 'yes' for option 'fast': Not one of the values: 'false', 'true'",
      poplar::invalid_option);
  CHECK_THROWS_WITH_AS(spec.parse("share", "0"),
                       "Invalid value '0' for option 'share': Value must be above 0 and at most 1",
                       poplar::invalid_option);
  CHECK_THROWS_WITH_AS(spec.parse("mode", "c"),
                       "Invalid value 'c' for option 'mode': Not one of the values: 'a', 'b'",
                       poplar::invalid_option);
}

TEST_CASE("numbers: what follows a floating one is ignored, 0 needs a bound that allows it") {
  double value = 0, any = 1;
  OptionSpec const spec{{"value", OptionHandler::createWithDouble(value)},
                        {"any", OptionHandler::createWithDouble(any, -1., true, 1., false)}};
  spec.parse("value", "2.5e-1x");
  CHECK(value == 0.25);
  CHECK_THROWS_AS(spec.parse("value", "0"), poplar::invalid_option);
  CHECK_THROWS_AS(spec.parse("value", "-1"), poplar::invalid_option);
  spec.parse("any", "-1");
  CHECK(any == -1);
  CHECK_THROWS_AS(spec.parse("any", "1"), poplar::invalid_option);
  CHECK_THROWS_WITH_AS(spec.parse("any", "x"),
                       "Invalid value 'x' for option 'any': Not a valid number",
                       poplar::invalid_option);
}

TEST_CASE("options that may be left out") {
  std::optional<float> share;
  std::optional<char> mode = 'X';
  OptionSpec const spec{{"share", poplibs::createOptionalDoubleHandler(share, 0., true, 1., true)},
                        {"mode", poplibs::createOptionalEnumHandler(
                                     mode, std::map<std::string, char>{{"a", 'A'}, {"b", 'B'}})}};
  CHECK_FALSE(share.has_value());
  spec.parse("share", "0");
  CHECK(share == 0.f);
  CHECK_THROWS_AS(spec.parse("share", "1.5"), poplar::invalid_option);
  spec.parse("mode", "b");
  CHECK(mode == 'B');
  spec.parse("mode", "none");
  CHECK_FALSE(mode.has_value());
  CHECK_THROWS_WITH_AS(
      spec.parse("mode", "c"),
      "Invalid value 'c' for option 'mode': Not one of the values: 'a', 'b', 'none'",
      poplar::invalid_option);
}

TEST_SUITE_END();
