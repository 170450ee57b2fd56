// Names and origins of variables, compute sets and programs.
//
// A name is a path: the parent's path, then '/' and the own name; empty parts add nothing.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_DEBUGCONTEXT_HPP
#define POPLAR_DEBUGCONTEXT_HPP

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <poplar/ProfileValue.hpp>
#include <poplar/StringRef.hpp>
#include <string>
#include <type_traits>

namespace cottonwood {
namespace base {
struct DebugAccess; // impl/base/DebugAccess.hpp
} // namespace base
} // namespace cottonwood

namespace poplar {

using DebugId = std::uint64_t;

/// A place in source code. The texts are not owned: they are those of the compiler.
class SourceLocation {
public:
  constexpr SourceLocation() noexcept
      : functionName_(""), fileName_(""), lineNumber_(0), valid_(false) {}
  constexpr SourceLocation(char const *functionName, char const *fileName,
                           unsigned lineNumber) noexcept
      : functionName_(functionName), fileName_(fileName), lineNumber_(lineNumber), valid_(true) {}
  constexpr char const *getFunctionName() const noexcept { return functionName_; }
  constexpr char const *getFileName() const noexcept { return fileName_; }
  constexpr unsigned getLineNumber() const noexcept { return lineNumber_; }
  constexpr bool isValid() const noexcept { return valid_; }

  /// The place of the call; as a default argument, the place of the call of that function.
  static SourceLocation Current(char const *functionName = __builtin_FUNCTION(),
                                char const *fileName = __builtin_FILE(),
                                unsigned lineNumber = __builtin_LINE()) noexcept {
    return SourceLocation(functionName, fileName, lineNumber);
  }

private:
  char const *functionName_;
  char const *fileName_;
  unsigned lineNumber_;
  bool valid_;
};

enum class DebugSerializationFormat { JSON, CBOR };

class DebugContext;
class DebugInfo;

/// A path and the id of the DebugInfo it came from.
class POP_API DebugNameAndId {
public:
  DebugNameAndId(std::string name = "", DebugId debugId = {}, std::string parentPath = "");
  DebugNameAndId(char const *name);
  DebugNameAndId(DebugId debugId);
  DebugNameAndId(DebugInfo const &debugInfo, std::string name = "");
  DebugNameAndId(DebugNameAndId const &other, StringRef name = "");
  DebugNameAndId &operator=(DebugNameAndId const &other);
  ~DebugNameAndId();

  std::string getPathName() const { return path_; }

private:
  friend class DebugContext;
  friend struct cottonwood::base::DebugAccess;

  std::string path_;
  DebugId id_;
};

/// What is passed to everything that makes a named thing: a path, the id of the DebugInfo above,
/// and the caller's place in the source. Converts from text, DebugInfo and DebugNameAndId, alone or
/// in braces with a name.
class POP_API DebugContext {
public:
  DebugContext(SourceLocation location = SourceLocation::Current()) noexcept
      : parent_(0), location_(location) {}
  DebugContext(char const *name, SourceLocation location = SourceLocation::Current());
  DebugContext(StringRef name, SourceLocation location = SourceLocation::Current());
  DebugContext(std::string name, SourceLocation location = SourceLocation::Current());
  DebugContext(DebugInfo const &debugInfo, std::string name = "",
               SourceLocation location = SourceLocation::Current());
  DebugContext(DebugNameAndId const &debugNameAndId, std::string name = "",
               SourceLocation location = SourceLocation::Current());
  /// A name below another context. A template, so that braced first arguments keep meaning what
  /// they did without it.
  template <class T, class = typename std::enable_if<std::is_same<T, DebugContext>::value>::type>
  DebugContext(T const &parent, StringRef name, SourceLocation location = SourceLocation::Current())
      : DebugContext(Below(), parent, name, location) {}
  DebugContext(DebugContext const &other);
  DebugContext(DebugContext &&other) noexcept;
  DebugContext &operator=(DebugContext const &other);
  DebugContext &operator=(DebugContext &&other) noexcept;
  ~DebugContext();

  std::string getPathName() const { return path_; }

private:
  friend struct cottonwood::base::DebugAccess;
  struct Below {};
  DebugContext(Below, DebugContext const &parent, StringRef name, SourceLocation location);

  std::string path_;
  DebugId parent_; // the DebugInfo above; 0 for none
  SourceLocation location_;
};

/// One step of building a graph (one call of a library function, say): an id, a path, and values
/// worth recording. While a streamer is open, each DebugInfo is written to it when it dies.
class POP_API DebugInfo {
public:
  DebugInfo(DebugContext const &debugContext, std::string layer);
  DebugInfo(DebugInfo const &) = delete;
  DebugInfo &operator=(DebugInfo const &) = delete;
  virtual ~DebugInfo();

  DebugId getId() const noexcept { return id_; }
  std::string getPathName() const { return path_; }
  /// \returns false, and changes nothing, if the name was set before.
  bool setValue(std::string name, ProfileValue value);

  /// Opens the file that records every DebugInfo of the process from now on.
  /// \throws poplar_error  a streamer is open already, or the file cannot be written.
  static void
  initializeStreamer(std::string const &fileName,
                     DebugSerializationFormat const &format = DebugSerializationFormat::CBOR);
  /// Completes and closes the file; does nothing when none is open.
  static void closeStreamer();

private:
  friend struct cottonwood::base::DebugAccess;

  DebugId id_;
  DebugId parent_;
  std::string path_;
  std::string layer_;
  SourceLocation location_;
  std::unique_ptr<ProfileValue::Map> values_; // made at the first setValue
};

/// Both print the path.
POP_API std::ostream &operator<<(std::ostream &stream, DebugNameAndId const &name);
POP_API std::ostream &operator<<(std::ostream &stream, DebugContext const &context);

} // namespace poplar

#endif
