#pragma once
// How a library turns its families of vertex classes (codelets/*/X.hpp) into codelets with the
// entry points of the instruction set in use. The scalar classes give names and layouts; kernels
// are not instantiated here.

#include <codelets/arch/CpuFeatures.hpp>
#include <codelets/arch/EntryTable.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/codelet/Describe.hpp>
#include <poplar/impl/model/Machine.hpp>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cottonwood::poputil {

/// What a family's description function says about one vertex class.
struct VertexText {
  std::string name; ///< "popops::Fill<float>"
  std::vector<codelet::FieldDescription> fields;
  codelet::CostFunction cost = nullptr;
  char const *omittable = ""; ///< the output that the vertex leaves out where its pointer is null
};

/// The name, and the types as its template arguments.
inline std::string nameWith(std::string_view name, std::initializer_list<::poplar::Type> types) {
  std::string all(name);
  all += '<';
  for (::poplar::Type const &type : types)
    all.append(&type == types.begin() ? "" : ",").append(type.toString());
  return all + '>';
}

/// "lib::Name<float,half>"
template <class... T> std::string templateName(std::string_view name) {
  return nameWith(name, {::poplar::equivalent_device_type<T>().value...});
}

/// The instruction set of built-in codelets in this process.
/// \throws poplar::poplar_error  POPLAR_ISA names one that this machine lacks; in header-only mode,
///         the program was compiled for one that it lacks.
inline isa::Isa builtinIsa() {
#if defined(POPLAR_HEADER_ONLY)
  constexpr isa::Isa native = isa::native::ID;
  // Asking is also what gets the process permission to use tiles.
  if (!isa::cpuFeatures().supports(native))
    throw ::poplar::poplar_error(std::string("this program was compiled for ") + isa::name(native) +
                                 ", which this machine does not support");
  return native;
#else
  try {
    return isa::activeIsa();
  } catch (std::invalid_argument const &error) {
    throw ::poplar::poplar_error(error.what());
  }
#endif
}

/// Entry points of all classes of a family for one instruction set.
template <class Family> vertices::VertexEntries entriesFor(isa::Isa isa) {
#if defined(POPLAR_HEADER_ONLY)
  static_cast<void>(isa);
  return vertices::entriesOf(typename Family::template Vertices<isa::native>());
#else
  return vertices::entriesFor<Family>(isa);
#endif
}

/// What a codelet takes from its vertex class.
struct VertexClass {
  VertexText (*describe)();
  std::uint32_t stateSize, stateAlign;
  bool multi, supervisor;
};

/// describeVertex is found by the vertex class's namespace or that of its tag. Runs once a process,
/// and there are hundreds: compiled for size.
template <class V> [[gnu::cold]] VertexText describeClass() {
  return describeVertex(static_cast<V *>(nullptr));
}

inline codelet::Codelet makeCodelet(VertexClass const &vertex, codelet::Entry entry, isa::Isa isa) {
  VertexText text = vertex.describe();
  codelet::Codelet codelet;
  codelet.name = std::move(text.name);
  for (auto const &description : text.fields)
    codelet.fields.push_back(codelet::fieldFrom(description, description.name));
  codelet.stateSize = vertex.stateSize;
  codelet.stateAlign = vertex.stateAlign;
  codelet.multi = vertex.multi;
  codelet.supervisor = vertex.supervisor;
  codelet.entry = entry;
  codelet.isa = isa::name(isa);
  codelet.cost = text.cost;
  codelet.seal();
  codelet.omittable = codelet.findField(text.omittable);
  return codelet;
}

template <class... V>
void appendCodelets(vertices::VertexList<V...>, vertices::VertexEntries entries, isa::Isa isa,
                    std::vector<codelet::Codelet> &out) {
  static constexpr VertexClass CLASSES[] = {{&describeClass<V>, sizeof(V), alignof(V),
                                             codelet::VertexKind<V>::isMulti,
                                             codelet::VertexKind<V>::isSupervisor}...};
  for (std::size_t i = 0; i < sizeof...(V); ++i)
    out.push_back(makeCodelet(CLASSES[i], entries.first[i], isa));
}

/// Appends the codelets of a family; describeVertex(V *) gives the text of each class V.
template <class Family> void appendFamily(isa::Isa isa, std::vector<codelet::Codelet> &out) {
  appendCodelets(typename Family::template Vertices<isa::scalar>(), entriesFor<Family>(isa), isa,
                 out);
}

/// What make(isa) appends to, made once for every instruction set that is asked for.
template <class Make>
std::vector<codelet::Codelet> const &codeletsOf(isa::Isa isa, Make const &make) {
  struct Tables {
    std::mutex mutex;
    std::map<isa::Isa, std::vector<codelet::Codelet>> byIsa;
  };
  // Never destroyed: engines may load in destructors of static objects.
  static Tables *const tables = new Tables;
  std::lock_guard const lock(tables->mutex);
  if (auto const found = tables->byIsa.find(isa); found != tables->byIsa.end())
    return found->second;
  std::vector<codelet::Codelet> codelets;
  make(codelets);
  return tables->byIsa.emplace(isa, std::move(codelets)).first->second;
}

/// For codelet::registerLibrary: `table` as the instruction set of that name has it.
template <std::vector<codelet::Codelet> const &(*table)(isa::Isa)>
std::span<codelet::Codelet const> codeletsNamed(std::string_view name) {
  for (isa::Isa const isa : isa::ALL_ISAS)
    if (name == isa::name(isa)) {
#if defined(POPLAR_HEADER_ONLY)
      if (isa != isa::native::ID)
        return {};
#endif
      return table(isa);
    }
  return {};
}

} // namespace cottonwood::poputil
