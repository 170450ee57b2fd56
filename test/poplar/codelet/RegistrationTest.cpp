#include "RegistrationVertices.hpp"

#include <poplar/Graph.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/codelet/Describe.hpp>
#include <poplar/impl/codelet/Registry.hpp>
#include <poplar/impl/graph/GraphData.hpp>
#include <poplar/impl/graph/HandleAccess.hpp>

#include "../graph/GraphTestUtil.hpp"

#include <array>
#include <cstring>
#include <set>
#include <span>

using namespace cottonwood::codelet;
using poplar::Graph;

namespace {

class ClashVertex : public poplar::Vertex {
public:
  poplar::Input<float> a;
  void compute() {}
};

class OnlyHere : public poplar::Vertex {
public:
  poplar::Input<float> a;
  unsigned n;
  void compute() {}
};

class NotRegistered : public poplar::Vertex {
public:
  void compute() {}
};

Codelet const &codelet(char const *name) {
  Codelet const *const found = findProcessWide(name);
  REQUIRE(found != nullptr);
  return *found;
}

Field const &field(Codelet const &codelet, char const *name) {
  int const index = codelet.findField(name);
  REQUIRE(index >= 0);
  return codelet.fields[static_cast<unsigned>(index)];
}

/// A zeroed state image.
struct Image {
  explicit Image(Codelet const &c) : bytes(c.stateSize + 16) {}
  template <class T> void set(Field const &f, T value) {
    std::memcpy(bytes.data() + f.offset, &value, sizeof value);
  }
  void span(Field const &f, void *p, std::size_t n) {
    set(f, p);
    std::memcpy(bytes.data() + f.offset + 8, &n, sizeof n);
  }
  std::vector<unsigned char> bytes;
};

} // namespace

POPLAR_VERTEX(ClashVertex, a)
POPLAR_VERTEX(OnlyHere, a, n)

TEST_SUITE_BEGIN("poplar/codelet/registration");

TEST_CASE("private fields are found, and state is an image without an object") {
  Codelet const &c = codelet("registration_test::deep::Private");
  CHECK(c.supervisor);
  CHECK_FALSE(c.multi);
  CHECK(field(c, "n").direction == Direction::InOut);
  CHECK(field(c, "in").shape == FieldShape::VectorOfVectors);
  CHECK(field(c, "in").outer == poplar::VectorLayout::SPAN);
  CHECK(field(c, "in").inner == poplar::VectorLayout::ONE_PTR);
  CHECK(field(c, "in").minAlign == 8);
  CHECK(field(c, "k").type == poplar::UNSIGNED_SHORT);
  CHECK(field(c, "k").size == 2);
  Image image(c);
  unsigned n = 0;
  image.set(field(c, "n"), static_cast<void *>(&n));
  image.set(field(c, "k"), static_cast<unsigned short>(4));
  CHECK(c.entry(image.bytes.data(), 0, nullptr));
  CHECK(n == 4);
  image.set(field(c, "k"), static_cast<unsigned short>(3));
  CHECK_FALSE(c.entry(image.bytes.data(), 0, nullptr));
}

TEST_CASE("fields of bases count, in the order of the class; void counts as true") {
  Codelet const &c = codelet("registration_test::deep::Derived");
  REQUIRE(c.fields.size() == 2);
  CHECK(c.fields[0].name == "x");
  CHECK(c.fields[1].name == "y");
  Image image(c);
  float x = 3, y = 0;
  image.set(c.fields[0], static_cast<void *>(&x));
  image.set(c.fields[1], static_cast<void *>(&y));
  CHECK(c.entry(image.bytes.data(), 0, nullptr));
  CHECK(y == 6);
}

