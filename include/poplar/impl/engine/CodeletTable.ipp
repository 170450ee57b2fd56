// Body of CodeletTable.hpp.
#pragma once

#include <poplar/impl/engine/CodeletTable.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/codelet/Registry.hpp>

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

} // namespace cottonwood::engine::detail

namespace cottonwood::engine {

POP_INLINE void rememberCodelet(codelet::Codelet const &codelet) {
  detail::CodeletTable &table = detail::codeletTable();
  std::lock_guard<std::mutex> const lock(table.mutex);
  table.entries[{codelet.name, codelet.isa, codelet.layoutHash}] = codelet.entry;
}

POP_INLINE codelet::Entry resolveCodelet(lower::CodeletRef const &ref) {
  {
    detail::CodeletTable &table = detail::codeletTable();
    std::lock_guard<std::mutex> const lock(table.mutex);
    auto const found = table.entries.find({ref.name, ref.isa, ref.layoutHash});
    if (found != table.entries.end() && found->second)
      return found->second;
  }
  codelet::Codelet const *const registered = codelet::findProcessWide(ref.name);
  if (registered && registered->layoutHash == ref.layoutHash && registered->entry)
    return registered->entry;
  throw poplar::graph_object_load_error(
      ref.name,
      base::textOf("no code for this vertex type",
                   registered ? ": the one of that name in this process has other fields" : "",
                   ref.isa.empty() ? "" : "; it was compiled for instruction set ", ref.isa));
}

} // namespace cottonwood::engine
