#include <codelets/popc/Tail.hpp>

#include <poplar/impl/base/Error.hpp>

namespace cottonwood::popc {

namespace {

/// As the text of a string literal.
std::string literal(std::string const &text) {
  std::string result = "\"";
  for (char const c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + '"';
}

std::string exportOf(FoundVertex const &vertex) {
  std::string fields, members;
  for (std::string const &field : vertex.fields) {
    std::string const member = base::textOf("&", vertex.cppName, "::", field);
    fields += (fields.empty() ? "" : ",") + field;
    members += base::textOf(",\n    ::cottonwood::codelet::ExportedMember<decltype(", member, "), ",
                            member, ">");
  }
  std::string const compute = base::textOf("&", vertex.cppName, "::compute");
  std::string const picked = base::textOf("decltype(::cottonwood::codelet::ComputeMethod<",
                                          vertex.isMulti, ">::pick(", compute, "))");
  return base::textOf("template <> struct cottonwood::codelet::VertexText<", vertex.cppName,
                      "> {\n", "  static char const *name() { return ", literal(vertex.name),
                      "; }\n", "  static char const *fields() { return ", literal(fields),
                      "; }\n};\n", "template struct cottonwood::codelet::Exporter<", vertex.cppName,
                      ",\n    ::cottonwood::codelet::VertexMethod<", picked, ", ", compute, ">",
                      members, ">;\n");
}

} // namespace

std::string exportText(std::vector<FoundVertex> const &vertices) {
  // Macros of the source must not reach into the words used here.
  std::string text;
  for (char const *const word : {"cottonwood", "codelet", "compute", "pick", "name", "fields",
                                 "decltype", "template", "static", "struct", "return"})
    text += base::textOf("#undef ", word, "\n");
  for (FoundVertex const &vertex : vertices)
    text += exportOf(vertex);
  return text;
}

} // namespace cottonwood::popc
