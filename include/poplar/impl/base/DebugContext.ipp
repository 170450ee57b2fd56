// Bodies of <poplar/DebugContext.hpp>.
#pragma once

#include <atomic>
#include <cstring>
#include <fstream>
#include <mutex>
#include <ostream>
#include <poplar/DebugContext.hpp>
#include <poplar/impl/base/DebugAccess.hpp>
#include <poplar/impl/base/Error.hpp>
#include <utility>

namespace cottonwood::base::detail {

/// parent/name, or whichever of the two is not empty.
POP_INLINE std::string joinPath(std::string const &parent, poplar::StringRef name) {
  if (name.empty())
    return parent;
  if (parent.empty())
    return name;
  std::string path;
  path.reserve(parent.size() + 1 + name.size());
  path.append(parent).append(1, '/').append(name.data(), name.size());
  return path;
}

POP_INLINE poplar::DebugId nextDebugId() noexcept {
  static std::atomic<poplar::DebugId> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

/// The file that records DebugInfos: a map with one member, "contexts", a list in the order in
/// which they died.
class DebugStreamer {
public:
  static DebugStreamer &instance() {
    static DebugStreamer streamer;
    return streamer;
  }

  ~DebugStreamer() { close(); }

  bool isOpen() const noexcept { return open_.load(std::memory_order_relaxed); }

  void open(std::string const &fileName, poplar::DebugSerializationFormat format) {
    std::lock_guard const lock(mutex_);
    if (isOpen())
      fail<poplar::poplar_error>("poplar::DebugInfo::initializeStreamer",
                                 "a streamer is open already; cannot open ", quoted(fileName),
                                 "; call closeStreamer first");
    file_.open(fileName, std::ios::binary | std::ios::trunc);
    if (!file_)
      fail<poplar::poplar_error>("poplar::DebugInfo::initializeStreamer", "cannot write ",
                                 quoted(fileName), ": ", std::strerror(errno));
    format_ = format;
    first_ = true;
    // CBOR: the self-describing tag, a map of one member, and a list of a length not yet known.
    if (isJSON())
      file_ << "{\"contexts\": [";
    else
      file_.write("\xd9\xd9\xf7\xa1\x68"
                  "contexts\x9f",
                  14);
    open_.store(true, std::memory_order_relaxed);
  }

  void close() {
    std::lock_guard const lock(mutex_);
    if (!isOpen())
      return;
    open_.store(false, std::memory_order_relaxed);
    if (isJSON())
      file_ << "\n]}\n";
    else
      file_.put('\xff');
    file_.close();
    file_.clear();
  }

  void write(poplar::ProfileValue const &entry) {
    std::lock_guard const lock(mutex_);
    if (!isOpen())
      return;
    if (!isJSON())
      return poplar::serializeToCBOR(file_, entry, false);
    file_ << (first_ ? "\n" : ",\n");
    first_ = false;
    poplar::serializeToJSON(file_, entry);
  }

private:
  bool isJSON() const noexcept { return format_ == poplar::DebugSerializationFormat::JSON; }

  std::mutex mutex_;
  std::atomic<bool> open_{false};
  std::ofstream file_;
  poplar::DebugSerializationFormat format_ = poplar::DebugSerializationFormat::CBOR;
  bool first_ = true;
};

POP_INLINE poplar::ProfileValue debugRecord(poplar::DebugInfo const &info) {
  poplar::ProfileValue::Map record;
  record.emplace("id", info.getId());
  record.emplace("parentId", DebugAccess::parent(info));
  record.emplace("layer", DebugAccess::layer(info));
  record.emplace("name", DebugAccess::path(info));
  if (auto const &at = DebugAccess::location(info); at.isValid()) {
    poplar::ProfileValue::Map location;
    location.emplace("fileName", at.getFileName());
    location.emplace("functionName", at.getFunctionName());
    location.emplace("lineNumber", at.getLineNumber());
    record.emplace("location", std::move(location));
  }
  if (auto const *values = DebugAccess::values(info))
    record.emplace("values", *values);
  return record;
}

} // namespace cottonwood::base::detail

namespace poplar {

POP_INLINE DebugNameAndId::DebugNameAndId(std::string name, DebugId debugId, std::string parentPath)
    : path_(cottonwood::base::detail::joinPath(parentPath, name)), id_(debugId) {}
POP_INLINE DebugNameAndId::DebugNameAndId(char const *name) : path_(name), id_(0) {}
POP_INLINE DebugNameAndId::DebugNameAndId(DebugId debugId) : id_(debugId) {}
POP_INLINE DebugNameAndId::DebugNameAndId(DebugInfo const &debugInfo, std::string name)
    : path_(
          cottonwood::base::detail::joinPath(cottonwood::base::DebugAccess::path(debugInfo), name)),
      id_(debugInfo.getId()) {}
POP_INLINE DebugNameAndId::DebugNameAndId(DebugNameAndId const &other, StringRef name)
    : path_(cottonwood::base::detail::joinPath(other.path_, name)), id_(other.id_) {}
POP_INLINE DebugNameAndId &DebugNameAndId::operator=(DebugNameAndId const &other) = default;
POP_INLINE DebugNameAndId::~DebugNameAndId() = default;

POP_INLINE DebugContext::DebugContext(char const *name, SourceLocation location)
    : path_(name), parent_(0), location_(location) {}
POP_INLINE DebugContext::DebugContext(StringRef name, SourceLocation location)
    : path_(name.cloneAsString()), parent_(0), location_(location) {}
POP_INLINE DebugContext::DebugContext(std::string name, SourceLocation location)
    : path_(std::move(name)), parent_(0), location_(location) {}
POP_INLINE DebugContext::DebugContext(DebugInfo const &debugInfo, std::string name,
                                      SourceLocation location)
    : path_(
          cottonwood::base::detail::joinPath(cottonwood::base::DebugAccess::path(debugInfo), name)),
      parent_(debugInfo.getId()), location_(location) {}
POP_INLINE DebugContext::DebugContext(DebugNameAndId const &debugNameAndId, std::string name,
                                      SourceLocation location)
    : path_(cottonwood::base::detail::joinPath(debugNameAndId.path_, name)),
      parent_(debugNameAndId.id_), location_(location) {}
POP_INLINE DebugContext::DebugContext(Below, DebugContext const &parent, StringRef name,
                                      SourceLocation location)
    : path_(cottonwood::base::detail::joinPath(parent.path_, name)), parent_(parent.parent_),
      location_(location) {}
POP_INLINE DebugContext::DebugContext(DebugContext const &other) = default;
POP_INLINE DebugContext::DebugContext(DebugContext &&other) noexcept = default;
POP_INLINE DebugContext &DebugContext::operator=(DebugContext const &other) = default;
POP_INLINE DebugContext &DebugContext::operator=(DebugContext &&other) noexcept = default;
POP_INLINE DebugContext::~DebugContext() = default;

POP_INLINE DebugInfo::DebugInfo(DebugContext const &debugContext, std::string layer)
    : id_(cottonwood::base::detail::nextDebugId()),
      parent_(cottonwood::base::DebugAccess::parent(debugContext)),
      path_(cottonwood::base::DebugAccess::path(debugContext)), layer_(std::move(layer)),
      location_(cottonwood::base::DebugAccess::location(debugContext)) {}

POP_INLINE DebugInfo::~DebugInfo() {
  auto &streamer = cottonwood::base::detail::DebugStreamer::instance();
  if (!streamer.isOpen())
    return;
  try {
    streamer.write(cottonwood::base::detail::debugRecord(*this));
  } catch (...) { // out of memory, say: a lost record must not end the program
  }
}

POP_INLINE bool DebugInfo::setValue(std::string name, ProfileValue value) {
  if (!values_)
    values_ = std::make_unique<ProfileValue::Map>();
  return values_->try_emplace(std::move(name), std::move(value)).second;
}

POP_INLINE void DebugInfo::initializeStreamer(std::string const &fileName,
                                              DebugSerializationFormat const &format) {
  cottonwood::base::detail::DebugStreamer::instance().open(fileName, format);
}
POP_INLINE void DebugInfo::closeStreamer() {
  cottonwood::base::detail::DebugStreamer::instance().close();
}

POP_INLINE std::ostream &operator<<(std::ostream &stream, DebugNameAndId const &name) {
  return stream << name.getPathName();
}
POP_INLINE std::ostream &operator<<(std::ostream &stream, DebugContext const &context) {
  return stream << context.getPathName();
}

} // namespace poplar