TEST_CASE("instances of templates, as MultiVertex") {
  Codelet const &c = codelet("registration_test::deep::Template<float,true>");
  CHECK(c.multi);
  CHECK(codelet("registration_test::deep::Template<int, false>").multi);
  CHECK(findProcessWide("registration_test::deep::Template<float,false>") == nullptr);
  std::vector<float> in = {1, 2, 3, 4, 5, 6, 7}, out(7);
  Image image(c);
  image.span(field(c, "in"), in.data(), in.size());
  image.span(field(c, "out"), out.data(), out.size());
  for (unsigned worker = 0; worker < 6; ++worker)
    CHECK(c.entry(image.bytes.data(), worker, nullptr) == (worker != 5));
  CHECK(out == std::vector<float>{2, 4, 6, 8, 10, 12, 14});
}

TEST_CASE("no fields, and members that are not listed") {
  CHECK(codelet("registration_test::deep::Empty").fields.empty());
  Codelet const &c = codelet("registration_test::deep::Loose");
  CHECK(c.fields.size() == 1);
  int out = 0;
  Image image(c);
  image.set(c.fields[0], static_cast<void *>(&out));
  c.entry(image.bytes.data(), 0, nullptr);
  CHECK(out == 7);
}

TEST_CASE("arrays and short vectors are described by elements, lanes and values") {
  Codelet const &c = codelet("registration_test::deep::Shapes");
  struct Expected {
    char const *name;
    FieldShape shape;
    poplar::Type type;
    unsigned lanes, count, minAlign, size;
  };
  for (Expected const &e : {
           Expected{"grid", FieldShape::Array, poplar::INT, 1, 6, 4, 24},
           Expected{"modes", FieldShape::Array, poplar::UNSIGNED_SHORT, 1, 2, 2, 4},
           Expected{"quad", FieldShape::Scalar, poplar::FLOAT, 4, 1, 16, 16},
           Expected{"twins", FieldShape::Array, poplar::HALF, 2, 5, 4, 20},
           Expected{"lone", FieldShape::Array, poplar::HALF, 1, 1, 2, 2},
           Expected{"edge", FieldShape::Scalar, poplar::FLOAT, 2, 1, 8, 8},
           Expected{"out", FieldShape::Vector, poplar::HALF, 4, 1, 8, 8},
           Expected{"rows", FieldShape::VectorOfVectors, poplar::UNSIGNED_CHAR, 8, 1, 32, 16},
           Expected{"edges", FieldShape::VectorOfScalars, poplar::LONG, 2, 1, 16, 16},
           Expected{"list", FieldShape::VectorList, poplar::UNSIGNED_SHORT, 4, 1, 8, 16},
           Expected{"table", FieldShape::Vector, poplar::INT, 2, 1, 8, 16},
       }) {
    CAPTURE(e.name);
    Field const &f = field(c, e.name);
    CHECK(f.shape == e.shape);
    CHECK(f.type == e.type);
    CHECK(f.lanes == e.lanes);
    CHECK(f.count == e.count);
    CHECK(f.minAlign == e.minAlign);
    CHECK(f.size == e.size);
  }
  CHECK(field(c, "rows").direction == Direction::InOut);
  CHECK(field(c, "table").direction == Direction::State);
  // grid, modes, quad, twins and lone, each with a byte that says whether it was set
  CHECK(c.valueBytes == 24 + 4 + 16 + 20 + 2 + 5);
  CHECK(c.numRegionFields == 6);
}

TEST_CASE("fields say what they ask of memory: those of the innermost vectors") {
  Codelet const &c = codelet("registration_test::deep::Asks<16>");
  struct Expected {
    char const *name;
    unsigned minAlign;
    bool interleaved;
  };
  for (Expected const &e : {
           Expected{"nothing", 4, false},
           Expected{"aligned", 16, false},
           Expected{"both", 16, true},
           Expected{"rows", 16, true},
           Expected{"outer", 4, false}, // what asks is the list of pointers
           Expected{"list", 16, true},
           Expected{"state", 16, true},
           Expected{"natural", 4, false},
       }) {
    CAPTURE(e.name);
    CHECK(field(c, e.name).minAlign == e.minAlign);
    CHECK(field(c, e.name).interleaved == e.interleaved);
  }
}

