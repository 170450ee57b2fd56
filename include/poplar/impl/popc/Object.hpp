// What a shared object of codelets shows to who loads it: one function that leads to all. Part of
// every codelet's compilation, so C++11 and light.
#ifndef POPLAR_IMPL_POPC_OBJECT_HPP
#define POPLAR_IMPL_POPC_OBJECT_HPP

#include <cstdint>

namespace cottonwood {
namespace codelet {

struct VertexDescription;
struct HostCalls;

/// Changes with what is behind ObjectTable: field images, descriptions, entry points, HostCalls.
constexpr std::uint32_t OBJECT_ABI = 3;

/// A vertex class of the object, in a list.
struct ExportedVertex {
  VertexDescription const *description;
  ExportedVertex const *next;
};

struct ObjectTable {
  std::uint32_t abi; ///< OBJECT_ABI of the headers it was compiled with
  ExportedVertex const *first;
  HostCalls const **hostCalls; ///< to be set before a vertex runs
};

} // namespace codelet
} // namespace cottonwood

#define POP_OBJECT_TABLE cottonwood_codelets
#define POP_OBJECT_TABLE_NAME "cottonwood_codelets"

/// The only symbol that a shared object of codelets exports.
extern "C" cottonwood::codelet::ObjectTable const *POP_OBJECT_TABLE();

#endif
