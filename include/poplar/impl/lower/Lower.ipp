// Body of Lower.hpp: the list of passes.
#pragma once

#include <poplar/impl/lower/Lower.hpp>

#include <poplar/impl/lower/Dump.hpp>
#include <poplar/impl/lower/Passes.hpp>

#include <chrono>
#include <string_view>

namespace cottonwood::lower::detail {

struct Pass {
  char const *name;
  void (*run)(Context &);
};

/// In this order. What a pass may rely on, and why it stands where it stands:
inline constexpr Pass PASSES[] = {
    // Everything behind it looks at reachable objects only: a graph may hold far more than its
    // programs use.
    {"collect", collectReachable},
    // From here on every element has a tile, every field a region.
    {"check-complete", checkComplete},
    // From here on vertices of one compute set may run in any order and at once.
    {"check-independent", checkIndependent},
    // Changes the programs, so all that counts steps or positions comes behind it.
    {"merge-copies", mergeCopies},
    // The machine's own steps come before any pass of the host, which may elide work but never a
    // step.
    {"compute-steps", planComputeSteps},
    {"tile-demands", collectTileDemands},
    // Looks at whole programs, so it comes before they are flattened.
    {"lifetimes", findLifetimes},
    // From here on it is known which outputs nobody wants.
    {"unread", findUnread},
    // From here on addresses are known, and elements mean bytes.
    {"memory", assignMemory},
    {"initial-data", layOutInitialData},
    // Copies tell how much staging they need, so they come before the vertex states behind it.
    {"instructions", makeInstructions},
    {"vertices", makeVertexTables},
    // Knows addresses, and which vertices have staging.
    {"strands", findStrands},
    // Code, vertices and liveness by step: knows all steps, codelets and variables.
    {"tile-code", planTileCode},
    // Variables lie behind code and vertices; the host shares memory in its own way.
    {"tile-memory", planTileMemory},
};
inline constexpr int NUM_PASSES = static_cast<int>(std::size(PASSES));

} // namespace cottonwood::lower::detail

namespace cottonwood::lower {

POP_INLINE std::shared_ptr<ExecutableData const> lower(graph::GraphData const &graph,
                                                       LowerRequest request) {
  using Clock = std::chrono::steady_clock;
  Context context(graph, std::move(request.programs));
  context.options = request.lowering;
  context.out.target = graph.target();
  context.out.numReplicas = graph.numReplicas();
  context.out.options = request.options;
  context.out.name = request.name;
  context.out.isa = request.isa;
  context.out.numVariables = graph.numVariables();
  context.out.numComputeSets = graph.numComputeSets();
  context.out.notes = graph.notes();
  int number = 0;
  for (detail::Pass const &pass : detail::PASSES) {
    if (request.progress)
      request.progress(number, detail::NUM_PASSES);
    auto const start = Clock::now();
    pass.run(context);
    dumpAfterPass(context, static_cast<unsigned>(++number), pass.name,
                  std::chrono::duration<double>(Clock::now() - start).count());
  }
  if (request.progress)
    request.progress(detail::NUM_PASSES, detail::NUM_PASSES);
  return std::make_shared<ExecutableData const>(std::move(context.out));
}

} // namespace cottonwood::lower
