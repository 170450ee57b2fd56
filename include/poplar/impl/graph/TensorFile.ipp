#pragma once
#include <poplar/impl/graph/TensorFile.hpp>

#include <istream>
#include <limits>
#include <ostream>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>

namespace cottonwood::graph::detail {

inline constexpr char TENSOR_MAGIC[] = "cwtensor";
inline constexpr std::size_t TENSOR_MAGIC_BYTES = sizeof TENSOR_MAGIC - 1;

[[noreturn]] POP_INLINE void failToRead(std::string_view what) {
  base::fail<poplar::parse_error>("Graph::deserializeTensors", what);
}

// Four archives with the same members: each visits a value, and writes it out or replaces it.

class JSONWriter {
public:
  static constexpr bool READS = false;
  explicit JSONWriter(std::ostream &out) : out_(out) {}
  void open(char bracket) { out_ << bracket; }
  void close(char bracket) { out_ << bracket; }
  void key(char const *name, bool first) { out_ << (first ? "\"" : ", \"") << name << "\": "; }
  void value(std::uint64_t const &number) { out_ << number; }
  void value(std::string const &text) { out_ << '"' << text << '"'; } // names of types alone
  template <class T, class F> void list(std::vector<T> const &elements, F &&each) {
    out_ << '[';
    for (std::size_t i = 0; i < elements.size(); ++i) {
      out_ << (i == 0 ? "" : ", ");
      each(elements[i]);
    }
    out_ << ']';
  }

private:
  std::ostream &out_;
};

class JSONReader {
public:
  static constexpr bool READS = true;
  explicit JSONReader(std::istream &in) : in_(in) {}
  void open(char bracket) { expect(bracket); }
  void close(char bracket) { expect(bracket); }
  void key(char const *name, bool first) {
    if (!first)
      expect(',');
    std::string found;
    value(found);
    if (found != name)
      failToRead(base::textOf("'", name, "' is missing, '", found, "' is there"));
    expect(':');
  }
  void value(std::uint64_t &number) {
    in_ >> std::ws;
    if (in_.peek() < '0' || in_.peek() > '9')
      failToRead("a number is missing");
    in_ >> number;
    if (!in_)
      failToRead("a number is too large");
  }
  void value(std::string &text) {
    expect('"');
    if (!std::getline(in_, text, '"') || in_.eof())
      failToRead("a text does not end");
  }
  template <class T, class F> void list(std::vector<T> &elements, F &&each) {
    expect('[');
    in_ >> std::ws;
    if (in_.peek() != ']')
      do {
        each(elements.emplace_back());
        in_ >> std::ws;
      } while (in_.peek() == ',' && in_.get());
    expect(']');
  }

private:
  void expect(char wanted) {
    char found = 0;
    if (!(in_ >> found) || found != wanted)
      failToRead(base::textOf("'", wanted, "' is missing"));
  }
  std::istream &in_;
};

class BinaryWriter {
public:
  static constexpr bool READS = false;
  explicit BinaryWriter(std::ostream &out) : out_(out) {
    out_.write(TENSOR_MAGIC, TENSOR_MAGIC_BYTES);
  }
  void open(char) {}
  void close(char) {}
  void key(char const *, bool) {}
  void value(std::uint64_t const &number) {
    for (unsigned shift = 0; shift < 64; shift += 8)
      out_.put(static_cast<char>(number >> shift));
  }
  void value(std::string const &text) {
    value(std::uint64_t{text.size()});
    out_.write(text.data(), static_cast<std::streamsize>(text.size()));
  }
  template <class T, class F> void list(std::vector<T> const &elements, F &&each) {
    value(std::uint64_t{elements.size()});
    for (T const &element : elements)
      each(element);
  }

private:
  std::ostream &out_;
};

class BinaryReader {
public:
  static constexpr bool READS = true;
  explicit BinaryReader(std::istream &in) : in_(in) {
    for (std::size_t i = 0; i < TENSOR_MAGIC_BYTES; ++i)
      if (in_.get() != TENSOR_MAGIC[i])
        failToRead("this is not a file of tensors");
  }
  void open(char) {}
  void close(char) {}
  void key(char const *, bool) {}
  void value(std::uint64_t &number) {
    number = 0;
    for (unsigned shift = 0; shift < 64; shift += 8)
      number |= static_cast<std::uint64_t>(byte()) << shift;
  }
  void value(std::string &text) {
    std::uint64_t size = 0;
    value(size);
    for (; size != 0; --size) // not more than there is, whatever the size claims
      text += static_cast<char>(byte());
  }
  template <class T, class F> void list(std::vector<T> &elements, F &&each) {
    std::uint64_t size = 0;
    value(size);
    for (; size != 0; --size)
      each(elements.emplace_back());
  }

private:
  unsigned char byte() {
    int const next = in_.get();
    if (next == std::istream::traits_type::eof())
      failToRead("the file ends early");
    return static_cast<unsigned char>(next);
  }
  std::istream &in_;
};

/// Visits a file member by member; `File` is const for writers.
template <class Archive, class File> void visit(Archive &archive, File &file) {
  auto const number = [&](auto &n) { archive.value(n); };
  auto const numbers = [&](auto &list) { archive.list(list, number); };
  archive.open('{');
  archive.key("version", true);
  archive.value(file.version);
  if (Archive::READS && file.version != 1)
    failToRead(base::textOf("version ", file.version, " is not known; 1 is"));
  archive.key("variables", false);
  archive.list(file.variables, [&](auto &variable) {
    archive.open('{');
    archive.key("type", true);
    archive.value(variable.type);
    archive.key("elements", false);
    archive.value(variable.elements);
    archive.key("tiles", false);
    archive.list(variable.tiles, numbers);
    archive.close('}');
  });
  archive.key("tensors", false);
  archive.list(file.tensors, [&](auto &tensor) {
    archive.open('{');
    archive.key("type", true);
    archive.value(tensor.type);
    archive.key("shape", false);
    archive.list(tensor.shape, number);
    archive.key("blocks", false);
    archive.list(tensor.blocks, numbers);
    archive.close('}');
  });
  archive.close('}');
}

} // namespace cottonwood::graph::detail

namespace cottonwood::graph {

POP_INLINE void write(std::ostream &out, TensorFile const &file,
                      poplar::SerializationFormat format) {
  if (format == poplar::SerializationFormat::JSON) {
    detail::JSONWriter archive(out);
    detail::visit(archive, file);
    out << '\n';
    return;
  }
  detail::BinaryWriter archive(out);
  detail::visit(archive, file);
}

POP_INLINE TensorFile readTensorFile(std::istream &in, poplar::SerializationFormat format) {
  TensorFile file;
  if (format == poplar::SerializationFormat::JSON) {
    detail::JSONReader archive(in);
    detail::visit(archive, file);
    return file;
  }
  detail::BinaryReader archive(in);
  detail::visit(archive, file);
  return file;
}

} // namespace cottonwood::graph
