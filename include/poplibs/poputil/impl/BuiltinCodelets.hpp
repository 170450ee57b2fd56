#pragma once
// How a library turns its families of vertex classes (codelets/*/X.hpp) into codelets with the
// entry points of the instruction set in use. The scalar classes give names and layouts; kernels
// are not instantiated here.

#include <codelets/arch/CpuFeatures.hpp>
#include <codelets/arch/EntryTable.hpp>

#include <poplar/QuarterFloat.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/codelet/Describe.hpp>
#include <poplar/impl/model/Machine.hpp>

#include <initializer_list>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
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

/// The type of a tensor whose elements a vertex knows as T.
template <class T>::poplar::Type deviceType() {
  if constexpr (std::is_same_v<T, quarter>)
    return ::poplar::QUARTER;
  else
    return ::poplar::equivalent_device_type<T>().value;
}

/// "lib::Name<float,half>"
template <class... T> std::string templateName(std::string_view name) {
  return nameWith(name, {deviceType<T>()...});
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

/// Families that take no less time with vectors of 512 bits where the processor splits these.
template <class Family>
concept EightLanesFamily = Family::EIGHT_LANES_WHERE_SPLIT;

/// Entry points of all classes of a family for one instruction set.
template <class Family> vertices::VertexEntries entriesFor(isa::Isa isa) {
#if defined(POPLAR_HEADER_ONLY)
  static_cast<void>(isa);
  return vertices::entriesOf(typename Family::template Vertices<isa::native>());
#else
  if constexpr (EightLanesFamily<Family>)
    if (isa::vectorSet(isa) == isa::Isa::Avx512 && isa::cpuFeatures().splitsVectors)
      return vertices::entriesFor<Family>(isa::Isa::Avx2);
  return vertices::entriesFor<Family>(isa);
#endif
}

struct VertexClass {
  VertexText (*describe)();
  codelet::ClassLayout layout;
};

/// describeVertex is found by the vertex class's namespace or that of its tag. Runs once a process,
/// and there are hundreds: compiled for size.
template <class V> [[gnu::cold]] VertexText describeClass() {
  return describeVertex(static_cast<V *>(nullptr));
}

/// Whether there is code for all instruction sets that takes the same operands, or operands are
/// packed as one wants them, or it is the only one.
enum class Operands { OF_ANY_ISA, OF_ONE_ISA };

inline codelet::Codelet makeCodelet(VertexClass const &vertex, codelet::Entry entry, isa::Isa isa,
                                    Operands operands) {
  VertexText const text = vertex.describe();
  codelet::Codelet codelet = codelet::describe(text.name, text.fields, vertex.layout, entry);
  codelet.isa = isa::name(isa);
  codelet.anyIsa = operands == Operands::OF_ANY_ISA;
  codelet.cost = text.cost;
  codelet.omittable = codelet.findField(text.omittable);
  codelet.scratch = codelet.findField("workspace");
  return codelet;
}

template <class... V>
void appendCodelets(vertices::VertexList<V...>, vertices::VertexEntries entries, isa::Isa isa,
                    std::vector<codelet::Codelet> &out, Operands operands) {
  static constexpr VertexClass CLASSES[] = {{&describeClass<V>, codelet::CLASS_LAYOUT<V>}...};
  for (std::size_t i = 0; i < sizeof...(V); ++i)
    out.push_back(makeCodelet(CLASSES[i], entries.first[i], isa, operands));
}

/// Appends the codelets of a family; describeVertex(V *) gives the text of each class V.
template <class Family>
void appendFamily(isa::Isa isa, std::vector<codelet::Codelet> &out,
                  Operands operands = Operands::OF_ANY_ISA) {
  appendCodelets(typename Family::template Vertices<isa::scalar>(), entriesFor<Family>(isa), isa,
                 out, operands);
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
