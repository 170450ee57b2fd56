// Options as text: an ordered map from names to values.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_OPTIONFLAGS_HPP
#define POPLAR_OPTIONFLAGS_HPP

#include <cstddef>
#include <initializer_list>
#include <iosfwd>
#include <iterator>
#include <map>
#include <poplar/ProfileValue.hpp>
#include <poplar/StringRef.hpp>
#include <string>
#include <utility>

namespace poplar {

/// Iterates in the order of the names. Making and destroying an empty one allocates nothing.
class POP_API OptionFlags {
public:
  using OptionFlag = std::pair<std::string const, std::string>;
  using initializer_list = std::initializer_list<OptionFlag>;

  class iterator {
  public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = OptionFlag;
    using difference_type = std::ptrdiff_t;
    using pointer = OptionFlag const *;
    using reference = OptionFlag const &;

    iterator() = default;
    OptionFlag const &operator*() const { return *at_; }
    OptionFlag const *operator->() const { return &*at_; }
    iterator &operator++() {
      ++at_;
      return *this;
    }
    iterator operator++(int) { return iterator(at_++); }
    bool operator==(iterator const &other) const { return at_ == other.at_; }
    bool operator!=(iterator const &other) const { return at_ != other.at_; }

  private:
    friend class OptionFlags;
    explicit iterator(std::map<std::string, std::string>::const_iterator at) : at_(at) {}
    std::map<std::string, std::string>::const_iterator at_;
  };

  OptionFlags();
  OptionFlags(initializer_list list);
  OptionFlags(OptionFlags const &other);
  OptionFlags(OptionFlags &&other) noexcept;
  OptionFlags &operator=(OptionFlags const &other);
  OptionFlags &operator=(OptionFlags &&other) noexcept;
  ~OptionFlags();

  bool operator==(OptionFlags const &other) const { return flags_ == other.flags_; }
  bool operator!=(OptionFlags const &other) const { return !(*this == other); }
  bool operator<(OptionFlags const &other) const { return flags_ < other.flags_; }

  /// Later values of a name replace earlier ones.
  void set(initializer_list list);
  void set(StringRef option, StringRef value);
  /// \throws std::out_of_range  the option is not set.
  StringRef at(StringRef option) const;
  /// end() if the option is not set.
  iterator find(StringRef option) const;
  std::size_t size() const noexcept { return flags_.size(); }
  void clear() noexcept { flags_.clear(); }
  iterator begin() const { return iterator(flags_.begin()); }
  iterator end() const { return iterator(flags_.end()); }

private:
  std::map<std::string, std::string> flags_;
};

/// Adds the members of one flat JSON object to `flags`, replacing options already set. Values may
/// be strings, numbers (kept as written) and booleans ("true", "false"). \throws parse_error  not
/// JSON, not an object, or a value of another kind.
POP_API void readJSON(StringRef jsonText, OptionFlags &flags);
POP_API void readJSON(std::istream &stream, OptionFlags &flags);
/// The same with the text of an environment variable; does nothing if it is not set, or blank.
POP_API void readJSONFromEnv(StringRef envVarName, OptionFlags &flags);
/// Writes the JSON object that readJSON() reads.
POP_API std::ostream &operator<<(std::ostream &stream, OptionFlags const &flags);
/// A map of the options' texts.
POP_API ProfileValue getAsProfileValue(OptionFlags const &flags);

} // namespace poplar

namespace std {
template <> struct hash<poplar::OptionFlags> {
  POP_API std::size_t operator()(poplar::OptionFlags const &flags) const;
};
} // namespace std

#endif
