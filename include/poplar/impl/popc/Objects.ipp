// Body of Objects.hpp.
#pragma once

#include <poplar/impl/popc/Objects.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Digest.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/codelet/Registry.hpp>
#include <poplar/impl/codelet/VertexDescription.hpp>
#include <poplar/impl/popc/Cache.hpp>
#include <poplar/impl/popc/Object.hpp>

#include <map>
#include <mutex>
#include <string_view>

#include <dlfcn.h>

namespace cottonwood::popc::detail {

struct LoadedObjects {
  std::mutex mutex;
  std::map<std::string, LoadedObject, std::less<>> byDigest;

  // Never destroyed: engines may run in destructors of static objects.
  static LoadedObjects &get() {
    static LoadedObjects *const instance = new LoadedObjects;
    return *instance;
  }
};

POP_INLINE void *openObject(codelet::CodeObject const &object, std::string const &path) {
  ObjectFile const file = objectFile(object.digest, object.bytes);
  if (void *const handle = dlopen(file.path().c_str(), RTLD_NOW | RTLD_LOCAL))
    return handle;
  char const *const text = dlerror();
  std::string const why = text ? text : "dlopen failed";
  if (why.find("undefined symbol") != std::string::npos)
    throw poplar::link_error(base::textOf(
        "Graph::addCodelets: ", path, ": ", why,
        "; sources that use each other's functions are compiled together, in one call"));
  throw poplar::graph_object_load_error(path, why);
}

POP_INLINE LoadedObject load(codelet::CodeObject object, std::string const &path) {
  void *const handle = openObject(object, path);
  using TableFunction = codelet::ObjectTable const *();
  auto *const table = reinterpret_cast<TableFunction *>(dlsym(handle, POP_OBJECT_TABLE_NAME));
  LoadedObject loaded;
  loaded.object = std::make_shared<codelet::CodeObject const>(std::move(object));
  if (!table) // of C sources alone: no vertices
    return loaded;
  codelet::ObjectTable const &exported = *table();
  if (exported.abi != codelet::OBJECT_ABI)
    throw poplar::graph_object_load_error(
        path, base::textOf("its code has codelet interface ", exported.abi, ", this release has ",
                           codelet::OBJECT_ABI, ": compile the codelets again"));
  *exported.hostCalls = &hostCalls();
  for (codelet::ExportedVertex const *vertex = exported.first; vertex; vertex = vertex->next) {
    codelet::Codelet codelet = codelet::codeletFrom(*vertex->description);
    codelet.isa = loaded.object->isa;
    codelet.object = loaded.object;
    loaded.codelets.push_back(std::move(codelet));
  }
  return loaded;
}

} // namespace cottonwood::popc::detail

namespace cottonwood::popc {

POP_INLINE codelet::HostCalls &hostCalls() {
  static codelet::HostCalls calls{codelet::hostCallsVersion,
                                  []() -> codelet::VertexContext * { return nullptr; }};
  return calls;
}

POP_INLINE LoadedObject const &loadObject(codelet::CodeObject object, std::string const &path) {
  object.digest = base::digestOf(object.bytes);
  detail::LoadedObjects &objects = detail::LoadedObjects::get();
  std::lock_guard const lock(objects.mutex);
  if (auto const found = objects.byDigest.find(object.digest); found != objects.byDigest.end())
    return found->second;
  std::string digest = object.digest;
  return objects.byDigest.emplace(std::move(digest), detail::load(std::move(object), path))
      .first->second;
}

} // namespace cottonwood::popc
