// The command line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace fashion {

enum class DeviceKind { CPU, IPU_MODEL };
enum class NumberKind { FLOAT, HALF };

struct Options {
  DeviceKind device = DeviceKind::CPU;
  NumberKind type = NumberKind::FLOAT;
  unsigned workers = 0;              ///< engine threads; 0: one a core
  std::optional<unsigned> epochs;    ///< unset: the device's own number
  std::optional<std::size_t> images; ///< unset: all on the CPU, the subset on the IPU Model
  std::uint64_t seed = 1;
  std::string save, load;
  std::string data = "/usr/share/datasets/fashion-mnist";
  bool help = false;
};

/// The command line is wrong; the text says what is allowed.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// \param arguments  without the program's name; "--name value" and "--name=value".
/// \throws UsageError  an unknown option, a missing value, or one that is not allowed.
Options parseOptions(std::vector<std::string> const &arguments);

std::string helpText();

} // namespace fashion
