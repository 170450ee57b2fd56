#pragma once
#include <poplar/impl/codelet/Registry.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <poplar/VertexRegistration.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/OptionReader.hpp>

namespace cottonwood::codelet {

namespace detail {

/// `{in, out; 40 bytes}`
POP_INLINE std::string layoutText(Codelet const &codelet) {
  std::string text = "{";
  for (std::size_t i = 0; i < codelet.fields.size(); ++i)
    text += (i == 0 ? "" : ", ") + codelet.fields[i].name;
  return text + "; " + std::to_string(codelet.stateSize) + " bytes}";
}

/// `{in, out; 40 bytes} (a.cpp:3)`
POP_INLINE std::string placedLayout(Codelet const &codelet) {
  std::string const text = layoutText(codelet);
  return codelet.origin.empty() ? text : base::textOf(text, " (", codelet.origin, ")");
}

POP_INLINE std::string clashText(Codelet const &first, Codelet const &second) {
  return base::textOf("two vertex classes with different layouts are registered as '", first.name,
                      "': ", placedLayout(first), " and ", placedLayout(second),
                      "; give one of them another name");
}

/// Of two with the same layout.
POP_INLINE std::string definitionsText(Codelet const &first, Codelet const &second) {
  auto const origin = [](Codelet const &codelet) {
    return codelet.origin.empty() ? std::string("one compiled with the program") : codelet.origin;
  };
  return base::textOf("two definitions of vertex '", first.name, "': ", origin(first), " and ",
                      origin(second), "; give one of them another name");
}

} // namespace detail

POP_INLINE Codelet const &Registry::add(Codelet codelet) {
  if (codelet.slotOfField.size() != codelet.fields.size() || codelet.layoutHash == 0)
    codelet.seal();
  if (auto const found = byName_.find(codelet.name); found != byName_.end()) {
    if (found->second->layoutHash != codelet.layoutHash)
      throw poplar::poplar_error(detail::clashText(*found->second, codelet));
    if (found->second->definition != codelet.definition)
      throw poplar::poplar_error(detail::definitionsText(*found->second, codelet));
    return *found->second;
  }
  codelets_.push_back(std::make_unique<Codelet>(std::move(codelet)));
  Codelet const &stored = *codelets_.back();
  byName_.emplace(stored.name, &stored);
  return stored;
}

POP_INLINE Codelet const *Registry::find(std::string_view name) const {
  if (auto const found = byName_.find(name); found != byName_.end())
    return found->second;
  std::string const normal = normaliseName(name);
  auto const found = normal == name ? byName_.end() : byName_.find(normal);
  return found == byName_.end() ? nullptr : found->second;
}

POP_INLINE bool Registry::hasCompiled() const {
  return std::any_of(codelets_.begin(), codelets_.end(),
                     [](auto const &codelet) { return codelet->object != nullptr; });
}

POP_INLINE std::vector<std::string> Registry::names() const {
  std::vector<std::string> result;
  for (auto const &codelet : codelets_)
    result.push_back(codelet->name);
  std::sort(result.begin(), result.end());
  return result;
}

namespace detail {

/// What POPLAR_VERTEX fills, before main() and when shared objects are loaded.
struct ProcessRegistry {
  std::mutex mutex;
  Registry registry;
  std::map<void const *, Codelet> byKey;
  std::unordered_map<std::string, std::string, NameHash, std::equal_to<>> clashes; ///< name -> text

  static ProcessRegistry &get() {
    // Never destroyed: codelets are used until the last engine is gone, which may be a static
    // object.
    static ProcessRegistry *const instance = new ProcessRegistry;
    return *instance;
  }
};

/// The names that a POPLAR_VERTEX lists, `a, b`.
POP_INLINE std::vector<std::string> splitNames(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find(',', begin);
    if (end == std::string_view::npos)
      end = text.size();
    std::size_t first = begin, last = end;
    while (first < last && text[first] == ' ')
      ++first;
    while (last > first && text[last - 1] == ' ')
      --last;
    names.emplace_back(text.substr(first, last - first));
    begin = end + 1;
  }
  return names;
}

/// The packed values of a state image, with marks behind those that are not zero; empty if all are.
POP_INLINE std::vector<std::byte> valuesOf(Codelet const &codelet, unsigned char const *image) {
  std::vector<std::byte> values(codelet.valueBytes);
  bool any = false;
  for (Field const &field : codelet.fields) {
    if (!field.holdsValues())
      continue;
    std::byte *const to = values.data() + field.valueSlot;
    std::memcpy(to, image + field.offset, field.valueBytes);
    bool const isSet =
        std::any_of(to, to + field.valueBytes, [](std::byte byte) { return byte != std::byte{0}; });
    to[field.valueBytes] = std::byte{isSet};
    any |= isSet;
  }
  return any ? values : std::vector<std::byte>();
}

} // namespace detail

POP_INLINE Codelet codeletFrom(VertexDescription const &description) {
  Codelet codelet;
  codelet.name = description.name;
  std::vector<std::string> names = detail::splitNames(description.fieldNames);
  for (std::size_t i = 0; i < description.numFields; ++i)
    if (description.fields[i].type != base::TypeId::Invalid)
      codelet.fields.push_back(fieldFrom(description.fields[i], std::move(names[i])));
    else
      codelet.others.push_back(std::move(names[i]));
  codelet.stateSize = static_cast<std::uint32_t>(description.stateSize);
  codelet.stateAlign = static_cast<std::uint32_t>(description.stateAlign);
  codelet.multi = description.isMulti;
  codelet.supervisor = description.isSupervisor;
  codelet.entry = description.entry;
  codelet.seal();
  if (description.initial)
    codelet.initialValues = detail::valuesOf(codelet, description.initial);
  return codelet;
}

