// The command line of poplar-plan.
#pragma once

#include <bench/plan/Shapes.hpp>

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace cottonwood::plan {

/// What is wrong with the command line, and what is allowed.
struct ArgumentError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

struct Arguments {
  enum class Command {
    Help,
    MatMul,
    Chain,
    Conv,
    Reduce,
    Embedding,
    Elementwise,
    Cast,
    Copy,
    Table
  };
  Command command = Command::Help;
  Shape shape; ///< of all commands but Chain and Table
  /// Chain: rows of the first product, its depth, and the columns of each product.
  std::vector<std::uint64_t> chain;
  std::string target = "ipu2";
  std::string type = "half", output; ///< of operands and result; no output: that of the operands
  std::string partials = "half";
  double proportion = 0.6; ///< of a tile's memory that temporaries may take
  std::string constraints; ///< option planConstraints
  std::size_t alternatives = 5;
  bool json = false, sweep = false;
  bool published = false; ///< the charges of published planners
  std::string only;       ///< Table: problems with this in their names
};

/// \throws ArgumentError
Arguments parseArguments(std::span<char const *const> words);

extern char const USAGE[];

} // namespace cottonwood::plan
