#include "TemporaryFolder.hpp"

#include <examples/fashion/Options.hpp>

#include <doctest/doctest.h>

TEST_SUITE_BEGIN("examples/fashion/options");

using namespace fashion;

TEST_CASE("options take their value as the next argument or after an equals sign") {
  Options const options =
      parseOptions({"--device", "ipu-model", "--type=half", "--workers", "3", "--epochs=0",
                    "--seed", "18446744073709551615", "--save", "a=b"});
  CHECK(options.device == DeviceKind::IPU_MODEL);
  CHECK(options.type == NumberKind::HALF);
  CHECK(options.workers == 3);
  CHECK(options.epochs == 0);
  CHECK(options.seed == UINT64_MAX);
  CHECK(options.save == "a=b");
  CHECK_FALSE(options.images);
  CHECK_FALSE(parseOptions({}).epochs);
  CHECK(parseOptions({"--help"}).help);
}

TEST_CASE("a wrong command line is an error that lists what is allowed") {
  auto const error = [](std::vector<std::string> const &arguments) {
    CHECK_THROWS_AS(parseOptions(arguments), UsageError);
    return errorOf([&] { parseOptions(arguments); });
  };
  CHECK(error({"--devise", "cpu"}) ==
        "unknown option '--devise'; allowed: --device --type --workers --epochs --images --seed "
        "--save --load --data --help");
  CHECK(error({"extra"}).find("unknown option 'extra'") == 0);
  CHECK(error({"--device", "gpu"}) == "--device has value 'gpu'; allowed: cpu, ipu-model");
  CHECK(error({"--type=double"}) == "--type has value 'double'; allowed: float, half");
  CHECK(error({"--device"}) == "--device needs a value: cpu|ipu-model");
  CHECK(error({"--help=yes"}) == "--help takes no value");
  CHECK(error({"--save="}) == "--save has value ''; allowed: a path that is not empty");
  for (std::string const value : {"0", "-1", "2x", "", "4294967297"})
    CHECK(error({"--workers", value}) ==
          "--workers has value '" + value + "'; allowed: a whole number from 1 to 1024");
}

TEST_CASE("the help text names every option") {
  for (char const *const name :
       {"--device cpu|ipu-model", "--type float|half", "--workers N", "--epochs N", "--images N",
        "--seed N", "--save FILE", "--load FILE", "--data DIR", "--help"})
    CHECK(helpText().find(name) != std::string::npos);
}
