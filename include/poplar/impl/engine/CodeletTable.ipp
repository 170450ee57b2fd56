// Body of CodeletTable.hpp.
#pragma once

#include <poplar/impl/engine/CodeletTable.hpp>

#include <codelets/arch/CpuFeatures.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/codelet/FunctorNames.hpp>
#include <poplar/impl/codelet/Libraries.hpp>
#include <poplar/impl/codelet/Registry.hpp>
#include <poplar/impl/engine/VertexFailure.hpp>

#include <map>
#include <mutex>
#include <string>
#include <tuple>

namespace cottonwood::engine::detail {

struct CodeletTable {
  std::mutex mutex;
  std::map<std::tuple<std::string, std::string, std::uint64_t>, codelet::Entry>
      entries; ///< (name, ISA, layout)
};

// Never destroyed: engines may load in destructors of static objects.
POP_INLINE CodeletTable &codeletTable() {
  static CodeletTable *const table = new CodeletTable;
  return *table;
}

POP_INLINE codelet::Entry remembered(lower::CodeletRef const &ref) {
  CodeletTable &table = codeletTable();
  std::lock_guard<std::mutex> const lock(table.mutex);
  auto const found = table.entries.find({ref.name, ref.isa, ref.layoutHash});
  return found == table.entries.end() ? nullptr : found->second;
}

/// The layout of operands depends on the instruction set, and so do the last bits of results: no
/// other one may stand in.
POP_INLINE void checkIsa(lower::CodeletRef const &ref) {
  if (ref.isa.empty())
    return;
  std::string available;
  for (isa::Isa const isa : isa::ALL_ISAS) {
    if (!isa::cpuFeatures().supports(isa))
      continue;
    if (ref.isa == isa::name(isa))
      return;
    available += (available.empty() ? "" : ", ") + std::string(isa::name(isa));
  }
  throw poplar::graph_object_load_error(
      ref.name, base::textOf("the executable was compiled for instruction set ", ref.isa,
                             "; this machine has ", available));
}

POP_INLINE codelet::Entry inObject(popc::LoadedObject const &object, lower::CodeletRef const &ref) {
  for (codelet::Codelet const &codelet : object.codelets)
    if (codelet.name == ref.name && codelet.layoutHash == ref.layoutHash)
      return codelet.entry;
  throw poplar::graph_object_load_error(
      ref.name, "the code that came with the executable has no such vertex type");
}

/// Up to the size of the functor that a vertex is made from: "popops::MapWith<float,float,_4Gelu_".
POP_INLINE std::string_view withoutSize(std::string_view name) {
  std::size_t const end = name.find_last_of('_');
  bool const isSize = end != std::string_view::npos && name.size() > end + 2 &&
                      name.back() == '>' &&
                      name.find_first_not_of("0123456789", end + 1) == name.size() - 1;
  return isSize ? name.substr(0, end + 1) : std::string_view();
}

/// Says so where the functor of that name has other members in this process; else empty.
POP_INLINE std::string otherSizeHelp(lower::CodeletRef const &ref) {
  std::string_view const stem = withoutSize(ref.name);
  if (stem.empty())
    return {};
  CodeletTable &table = codeletTable();
  std::lock_guard<std::mutex> const lock(table.mutex);
  for (auto const &[key, entry] : table.entries)
    if (std::string const &name = std::get<0>(key); withoutSize(name) == stem)
      return base::textOf("the functor of that name in this process has other members: '", name,
                          "', which ends in its size");
  return {};
}

POP_INLINE std::string unknownHelp(lower::CodeletRef const &ref) {
  for (std::string const &help : {codelet::foreignFunctorHelp(ref.name), otherSizeHelp(ref)})
    if (!help.empty())
      return "the executable needs it; " + help;
  std::string const registered = codelet::unknownVertexHelp(ref.name, codelet::Registry());
  bool const ofLibrary = registered.starts_with("call ");
  std::string const failure = codelet::loadFailure(ref.name);
  return base::textOf("the executable needs it",
                      ref.isa.empty() ? "" : " for instruction set " + ref.isa, "; ",
                      ofLibrary ? "link the library that has it, or, if it is made from a functor "
                                  "of the program, compile a graph with it first"
                                : registered,
                      failure.empty() ? "" : "; loading the library failed: " + failure);
}

} // namespace cottonwood::engine::detail

namespace cottonwood::engine {

POP_INLINE void rememberCodelet(codelet::Codelet const &codelet) {
  detail::CodeletTable &table = detail::codeletTable();
  std::lock_guard<std::mutex> const lock(table.mutex);
  table.entries[{codelet.name, codelet.isa, codelet.layoutHash}] = codelet.entry;
}

POP_INLINE LoadedObjects loadObjects(lower::ExecutableData const &executable) {
  static bool const connected = [] {
    popc::hostCalls().running = &runningVertex;
    return true;
  }();
  static_cast<void>(connected);
  LoadedObjects loaded;
  for (codelet::CodeObject const &object : executable.objects)
    loaded.push_back(&popc::loadObject(object, "the code that came with the executable"));
  return loaded;
}

POP_INLINE codelet::Entry resolveCodelet(lower::CodeletRef const &ref,
                                         LoadedObjects const &objects) {
  detail::checkIsa(ref);
  if (ref.object != lower::NONE)
    return detail::inObject(*objects[ref.object], ref);
  if (codelet::Entry const entry = detail::remembered(ref))
    return entry;
  codelet::Codelet const *known = codelet::findProcessWide(ref.name);
  if (!known || known->layoutHash != ref.layoutHash)
    if (auto const *const inLibrary = codelet::findInLibraries(ref.name, ref.isa))
      known = inLibrary;
  if (!known || !known->entry)
    throw poplar::unknown_vertex_type(ref.name, detail::unknownHelp(ref));
  if (known->layoutHash != ref.layoutHash)
    throw poplar::graph_object_load_error(
        ref.name, "the vertex type of that name in this process has other fields");
  return known->entry;
}

} // namespace cottonwood::engine
