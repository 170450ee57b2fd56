#pragma once
#include <algorithm>
#include <mutex>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/graph/ViewText.hpp>
#include <unordered_map>
#include <vector>

namespace cottonwood::graph {

namespace viewdetail {

/// The graphs that live. Never destroyed: tensors with static lifetime may ask late.
struct LivingGraphs {
  std::mutex mutex;
  std::unordered_map<GraphId, GraphNames const *> names;
};

POP_INLINE LivingGraphs &livingGraphs() {
  static LivingGraphs &graphs = *std::make_unique<LivingGraphs>().release();
  return graphs;
}

/// Calls f(GraphNames const&) if the graph lives.
template <class F> void withGraph(GraphId graph, F const &f) {
  LivingGraphs &graphs = livingGraphs();
  std::lock_guard<std::mutex> const lock(graphs.mutex);
  if (auto const found = graphs.names.find(graph); found != graphs.names.end())
    f(*found->second);
}

inline constexpr std::size_t kShownRegions = 8;
inline constexpr std::size_t kListedRegions = 1000;

POP_INLINE std::string typeAndShape(View const &view) {
  return base::textOf(view.type(), ' ', shapeBraces(view.shape()));
}

POP_INLINE std::string intervalText(Run const &run) {
  return base::textOf('[', run.begin, ':', run.begin + run.size, ')');
}

} // namespace viewdetail

POP_INLINE void registerGraphNames(GraphId graph, GraphNames const *names) {
  viewdetail::LivingGraphs &graphs = viewdetail::livingGraphs();
  std::lock_guard<std::mutex> const lock(graphs.mutex);
  graphs.names[graph] = names;
}

POP_INLINE void forgetGraphNames(GraphId graph) {
  viewdetail::LivingGraphs &graphs = viewdetail::livingGraphs();
  std::lock_guard<std::mutex> const lock(graphs.mutex);
  graphs.names.erase(graph);
}

POP_INLINE std::string variableName(GraphId graph, VarId var) {
  std::string name;
  viewdetail::withGraph(graph, [&](GraphNames const &names) { name = names.nameOf(var); });
  if (name.empty())
    name = base::textOf(isConstant(var) ? "constant " : "variable ", var & ~kConstantBit);
  return name;
}

POP_INLINE bool readConstantElement(View const &view, std::span<std::byte> value) {
  if (view.numElements() != 1)
    return false;
  Location const where = view.locate(0);
  bool found = false;
  if (isConstant(where.var))
    viewdetail::withGraph(view.graph(), [&](GraphNames const &names) {
      found = names.readConstant(where.var, where.offset, value);
    });
  return found;
}

POP_INLINE View metadataView(View const &view) {
  View metadata;
  viewdetail::withGraph(view.graph(), [&](GraphNames const &names) {
    metadata = names.metadataView(view.metadata());
  });
  return metadata;
}

POP_INLINE std::string shapeBraces(ShapeSpan shape) {
  std::string text = "{";
  for (std::size_t const size : shape)
    text += base::textOf(text.size() == 1 ? "" : ",", size);
  return text += "}";
}

POP_INLINE std::string regionText(View const &view) {
  std::string text = viewdetail::typeAndShape(view);
  std::size_t numShown = 0;
  view.forEachRun([&](Run const &run) {
    if (numShown++ == viewdetail::kShownRegions) {
      text += " ...";
      return false;
    }
    text += base::textOf(isConstant(run.var) ? " c" : " v", run.var & ~kConstantBit,
                         viewdetail::intervalText(run));
    return true;
  });
  return text;
}

POP_INLINE std::string namesText(View const &view) {
  std::vector<VarId> vars;
  std::size_t numSeen = 0;
  bool isAll = true;
  view.forEachRun([&](Run const &run) {
    isAll = numSeen++ < viewdetail::kListedRegions && vars.size() <= viewdetail::kShownRegions;
    if (isAll && std::find(vars.begin(), vars.end(), run.var) == vars.end())
      vars.push_back(run.var);
    return isAll;
  });
  std::string text;
  for (VarId const var : vars)
    text += (text.empty() ? "" : ", ") + variableName(view.graph(), var);
  return isAll || vars.size() == 1 ? text : text + ", ...";
}

POP_INLINE std::string blockText(View const &view) {
  std::string text = viewdetail::typeAndShape(view) + ":";
  std::size_t numShown = 0;
  view.forEachBlock([&](StridedBlock const &block) {
    if (numShown++ == viewdetail::kShownRegions) {
      text += " ...";
      return false;
    }
    text += ' ';
    text += variableName(view.graph(), block.var);
    if (block.sizes.size() == 1 && block.strides[0] == 1) {
      text += viewdetail::intervalText({block.var, block.offset, block.sizes[0]});
      return true;
    }
    text += base::textOf('[', block.offset);
    for (std::size_t k = 0; k != block.sizes.size(); ++k)
      text += base::textOf(k == 0 ? "; " : ", ", block.sizes[k], " by ", block.strides[k]);
    text += "]";
    return true;
  });
  return text;
}

POP_INLINE std::string regionList(View const &view) {
  std::string text, name;
  VarId named = ~VarId{0};
  std::size_t numShown = 0;
  view.forEachRun([&](Run const &run) {
    if (numShown++ == viewdetail::kListedRegions) {
      text += " ...";
      return false;
    }
    if (run.var != std::exchange(named, run.var))
      name = variableName(view.graph(), run.var);
    text += (text.empty() ? "" : " ") + name + viewdetail::intervalText(run);
    return true;
  });
  return text;
}

} // namespace cottonwood::graph
