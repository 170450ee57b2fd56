// Sections of the text of profiles, from the trees of Values.hpp.
#pragma once

#include <poplar/impl/profile/Values.hpp>

#include <cstdint>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace cottonwood::profile::detail {

struct SummaryOptions {
  bool executionSteps = false; ///< one line for each step that was executed
  bool varStorage = false;     ///< what is live in each step
  bool perIpuMemory = false;   ///< memory of each IPU
};

std::string grouped(std::uint64_t value); ///< 1234567 as 1,234,567
std::string real(double value);           ///< one decimal: 1,234.5

/// A list of `name value` lines, values in one column.
class Rows {
public:
  explicit Rows(std::string indent) : indent_(std::move(indent)) {}
  void add(std::string name, std::string value) {
    rows_.emplace_back(std::move(name), std::move(value));
  }
  void print(std::ostream &out, bool alignRight = true) const;

private:
  std::string indent_;
  std::vector<std::pair<std::string, std::string>> rows_;
};

void printMemory(std::ostream &out, Values const &graph, SummaryOptions const &options);
void printVariableStorage(std::ostream &out, Values const &liveness);
void printExecution(std::ostream &out, Values const &graph, Values const &execution,
                    SummaryOptions const &options);

} // namespace cottonwood::profile::detail
