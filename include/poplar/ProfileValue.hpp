// A tree of values as JSON knows them: booleans, numbers, text, vectors and maps.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_PROFILEVALUE_HPP
#define POPLAR_PROFILEVALUE_HPP

#include <cstdint>
#include <iosfwd>
#include <map>
#include <memory>
#include <poplar/StringRef.hpp>
#include <string>
#include <type_traits>
#include <vector>

namespace poplar {

class OptionFlags;

class POP_API ProfileValue {
public:
  enum class Type { BOOL_, STRING, NUMBER, VECTOR, MAP };
  using Boolean = bool;
  using Number = double;
  using String = std::string;
  using Vector = std::vector<ProfileValue>;
  using Map = std::map<std::string, ProfileValue>;
  /// What a value is made of; opaque.
  struct Storage;

  /// An empty map.
  ProfileValue();
  ProfileValue(String text);
  ProfileValue(char const *text);
  ProfileValue(Vector elements);
  ProfileValue(Map members);
  ProfileValue(Number number);
  explicit ProfileValue(Boolean value);
  /// Integers are kept exactly, up to 64 bits.
  template <class T, class = typename std::enable_if<std::is_integral<T>::value &&
                                                     !std::is_same<T, bool>::value>::type>
  ProfileValue(T integer)
      : ProfileValue(Integer{static_cast<std::uint64_t>(integer),
                             std::is_signed<T>::value && integer < T(1) && integer != T(0)}) {}
  ProfileValue(ProfileValue const &other);
  ProfileValue(ProfileValue &&other) noexcept;
  ProfileValue &operator=(ProfileValue const &other);
  ProfileValue &operator=(ProfileValue &&other) noexcept;
  /// Exactly bool: pointers and numbers would convert to it.
  template <class T, class = typename std::enable_if<std::is_same<T, bool>::value>::type>
  ProfileValue &operator=(T value) {
    return *this = ProfileValue(static_cast<Boolean>(value));
  }
  ~ProfileValue();

  Type type() const;
  /// Each of these throws poplar_error when the value is of another kind. Numbers convert between
  /// the three number getters; a fraction is cut off towards zero.
  String const &asString() const;
  Boolean asBool() const;
  std::int64_t asInt() const;
  std::uint64_t asUint() const;
  double asDouble() const;
  Map const &asMap() const;
  Vector const &asVector() const;

  /// \throws poplar_error  not a map, or no such key.
  ProfileValue const &operator[](StringRef key) const;
  /// \throws poplar_error  not a vector, or the index is out of range.
  template <class I, class = typename std::enable_if<std::is_integral<I>::value>::type>
  ProfileValue const &operator[](I index) const {
    return element(static_cast<std::size_t>(index));
  }
  /// The member of that name, or nullptr.
  ProfileValue const *getOrNull(StringRef key) const;
  std::vector<std::uint64_t> toUintVector() const;
  /// Elements of a vector or a map.
  std::size_t size() const;

  /// Sums over a vector of numbers, or over a vector of vectors of numbers.
  double sumDouble() const;
  std::int64_t sumInt() const;
  std::uint64_t sumUint() const;
  std::int64_t sum2DInt() const;
  std::uint64_t sum2DUint() const;

  bool operator==(ProfileValue const &other) const;
  bool operator!=(ProfileValue const &other) const { return !(*this == other); }

private:
  struct Integer {
    std::uint64_t bits; // two's complement when negative
    bool negative;
  };
  explicit ProfileValue(Integer integer);
  ProfileValue const &element(std::size_t index) const;

  /// \param indent  of the elements, in spaces; negative: all on one line.
  void writeJSON(std::ostream &stream, int indent) const;
  void writeCBOR(std::ostream &stream) const;

  friend POP_API void serializeToJSON(std::ostream &, ProfileValue const &, bool);
  friend POP_API void serializeToCBOR(std::ostream &, ProfileValue const &, bool);

  std::unique_ptr<Storage> content_;
};

/// Writes the value as JSON: on one line, or indented by two spaces with one element a line.
POP_API void serializeToJSON(std::ostream &stream, ProfileValue const &value,
                             bool prettyPrint = false);
/// Writes the value as CBOR (RFC 8949), after the self-described CBOR tag when `withTag` is set.
POP_API void serializeToCBOR(std::ostream &stream, ProfileValue const &value, bool withTag = true);
/// Writes the value as JSON on one line.
POP_API std::ostream &operator<<(std::ostream &stream, ProfileValue const &value);

// The text of Engine::printProfileSummary, from the trees of Engine::getGraphProfile and
// Engine::getExecutionProfile and with the same options.
/// Target, graph and memory. \throws poplar_error  the tree is no graph profile.
POP_API void printGraphSummary(std::ostream &stream, ProfileValue const &graphProfile,
                               OptionFlags const &opts);
/// What was executed. \throws poplar_error  a tree is not the profile that it should be.
POP_API void printExecutionSummary(std::ostream &stream, ProfileValue const &graphProfile,
                                   ProfileValue const &executionProfile, OptionFlags const &opts);
/// Both; the graph alone if the execution profile is an empty map.
POP_API void printProfileSummary(std::ostream &stream, ProfileValue const &graphProfile,
                                 ProfileValue const &executionProfile, OptionFlags const &opts);
POP_API void printProfileSummary(std::ostream &stream, ProfileValue const &graphProfile,
                                 ProfileValue const &executionProfile);

} // namespace poplar

#include <poplar/OptionFlags.hpp> // which needs the class above

#endif