TEST_CASE("initialisers of members are values of new vertices, until the graph sets others") {
  Graph graph(poplar::Target::createCPUTarget());
  poplar::ComputeSet const cs = graph.addComputeSet("cs");
  cottonwood::graph::GraphData const &data = *cottonwood::graph::HandleAccess::data(graph);
  auto const value = [&](unsigned vertex, char const *name, auto example, std::size_t index = 0) {
    Codelet const &c = data.codeletOf(vertex);
    std::span<std::byte const> const bytes =
        data.stateBytes(vertex, static_cast<unsigned>(c.findField(name)));
    std::memcpy(&example, bytes.data() + index * sizeof example, sizeof example);
    return example;
  };
  poplar::VertexRef const v = graph.addVertex(cs, "registration_test::deep::Initialised");
  poplar::VertexRef const other = graph.addVertex(cs, "registration_test::deep::Initialised");
  graph.setInitialValue(other["factor"], 0.0f);
  graph.setInitialValue(other["taps"][1], 5);
  CHECK(value(v.getId(), "factor", 0.0f) == 2.5f);
  CHECK(value(v.getId(), "flag", false));
  CHECK(value(v.getId(), "zero", 1) == 0);
  CHECK(value(v.getId(), "mode", static_cast<unsigned char>(0)) == 1);
  for (std::size_t i = 0; i != 3; ++i) {
    CHECK(value(v.getId(), "taps", short(9), i) == std::array<short, 3>{-1, 0, 7}[i]);
    CHECK(value(other.getId(), "taps", short(9), i) == std::array<short, 3>{-1, 5, 7}[i]);
  }
  CHECK(value(other.getId(), "factor", 1.0f) == 0);
  CHECK(value(other.getId(), "flag", false));
}

TEST_CASE("constructors are not called") {
  CHECK(codelet("registration_test::deep::Constructed").initialValues.empty());
  CHECK(codelet("registration_test::deep::Loose").initialValues.empty());
}

TEST_CASE("members without an element type are known by name only") {
  FieldDescription fields[2] = {};
  fields[0].type = cottonwood::base::TypeId::Float;
  fields[0].lanes = fields[0].count = 1;
  VertexDescription description = {};
  description.name = "V";
  description.fieldNames = "value, pointer";
  description.fields = fields;
  description.numFields = 2;
  Codelet const c = codeletFrom(description);
  CHECK(c.fields.size() == 1);
  CHECK(c.others == std::vector<std::string>{"pointer"});
}

TEST_CASE("the layout hash covers lanes, the size of arrays and interleaved memory") {
  auto const hashOf = [](FieldShape shape, unsigned lanes, unsigned count,
                         bool interleaved = false) {
    Codelet c;
    c.name = "V";
    c.stateSize = 64;
    Field f;
    f.name = "f";
    f.shape = shape;
    f.type = poplar::FLOAT;
    f.size = 16;
    f.lanes = lanes;
    f.count = count;
    f.interleaved = interleaved;
    c.fields = {f};
    c.seal();
    return c.layoutHash;
  };
  std::set<std::uint64_t> const hashes{
      hashOf(FieldShape::Scalar, 1, 1),     hashOf(FieldShape::Scalar, 4, 1),
      hashOf(FieldShape::Scalar, 2, 1),     hashOf(FieldShape::Array, 1, 4),
      hashOf(FieldShape::Array, 2, 2),      hashOf(FieldShape::Array, 1, 1),
      hashOf(FieldShape::Array, 1, 1, true)};
  CHECK(hashes.size() == 7);
}

