// Bodies of <poplar/ProfileValue.hpp>.
#pragma once

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <ostream>
#include <poplar/ProfileValue.hpp>
#include <poplar/impl/base/Error.hpp>
#include <utility>
#include <variant>

namespace poplar {

struct ProfileValue::Storage {
  std::variant<Map, Vector, String, bool, Integer, double> value;

  template <class T> static std::unique_ptr<Storage> of(T value) {
    return std::make_unique<Storage>(Storage{std::move(value)});
  }
};

// A null pointer is the empty map, so that default construction allocates nothing.
POP_INLINE ProfileValue::ProfileValue() = default;
POP_INLINE ProfileValue::ProfileValue(String text) : content_(Storage::of(std::move(text))) {}
POP_INLINE ProfileValue::ProfileValue(char const *text) : ProfileValue(String(text)) {}
POP_INLINE ProfileValue::ProfileValue(Vector elements)
    : content_(Storage::of(std::move(elements))) {}
POP_INLINE ProfileValue::ProfileValue(Map members) : content_(Storage::of(std::move(members))) {}
POP_INLINE ProfileValue::ProfileValue(Number number) : content_(Storage::of(number)) {}
POP_INLINE ProfileValue::ProfileValue(Boolean value) : content_(Storage::of(value)) {}
POP_INLINE ProfileValue::ProfileValue(Integer integer) : content_(Storage::of(integer)) {}
POP_INLINE ProfileValue::ProfileValue(ProfileValue const &other)
    : content_(other.content_ ? std::make_unique<Storage>(*other.content_) : nullptr) {}
POP_INLINE ProfileValue::ProfileValue(ProfileValue &&other) noexcept = default;
POP_INLINE ProfileValue &ProfileValue::operator=(ProfileValue const &other) {
  if (this != &other)
    *this = ProfileValue(other);
  return *this;
}
POP_INLINE ProfileValue &ProfileValue::operator=(ProfileValue &&other) noexcept = default;
POP_INLINE ProfileValue::~ProfileValue() = default;

} // namespace poplar

namespace cottonwood::base::detail {

POP_INLINE char const *kindName(poplar::ProfileValue::Type type) {
  using enum poplar::ProfileValue::Type;
  switch (type) {
  case BOOL_:
    return "a boolean";
  case STRING:
    return "a string";
  case NUMBER:
    return "a number";
  case VECTOR:
    return "a vector";
  default:
    return "a map";
  }
}

[[noreturn]] POP_INLINE void wrongKind(poplar::ProfileValue const &value, char const *wanted) {
  fail<poplar::poplar_error>("poplar::ProfileValue", "this is ", kindName(value.type()), ", not ",
                             wanted);
}

} // namespace cottonwood::base::detail

