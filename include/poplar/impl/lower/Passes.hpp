// The passes of lowering, in the order Lower.ipp calls them. Each says what holds after it.
#pragma once

#include <poplar/impl/lower/Context.hpp>

namespace cottonwood::lower {

/// Finds everything the programs and the host can reach: compute sets, functions, variables.
/// \throws graph_recursion_error  a function calls itself, directly or not.
/// \throws poplar_error           a program refers to another graph.
void collectReachable(Context &context);

/// After it every reachable variable, constant and vertex has a tile, and every vertex field is
/// connected. \throws invalid_tile_mapping    names the tensor and the elements, or the vertex.
/// \throws graph_connection_error  names the vertex and the field.
void checkComplete(Context &context);

/// After it the vertices of a compute set may run in any order and at the same time: nothing that
/// one of them writes is written or read by another. Exact; O(n log n) in the connected runs,
/// linear where runs do not interleave. \throws graph_cycle_error  names both vertices with the
/// field, the variable and the first common elements.
void checkIndependent(Context &context);

/// Makes one copy of neighbouring copies in a Sequence where none sees what another writes: one
/// exchange on a tiled target, and fewer, longer moves.
void mergeCopies(Context &context);

/// Fixes the BSP steps of compute sets with their costs; copies and streams get theirs as
/// instructions are made. Nothing on a CPU, where there is no exchange.
void planComputeSteps(Context &context);

/// Finds which parts of variables lie side by side on a tile, and what vertices ask of their
/// places. Behind planComputeSteps(), which knows what vertices use in place.
void collectTileDemands(Context &context);

/// Finds when the contents of each variable matter. Always live: reachable by host handles,
/// initialised, constant, or read by some program before that program has written it in full
/// (programs run in any order).
void findLifetimes(Context &context);

/// On a CPU, finds variables that only vertices write and nothing reads: neither vertices nor
/// programs nor the host. Codelets that can do so leave such outputs out.
void findUnread(Context &context);

/// Gives each reachable variable its place in the arena; variables that never live together share
/// bytes.
void assignMemory(Context &context);

/// Initial values and constants as bytes to load.
void layOutInitialData(Context &context);

/// Programs as one flat list of instructions, with copy plans, streams, host access and prints.
void makeInstructions(Context &context);

/// Vertex tables: state images, relocations, staging for edges that are not one aligned run.
/// Behind all that takes memory, because it knows where the arena ends.
void makeVertexTables(Context &context);

/// On a CPU, cuts neighbouring compute sets that go through more memory than a cache holds into
/// strands (StrandPlan). Behind all that decides which bytes a vertex touches. Near linear in the
/// connected runs of such sets.
void findStrands(Context &context);

/// Adds up the code and the vertices of every tile of a tiled target, and finds what is live in
/// each step.
void planTileCode(Context &context);

/// Gives variables their places on the tiles of a tiled target, behind code and vertices.
void planTileMemory(Context &context);

} // namespace cottonwood::lower