POP_INLINE Codelet const &registeredByKey(void const *key) {
  detail::ProcessRegistry &process = detail::ProcessRegistry::get();
  std::lock_guard const lock(process.mutex);
  auto const found = process.byKey.find(key);
  if (found == process.byKey.end())
    base::fail<poplar::unknown_vertex_type>(
        "Graph::addCodelets",
        "the vertex class is not registered; write POPLAR_VERTEX(Class, field, ...) after it");
  return found->second;
}

POP_INLINE bool registerVertex(VertexDescription const &description) noexcept {
  Codelet codelet = codeletFrom(description);
  detail::ProcessRegistry &process = detail::ProcessRegistry::get();
  std::lock_guard const lock(process.mutex);
  process.byKey.emplace(description.key, codelet);
  Codelet const *const existing = process.registry.find(codelet.name);
  if (existing && existing->layoutHash != codelet.layoutHash)
    process.clashes.emplace(codelet.name, detail::clashText(*existing, codelet));
  else
    process.registry.add(std::move(codelet));
  return true;
}

POP_INLINE Codelet const *findProcessWide(std::string_view name) {
  detail::ProcessRegistry &process = detail::ProcessRegistry::get();
  std::lock_guard const lock(process.mutex);
  Codelet const *const codelet = process.registry.find(name);
  if (codelet && !process.clashes.empty())
    if (auto const clash = process.clashes.find(codelet->name); clash != process.clashes.end())
      throw poplar::poplar_error(clash->second);
  return codelet;
}

namespace detail {

/// "Reduce" of "popops::Reduce<float>".
POP_INLINE std::string_view classPart(std::string_view name) {
  name = name.substr(0, name.find('<'));
  std::size_t const colon = name.rfind("::");
  return colon == std::string_view::npos ? name : name.substr(colon + 2);
}

/// How far apart two names are, as (distance, tie break): other arguments or another namespace of
/// the same class count as near, however many letters they differ in.
POP_INLINE std::pair<std::size_t, std::size_t> nameDistance(std::string_view a, std::string_view b,
                                                            std::size_t limit) {
  if (classPart(a) == classPart(b)) {
    std::size_t const edits = base::editDistance(a, b);
    return {std::min(edits, std::size_t{2}), edits};
  }
  bool const tooFar = a.size() + limit <= b.size() || b.size() + limit <= a.size();
  return {tooFar ? limit : base::editDistance(a, b), 0};
}

/// Up to three names, the nearest first.
POP_INLINE std::vector<std::string> nearestNames(std::string_view name,
                                                 std::vector<std::string> const &known) {
  std::size_t const limit = std::max<std::size_t>(3, name.size() / 3 + 1);
  std::vector<std::pair<std::pair<std::size_t, std::size_t>, std::string>> near;
  for (std::string const &candidate : known)
    if (auto const distance = nameDistance(name, candidate, limit); distance.first < limit)
      near.emplace_back(distance, candidate);
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < near.size() && i < 3; ++i)
    names.push_back(near[i].second);
  return names;
}

/// The library whose addCodelets would make the name known, empty if none or if it has been called.
POP_INLINE std::string_view missingLibrary(std::string_view name,
                                           std::vector<std::string> const &graphNames) {
  std::string_view const space = name.substr(0, name.find("::"));
  static constexpr std::string_view kLibraries[] = {"popops", "poplin", "popnn", "poprand",
                                                    "popsparse"};
  if (space.size() == name.size() ||
      std::find(std::begin(kLibraries), std::end(kLibraries), space) == std::end(kLibraries))
    return {};
  bool const called =
      std::any_of(graphNames.begin(), graphNames.end(), [&](std::string const &known) {
        return known.size() > space.size() && known.starts_with(space) &&
               known[space.size()] == ':';
      });
  return called ? std::string_view() : space;
}

} // namespace detail

POP_INLINE std::string unknownVertexHelp(std::string_view name, Registry const &graphRegistry) {
  std::string const normal = normaliseName(name);
  std::vector<std::string> known = graphRegistry.names();
  if (std::string_view const library = detail::missingLibrary(normal, known); !library.empty())
    return base::textOf("call ", library, "::addCodelets(graph) first");
  {
    detail::ProcessRegistry &process = detail::ProcessRegistry::get();
    std::lock_guard const lock(process.mutex);
    for (std::string &other : process.registry.names())
      known.push_back(std::move(other));
  }
  std::vector<std::string> const near = detail::nearestNames(normal, known);
  if (near.empty())
    return graphRegistry.hasCompiled()
               ? "no source that was added has such a class; it needs compute(), and a template "
                 "needs an instance: template class Name<float>;"
               : "add its source with Graph::addCodelets(file), or register the class with "
                 "POPLAR_VERTEX(Class, field, ...)";
  std::string help = "near names that are known: ";
  for (std::size_t i = 0; i < near.size(); ++i)
    help += (i == 0 ? "'" : ", '") + near[i] + "'";
  return help;
}

} // namespace cottonwood::codelet
