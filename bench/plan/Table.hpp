// The plan table: the plans of many problems, what they are predicted to cost and what the model
// makes of them.
#pragma once

#include <string>

namespace cottonwood::plan {

struct TableRequest {
  bool published = false; ///< with the charges of published planners, nothing emitted
  std::string target = "ipu2";
  std::string only; ///< problems with this in their names
};

/// Prints a row a problem, and a last line `median-error X worst-error Y memory-violations Z
/// slowest-plan S`. \returns  the exit status: 1 if figures are not what they should be
int printTable(TableRequest const &request);

} // namespace cottonwood::plan