namespace poplar {

POP_INLINE ProfileValue::Type ProfileValue::type() const {
  constexpr Type kinds[] = {Type::MAP,   Type::VECTOR, Type::STRING,
                            Type::BOOL_, Type::NUMBER, Type::NUMBER};
  return content_ ? kinds[content_->value.index()] : Type::MAP;
}

POP_INLINE ProfileValue::String const &ProfileValue::asString() const {
  if (auto const *text = content_ ? std::get_if<String>(&content_->value) : nullptr)
    return *text;
  cottonwood::base::detail::wrongKind(*this, "a string");
}

POP_INLINE ProfileValue::Boolean ProfileValue::asBool() const {
  if (auto const *value = content_ ? std::get_if<bool>(&content_->value) : nullptr)
    return *value;
  cottonwood::base::detail::wrongKind(*this, "a boolean");
}

POP_INLINE double ProfileValue::asDouble() const {
  if (auto const *integer = content_ ? std::get_if<Integer>(&content_->value) : nullptr)
    return integer->negative ? static_cast<double>(static_cast<std::int64_t>(integer->bits))
                             : static_cast<double>(integer->bits);
  if (auto const *number = content_ ? std::get_if<double>(&content_->value) : nullptr)
    return *number;
  cottonwood::base::detail::wrongKind(*this, "a number");
}

POP_INLINE std::int64_t ProfileValue::asInt() const {
  auto const *integer = content_ ? std::get_if<Integer>(&content_->value) : nullptr;
  if (integer && (integer->negative || integer->bits <= static_cast<std::uint64_t>(INT64_MAX)))
    return static_cast<std::int64_t>(integer->bits);
  double const number = asDouble();
  if (integer || !(number >= -0x1p63 && number < 0x1p63))
    cottonwood::base::fail<poplar_error>("poplar::ProfileValue::asInt", number,
                                         " does not fit in 64 signed bits");
  return static_cast<std::int64_t>(number);
}

POP_INLINE std::uint64_t ProfileValue::asUint() const {
  auto const *integer = content_ ? std::get_if<Integer>(&content_->value) : nullptr;
  if (integer && !integer->negative)
    return integer->bits;
  double const number = asDouble();
  if (integer || !(number > -1.0 && number < 0x1p64))
    cottonwood::base::fail<poplar_error>("poplar::ProfileValue::asUint", number,
                                         " does not fit in 64 unsigned bits");
  return static_cast<std::uint64_t>(number);
}

POP_INLINE ProfileValue::Map const &ProfileValue::asMap() const {
  static Map const none;
  if (!content_)
    return none;
  if (auto const *map = std::get_if<Map>(&content_->value))
    return *map;
  cottonwood::base::detail::wrongKind(*this, "a map");
}

POP_INLINE ProfileValue::Vector const &ProfileValue::asVector() const {
  if (auto const *vector = content_ ? std::get_if<Vector>(&content_->value) : nullptr)
    return *vector;
  cottonwood::base::detail::wrongKind(*this, "a vector");
}

POP_INLINE ProfileValue const *ProfileValue::getOrNull(StringRef key) const {
  auto const &map = asMap();
  auto const found = map.find(key.cloneAsString());
  return found == map.end() ? nullptr : &found->second;
}

POP_INLINE ProfileValue const &ProfileValue::operator[](StringRef key) const {
  if (auto const *value = getOrNull(key))
    return *value;
  cottonwood::base::fail<poplar_error>("poplar::ProfileValue", "the map of ", size(),
                                       " members has no ", cottonwood::base::quoted(key));
}

POP_INLINE ProfileValue const &ProfileValue::element(std::size_t index) const {
  auto const &vector = asVector();
  if (index >= vector.size())
    cottonwood::base::fail<poplar_error>("poplar::ProfileValue", "index ", index,
                                         " is out of range for a vector of ", vector.size());
  return vector[index];
}

POP_INLINE std::size_t ProfileValue::size() const {
  return type() == Type::VECTOR ? asVector().size() : asMap().size();
}

POP_INLINE std::vector<std::uint64_t> ProfileValue::toUintVector() const {
  std::vector<std::uint64_t> values;
  values.reserve(size());
  for (auto const &value : asVector())
    values.push_back(value.asUint());
  return values;
}

POP_INLINE double ProfileValue::sumDouble() const {
  double sum = 0;
  for (auto const &value : asVector())
    sum += value.asDouble();
  return sum;
}
POP_INLINE std::int64_t ProfileValue::sumInt() const {
  std::int64_t sum = 0;
  for (auto const &value : asVector())
    sum += value.asInt();
  return sum;
}
POP_INLINE std::uint64_t ProfileValue::sumUint() const {
  std::uint64_t sum = 0;
  for (auto const &value : asVector())
    sum += value.asUint();
  return sum;
}
POP_INLINE std::int64_t ProfileValue::sum2DInt() const {
  std::int64_t sum = 0;
  for (auto const &value : asVector())
    sum += value.sumInt();
  return sum;
}
POP_INLINE std::uint64_t ProfileValue::sum2DUint() const {
  std::uint64_t sum = 0;
  for (auto const &value : asVector())
    sum += value.sumUint();
  return sum;
}

POP_INLINE bool ProfileValue::operator==(ProfileValue const &other) const {
  if (type() != other.type())
    return false;
  switch (type()) {
  case Type::MAP:
    return asMap() == other.asMap();
  case Type::VECTOR:
    return asVector() == other.asVector();
  case Type::STRING:
    return asString() == other.asString();
  case Type::BOOL_:
    return asBool() == other.asBool();
  default:
    break;
  }
  auto const *a = std::get_if<Integer>(&content_->value);
  auto const *b = std::get_if<Integer>(&other.content_->value);
  if (a && b)
    return a->bits == b->bits && a->negative == b->negative;
  return asDouble() == other.asDouble();
}

} // namespace poplar

