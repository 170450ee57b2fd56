// What was executed, as text.
#pragma once

#include <poplar/impl/profile/SummaryText.hpp>

#include <ostream>
#include <string>
#include <unordered_map>
#include <vector>

namespace cottonwood::profile::detail {

POP_INLINE void printVertexTypes(std::ostream &out, Values const &types) {
  if (types.size() == 0)
    return;
  out << "\n  Cycles by vertex type:\n";
  Rows rows("    ");
  for (auto const &[name, sum] : types.asMap())
    rows.add(name + "  (" + grouped(sum["instances"].asUint()) + " instances):",
             grouped(sum["cycles"].asUint()));
  rows.print(out);
}

/// The tree of programs with the steps that were executed.
class StepTree {
public:
  StepTree(std::ostream &out, Values const &programs, Values const &steps)
      : out_(out), programs_(programs.asVector()), printed_(programs_.size()),
        active_(programs_.size()) {
    for (Values const &step : steps.asVector())
      steps_.emplace(step["index"].asUint(), &step);
    findActive();
  }
  void print() {
    for (std::size_t i = 0; i < programs_.size(); ++i)
      if (!printed_[i] && active_[i])
        program(i, "    ");
  }

private:
  /// Programs with an executed step in them, or in what they call.
  void findActive();
  void program(std::size_t index, std::string const &indent);
  void step(Values const &step, std::string const &indent);

  std::ostream &out_;
  Values::Vector const &programs_;
  std::vector<std::uint8_t> printed_, active_;
  std::unordered_map<std::uint64_t, Values const *> steps_; ///< executed ones
};

POP_INLINE void StepTree::findActive() {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = programs_.size(); i-- > 0;) { // children stand behind their parents
      if (active_[i])
        continue;
      bool active = false;
      for (Values const &step : programs_[i]["steps"].asVector())
        active = active || steps_.count(step.asUint()) != 0;
      for (Values const &child : programs_[i]["children"].asVector())
        active = active || active_.at(child.asUint()) != 0;
      if (Values const *callee = programs_[i].getOrNull("callee"))
        active = active || active_.at(callee->asUint()) != 0;
      active_[i] = active;
      changed = changed || active;
    }
  }
}

POP_INLINE void StepTree::step(Values const &step, std::string const &indent) {
  out_ << indent << step["type"].asString();
  if (std::string const &name = step["name"].asString(); !name.empty())
    out_ << ": " << name;
  std::uint64_t const tiles = step["activeTiles"].asUint(),
                      bytes = step["bytesSent"].asUint() > step["bytesReceived"].asUint()
                                  ? step["bytesSent"].asUint()
                                  : step["bytesReceived"].asUint();
  out_ << " (" << grouped(step["executions"].asUint()) << " x " << grouped(step["cycles"].asUint())
       << " cycles, " << real(100 * step["activeTileBalance"].asDouble()) << "% tile balance, "
       << grouped(tiles) << (tiles == 1 ? " active tile, " : " active tiles, ") << grouped(bytes)
       << " B moved)\n";
}

POP_INLINE void StepTree::program(std::size_t index, std::string const &indent) {
  Values const &node = programs_[index];
  Values const *const callee = node.getOrNull("callee");
  Values::Vector const &children = node["children"].asVector();
  bool const again = printed_[index];
  printed_[index] = 1;
  // The steps of a leaf stand for the leaf.
  bool const isLeaf = children.empty() && !callee;
  std::string const inner = isLeaf ? indent : indent + "  ";
  if (!isLeaf) {
    out_ << indent << node["type"].asString();
    if (std::string const &name = node["name"].asString(); !name.empty())
      out_ << ": " << name;
    if (Values const *count = node.getOrNull("count"))
      out_ << " (" << grouped(count->asUint()) << " times)";
    out_ << (again ? " (as above)\n" : "\n");
  }
  if (again)
    return;
  for (Values const &number : node["steps"].asVector())
    if (auto const found = steps_.find(number.asUint()); found != steps_.end())
      step(*found->second, inner);
  for (Values const &child : children)
    if (active_[child.asUint()])
      program(child.asUint(), inner);
  if (callee && active_[callee->asUint()])
    program(callee->asUint(), inner);
}

POP_INLINE void printSteps(std::ostream &out, Values const &programs, Values const &steps) {
  out << "\n  Execution steps:\n";
  StepTree(out, programs, steps).print();
}

POP_INLINE void printExecution(std::ostream &out, Values const &graph, Values const &execution,
                               SummaryOptions const &options) {
  std::uint64_t const cycles = execution["cycles"].asUint();
  double const micros =
      static_cast<double>(cycles) / graph["target"]["clockFrequency"].asDouble() * 1e6;
  Values::Vector const &programs = execution["programs"].asVector();
  out << "Execution:\n\nPrograms executed:\n\n";
  for (std::size_t i = 0; i < programs.size(); ++i) {
    std::string const &name = programs[i].asString();
    out << (i == 0 ? "" : ", ") << (name.empty() ? "<anonymous>" : name);
  }
  out << (programs.empty() ? "none.\n\n" : ".\n\n");
  auto const share = [&](char const *kind) {
    double const average = execution["tileAverages"][kind].asDouble();
    double const percent = cycles == 0 ? 0 : 100 * average / static_cast<double>(cycles);
    return real(average) + " (" + real(percent) + "% of total)";
  };
  Rows rows("  ");
  rows.add("Total cycles:", grouped(cycles) + " (approx " + real(micros) + " microseconds)");
  rows.add("Tile average compute cycles (including idle threads):", share("computeIncludingIdle"));
  rows.add("Tile average compute cycles (excluding idle threads):", share("computeExcludingIdle"));
  rows.add("Tile average IPU exchange cycles:", share("exchange"));
  rows.add("Tile average global exchange cycles:", share("globalExchange"));
  rows.add("Tile average host exchange cycles:", share("hostExchange"));
  rows.add("Tile average sync cycles:", share("sync"));
  rows.print(out, false);
  printVertexTypes(out, execution["vertexTypes"]);
  if (options.executionSteps)
    printSteps(out, graph["programs"], execution["steps"]);
}

} // namespace cottonwood::profile::detail