TEST_CASE("one name has one definition in a registry") {
  auto const made = [](std::uint64_t definition, char const *origin, unsigned size = 8) {
    Codelet c;
    c.name = "V";
    c.stateSize = size;
    c.definition = definition;
    c.origin = origin;
    return c;
  };
  Registry registry;
  Codelet const &first = registry.add(made(7, "a.cpp:3"));
  CHECK(&registry.add(made(7, "copy/a.cpp:3")) == &first);
  CHECK(first.origin == "a.cpp:3");
  test::checkThrows<poplar::poplar_error>([&] { registry.add(made(8, "b.cpp:7")); },
                                          "two definitions of vertex 'V': a.cpp:3 and b.cpp:7");
  test::checkThrows<poplar::poplar_error>(
      [&] { registry.add(made(0, "")); },
      "two definitions of vertex 'V': a.cpp:3 and one compiled with the program");
  test::checkThrows<poplar::poplar_error>(
      [&] { registry.add(made(7, "b.cpp:7", 16)); },
      "registered as 'V': {; 8 bytes} (a.cpp:3) and {; 16 bytes} (b.cpp:7)");
  Registry other;
  other.add(made(0, ""));
  CHECK_NOTHROW(other.add(made(0, "")));
  test::checkThrows<poplar::poplar_error>(
      [&] { other.add(made(7, "a.cpp:3")); },
      "two definitions of vertex 'V': one compiled with the program and a.cpp:3");
}

TEST_CASE("a graph's own codelet goes before a process-wide one of its name") {
  Graph graph = test::graphWithTiles(1);
  Codelet own;
  own.name = "OnlyHere";
  own.stateSize = 8;
  own.definition = 5;
  own.origin = "own.cpp:1";
  addToGraph(graph, {&own, 1});
  poplar::VertexRef const v = graph.addVertex(graph.addComputeSet(), "OnlyHere");
  test::checkThrows<poplar::unknown_field>([&] { v["a"]; }, "it has no fields");
  test::checkThrows<poplar::poplar_error>([&] { graph.addCodelets<OnlyHere>(); },
                                          "different layouts are registered as 'OnlyHere'");
}

TEST_CASE("two layouts under one process-wide name are an error when used") {
  Graph graph = test::graphWithTiles(1);
  test::checkThrows<poplar::poplar_error>(
      [&] { graph.addVertex(graph.addComputeSet(), "ClashVertex"); },
      "two vertex classes with different layouts are registered as 'ClashVertex'");
  // A graph's own registration decides which one is meant.
  graph.addCodelets<ClashVertex>();
  CHECK_NOTHROW(graph.addVertex(graph.addComputeSet(), "ClashVertex")["a"]);
}

TEST_CASE("addCodelets registers a class for one graph, as often as one likes") {
  Graph graph = test::graphWithTiles(1);
  graph.addCodelets<OnlyHere>();
  graph.addCodelets<OnlyHere>();
  CHECK(graph.hasCodelet("OnlyHere"));
  test::checkThrows<poplar::unknown_vertex_type>([&] { graph.addCodelets<NotRegistered>(); },
                                                 "POPLAR_VERTEX");
}

TEST_CASE("built-in codelets are described from their class") {
  using V = OnlyHere;
  FieldDescription const fields[] = {POP_FIELD(V, n), POP_FIELD(V, a)};
  Codelet const c = describe("popops::Only< unsigned >", fields, CLASS_LAYOUT<V>, &enter<V>);
  CHECK(c.name == "popops::Only<unsigned int>");
  CHECK(c.fields[0].name == "a"); // in the order of the class
  CHECK(c.stateSize == sizeof(V));
  Graph graph = test::graphWithTiles(1);
  addToGraph(graph, {&c, 1});
  addToGraph(graph, {&c, 1});
  CHECK(graph.hasCodelet("popops::Only<unsigned>"));
  Codelet const other =
      describe("popops::Only<unsigned>", std::span(fields).subspan(1), CLASS_LAYOUT<V>, &enter<V>);
  test::checkThrows<poplar::poplar_error>(
      [&] {
        addToGraph(graph, {&other, 1});
      },
      "'popops::Only<unsigned int>': {a, n; 16 bytes} and {a; 16 bytes}");
  // The library was added, so a missing name is misspelt, not forgotten.
  test::checkThrows<poplar::unknown_vertex_type>(
      [&] { graph.addVertex(graph.addComputeSet(), "popops::Onlx<unsigned int>"); },
      "'popops::Only<unsigned int>'");
}

TEST_SUITE_END();