namespace cottonwood::base::detail {

POP_INLINE void writeJSONText(std::ostream &stream, std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  stream << '"';
  for (char const c : text) {
    if (c == '"' || c == '\\')
      stream << '\\' << c;
    else if (c == '\n')
      stream << "\\n";
    else if (c == '\t')
      stream << "\\t";
    else if (static_cast<unsigned char>(c) < 0x20)
      stream << "\\u00" << digits[(c >> 4) & 15] << digits[c & 15];
    else
      stream << c;
  }
  stream << '"';
}

/// Shortest text that reads back as the same number; JSON has no infinities or NaNs, they become
/// null.
POP_INLINE void writeJSONNumber(std::ostream &stream, double number) {
  if (!std::isfinite(number)) {
    stream << "null";
    return;
  }
  char text[32];
  auto const end = std::to_chars(text, text + sizeof text, number).ptr;
  stream.write(text, end - text);
}

/// Writes the elements of a container between brackets. \param indent of the elements; negative:
/// all on one line.
template <class Container, class WriteElement>
void writeJSONList(std::ostream &stream, Container const &elements, char open, char close,
                   int indent, WriteElement const &writeElement) {
  auto const newLine = [&](int spaces) {
    if (indent >= 0)
      stream << '\n' << std::string(static_cast<std::size_t>(spaces), ' ');
  };
  stream << open;
  bool first = true;
  for (auto const &element : elements) {
    if (!first)
      stream << (indent >= 0 ? "," : ", ");
    first = false;
    newLine(indent);
    writeElement(element);
  }
  if (!first)
    newLine(indent - 2);
  stream << close;
}

/// CBOR (RFC 8949): the head of an item, in the shortest form that holds its argument.
POP_INLINE void writeCBORHead(std::ostream &stream, unsigned major, std::uint64_t argument) {
  unsigned const bytes = argument < 24            ? 0
                         : argument <= 0xff       ? 1
                         : argument <= 0xffff     ? 2
                         : argument <= 0xffffffff ? 4
                                                  : 8;
  unsigned const info = bytes == 0 ? static_cast<unsigned>(argument)
                                   : 23u + static_cast<unsigned>(std::bit_width(bytes));
  stream.put(static_cast<char>(major << 5 | info));
  for (unsigned i = bytes; i-- != 0;)
    stream.put(static_cast<char>(argument >> (8 * i)));
}

POP_INLINE void writeCBORText(std::ostream &stream, std::string const &text) {
  writeCBORHead(stream, 3, text.size());
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
}

} // namespace cottonwood::base::detail

namespace poplar {

POP_INLINE void ProfileValue::writeJSON(std::ostream &stream, int indent) const {
  using namespace cottonwood::base::detail;
  int const inner = indent < 0 ? indent : indent + 2;
  switch (type()) {
  case Type::MAP:
    return writeJSONList(stream, asMap(), '{', '}', indent, [&](auto const &member) {
      writeJSONText(stream, member.first);
      stream << ": ";
      member.second.writeJSON(stream, inner);
    });
  case Type::VECTOR:
    return writeJSONList(stream, asVector(), '[', ']', indent,
                         [&](ProfileValue const &element) { element.writeJSON(stream, inner); });
  case Type::STRING:
    return writeJSONText(stream, asString());
  case Type::BOOL_:
    stream << (asBool() ? "true" : "false");
    return;
  case Type::NUMBER:
    break;
  }
  auto const *integer = std::get_if<Integer>(&content_->value);
  if (!integer)
    writeJSONNumber(stream, asDouble());
  else if (integer->negative)
    stream << cottonwood::base::textOf(static_cast<std::int64_t>(integer->bits));
  else
    stream << cottonwood::base::textOf(integer->bits);
}

POP_INLINE void ProfileValue::writeCBOR(std::ostream &stream) const {
  using namespace cottonwood::base::detail;
  switch (type()) {
  case Type::MAP:
    writeCBORHead(stream, 5, size());
    for (auto const &[key, member] : asMap()) {
      writeCBORText(stream, key);
      member.writeCBOR(stream);
    }
    return;
  case Type::VECTOR:
    writeCBORHead(stream, 4, size());
    for (auto const &element : asVector())
      element.writeCBOR(stream);
    return;
  case Type::STRING:
    return writeCBORText(stream, asString());
  case Type::BOOL_:
    return writeCBORHead(stream, 7, asBool() ? 21 : 20);
  case Type::NUMBER:
    break;
  }
  if (auto const *integer = std::get_if<Integer>(&content_->value))
    return writeCBORHead(stream, integer->negative ? 1 : 0,
                         integer->negative ? ~integer->bits : integer->bits);
  stream.put(static_cast<char>(0xfb));
  auto const bits = std::bit_cast<std::uint64_t>(asDouble());
  for (unsigned i = 8; i-- != 0;)
    stream.put(static_cast<char>(bits >> (8 * i)));
}

POP_INLINE void serializeToJSON(std::ostream &stream, ProfileValue const &value, bool prettyPrint) {
  value.writeJSON(stream, prettyPrint ? 2 : -1);
}

POP_INLINE void serializeToCBOR(std::ostream &stream, ProfileValue const &value, bool withTag) {
  if (withTag)
    cottonwood::base::detail::writeCBORHead(stream, 6, 55799); // "self-described CBOR"
  value.writeCBOR(stream);
}

POP_INLINE std::ostream &operator<<(std::ostream &stream, ProfileValue const &value) {
  serializeToJSON(stream, value);
  return stream;
}

} // namespace poplar
