// Programs of popops::Map on every instruction set of this machine, against a naive evaluation of
// the same expression one element at a time.
#include "MapKernels.hpp"

#include <codelets/popops/Map.hpp>
#include <codelets/popops/MapCost.hpp>

#include <algorithm>
#include <map>
#include <string>

using namespace cottonwood;
using Half = cottonwood::half; // codelets also see the global name
using kernels::Walk;
using vertices::MapOp;
using vertices::MapPattern;
using vertices::MapProgramBuilder;
using vertices::MapSource;
using vertices::MapType;

namespace {

/// An expression as a tree, to be evaluated one element at a time.
struct Node {
  MapOp op = MapOp::COPY;
  MapType type = MapType::FLOAT; ///< of the result
  std::vector<int> args;         ///< nodes; none: an operand
  MapSource source = MapSource::INPUT;
  unsigned index = 0; ///< region of its type
  MapPattern pattern;
  std::uint32_t bits = 0;
};

/// The data of one region, at the end of its allocation so that a sanitizer sees reads beyond.
struct Region {
  MapType type;
  std::vector<unsigned char> bytes;
};

std::size_t sourceElement(const MapPattern &p, std::size_t i) {
  if (p.period == 0)
    return i;
  const std::uint64_t j = i + p.phase;
  return static_cast<std::size_t>(j / (std::uint64_t{p.period} * p.repeat) * p.period +
                                  j % p.period);
}

class Expression {
public:
  Expression(std::mt19937 &random, std::size_t n) : random_(random), n_(n) {}

  /// A random tree of the type, `depth` levels at most.
  int grow(MapType type, int depth) {
    // A program holds 48 operands; the siblings still to come add two a level at most.
    if (depth == 0 || nodes.size() > 32 || random_() % 8 == 0)
      return leaf(type);
    Node node;
    node.type = type;
    switch (random_() % (type == MapType::BOOL ? 3 : 5)) {
    case 0:
      node.op = MapOp::SELECT;
      node.args = {grow(type, depth - 1), grow(type, depth - 1), grow(MapType::BOOL, depth - 1)};
      break;
    case 1: {
      const MapType from = static_cast<MapType>(random_() % vertices::NUM_MAP_TYPES);
      if (type == MapType::BOOL && from != MapType::BOOL) {
        node.op = MapOp::LESS_THAN;
        node.args = {grow(from, depth - 1), grow(from, depth - 1)};
      } else {
        node.op = MapOp::CAST;
        node.args = {grow(from, depth - 1)};
      }
      break;
    }
    case 2:
      node.op = type == MapType::BOOL ? MapOp::LOGICAL_OR : MapOp::MAXIMUM;
      node.args = {grow(type, depth - 1), grow(type, depth - 1)};
      break;
    case 3:
      node.op = random_() % 2 ? MapOp::ADD : MapOp::MULTIPLY;
      node.args = {grow(type, depth - 1), grow(type, depth - 1)};
      break;
    default:
      node.op = MapOp::NEGATE;
      node.args = {grow(type, depth - 1)};
    }
    nodes.push_back(node);
    return static_cast<int>(nodes.size()) - 1;
  }

  /// Operations that each take the result of the one before, as either operand.
  int growChain(MapType type, unsigned operations, bool cheap) {
    static const MapOp ops[] = {MapOp::ABSOLUTE, MapOp::NEGATE,   MapOp::RELU,     MapOp::SQUARE,
                                MapOp::ADD,      MapOp::SUBTRACT, MapOp::MULTIPLY, MapOp::MAXIMUM,
                                MapOp::MINIMUM,  MapOp::SIGMOID,  MapOp::TANH,     MapOp::DIVIDE,
                                MapOp::EXPONENT};
    const std::size_t choice = cheap ? 9 : std::size(ops);
    int last = leaf(type);
    for (unsigned i = 0; i < operations; ++i) {
      Node node;
      node.type = type;
      node.op = ops[random_() % choice];
      node.args = {last};
      if (vertices::arity(node.op) == 2)
        node.args.insert(node.args.begin() + random_() % 2, leaf(type));
      nodes.push_back(node);
      last = static_cast<int>(nodes.size()) - 1;
    }
    return last;
  }

  /// Emits a node and what it needs into a builder.
  MapProgramBuilder::Value emit(MapProgramBuilder &b, int id) {
    if (const auto it = values_.find(id); it != values_.end())
      return it->second;
    const Node &node = nodes[static_cast<std::size_t>(id)];
    MapProgramBuilder::Value value;
    if (node.args.empty()) {
      value = node.source == MapSource::CONSTANT ? b.constant(node.type, node.bits)
              : node.source == MapSource::OUTPUT ? b.output(node.type)
                                                 : b.input(node.type, node.index, node.pattern);
    } else {
      std::vector<MapProgramBuilder::Value> args;
      for (int a : node.args)
        args.push_back(emit(b, a));
      value = node.op == MapOp::CAST ? b.cast(args[0], node.type)
              : args.size() == 1     ? b.apply(node.op, args[0])
              : args.size() == 2     ? b.apply(node.op, args[0], args[1])
                                     : b.apply(node.op, args[0], args[1], args[2]);
    }
    return values_[id] = value;
  }

  /// Element i of a node, by the scalar kernels on one element. `old` is the output before.
  std::uint32_t evaluate(int id, std::size_t i, const std::vector<unsigned char> &old) const {
    const Node &node = nodes[static_cast<std::size_t>(id)];
    std::uint32_t result = 0;
    const unsigned size = vertices::bytesOf(node.type);
    if (node.args.empty()) {
      if (node.source == MapSource::CONSTANT)
        return node.bits;
      const auto &bytes = node.source == MapSource::OUTPUT
                              ? old
                              : regions[static_cast<std::size_t>(node.type)][node.index].bytes;
      std::memcpy(&result, bytes.data() + sourceElement(node.pattern, i) * size, size);
      return result;
    }
    std::uint32_t args[3] = {};
    for (std::size_t k = 0; k < node.args.size(); ++k)
      args[k] = evaluate(node.args[k], i, old);
    const MapType from = nodes[static_cast<std::size_t>(node.args[0])].type;
    test::mapKernel(isa::Isa::Scalar, node.op, from, node.type)(&result, &args[0], &args[1],
                                                                &args[2], 1, Walk::NEAR);
    return result;
  }

  std::vector<Node> nodes;
  std::vector<Region> regions[vertices::NUM_MAP_TYPES];
  bool readsOutput = false;
  MapType outputType = MapType::FLOAT;
  bool allowOutput = false;

private:
  std::uint32_t value(MapType type) {
    switch (type) {
    case MapType::FLOAT:
      return arch::bitCast<std::uint32_t>(
          static_cast<float>(static_cast<int>(random_() % 2001) - 1000) / 8.f);
    case MapType::HALF:
      return arch::floatToHalf(static_cast<float>(static_cast<int>(random_() % 201) - 100) / 8.f);
    case MapType::BOOL:
      return random_() % 2;
    default:
      return static_cast<std::uint32_t>(random_() % 1000);
    }
  }

  int leaf(MapType type) {
    Node node;
    node.type = type;
    if (random_() % 6 == 0) {
      node.source = MapSource::CONSTANT;
      node.bits = value(type);
    } else if (allowOutput && type == outputType && random_() % 3 == 0) {
      node.source = MapSource::OUTPUT;
      readsOutput = true;
    } else {
      node.pattern = pattern();
      addRegion(node);
    }
    nodes.push_back(node);
    return static_cast<int>(nodes.size()) - 1;
  }

  MapPattern pattern() {
    MapPattern p;
    static const std::uint32_t periods[] = {1, 2, 3, 7, 10, 64, 511, 512, 513, 1000};
    switch (random_() % 6) {
    case 0:
      return MapPattern::scalar();
    case 1:
      p = {periods[random_() % std::size(periods)], MapPattern::ONCE, 0};
      break;
    case 2:
      p = {1, periods[random_() % std::size(periods)], 0};
      break;
    case 3:
      p = {periods[random_() % std::size(periods)], 1 + static_cast<std::uint32_t>(random_() % 5),
           0};
      break;
    default:
      return {};
    }
    if (random_() % 2)
      p.phase = static_cast<std::uint32_t>(
          random_() % (std::uint64_t{p.period} * std::min<std::uint32_t>(p.repeat, 9)));
    return p;
  }

  void addRegion(Node &node) {
    std::size_t elements = 0;
    for (std::size_t i = 0; i < n_; ++i)
      elements = std::max(elements, sourceElement(node.pattern, i) + 1);
    const unsigned size = vertices::bytesOf(node.type);
    Region region{node.type, std::vector<unsigned char>(elements * size)};
    for (std::size_t i = 0; i < elements; ++i) {
      const std::uint32_t x = value(node.type);
      std::memcpy(region.bytes.data() + i * size, &x, size);
    }
    auto &list = regions[static_cast<std::size_t>(node.type)];
    node.index = static_cast<unsigned>(list.size());
    list.push_back(std::move(region));
  }

  std::mt19937 &random_;
  std::size_t n_;
  std::map<int, MapProgramBuilder::Value> values_;
};

/// Runs the vertex for outputs of T and returns them as bytes.
template <class T>
std::vector<unsigned char> runVertex(isa::Isa isa, Expression &e,
                                     const std::vector<std::uint32_t> &program, std::size_t n,
                                     const std::vector<unsigned char> &old) {
  using Tag = isa::scalar;
  test::Misaligned<vertices::KernelType<T>> out(n);
  if (!old.empty())
    std::memcpy(static_cast<void *>(out.data()), old.data(), old.size());
  std::vector<const void *> pointers[vertices::NUM_MAP_TYPES];
  for (std::size_t type = 0; type < vertices::NUM_MAP_TYPES; ++type)
    for (const Region &region : e.regions[type])
      pointers[type].push_back(region.bytes.data());
  const auto fill = [&](auto state) {
    test::connect(state.inFloat, pointers[0].data());
    test::connect(state.inHalf, pointers[1].data());
    test::connect(state.inInt, pointers[2].data());
    test::connect(state.inUnsigned, pointers[3].data());
    test::connect(state.inBool, pointers[4].data());
    test::connect(state.out, out.data(), n);
    test::connect(state.program, program.data());
    test::runOn<vertices::MapFamily>(isa, state);
  };
  if (e.readsOutput)
    fill(test::zeroed<vertices::MapInPlace<Tag, T>>());
  else
    fill(test::zeroed<vertices::Map<Tag, T>>());
  CHECK(out.guardsIntact());
  std::vector<unsigned char> bytes(n * sizeof(T));
  if (!bytes.empty())
    std::memcpy(bytes.data(), static_cast<void *>(out.data()), bytes.size());
  return bytes;
}

/// Runs a program on n elements at `out`; connect(state) gives it what it reads.
template <class Vertex, class T, class Connect>
void runProgram(isa::Isa isa, const std::vector<std::uint32_t> &program, T *out, std::size_t n,
                Connect connect) {
  auto state = test::zeroed<Vertex>();
  connect(state);
  test::connect(state.out, out, n);
  test::connect(state.program, program.data());
  test::runOn<vertices::MapFamily>(isa, state);
}

/// Whose sign nobody promises.
bool isNan(MapType type, std::uint32_t bits) {
  return type == MapType::FLOAT  ? (bits & 0x7fffffffU) > 0x7f800000U
         : type == MapType::HALF ? (bits & 0x7fffU) > 0x7c00U
                                 : false;
}

/// \param chains  programs are growChain's
template <class T>
void checkRandomPrograms(MapType type, unsigned seed, int rounds, bool chains = false) {
  std::mt19937 random(seed);
  for (int round = 0; round < rounds; ++round) {
    const std::size_t n = test::lengths()[random() % test::lengths().size()];
    CAPTURE(n);
    CAPTURE(round);
    Expression e(random, n);
    e.outputType = type;
    e.allowOutput = round % 2;
    const unsigned size = 1 + static_cast<unsigned>(random() % 5);
    const int root =
        chains ? e.growChain(type, 2 * size, round % 4 < 2) : e.grow(type, static_cast<int>(size));
    MapProgramBuilder builder;
    const auto program = builder.finish(e.emit(builder, root));
    std::vector<unsigned char> old(n * sizeof(T));
    for (std::size_t i = 0; i < n; ++i) {
      const T x = T(static_cast<float>(random() % 2));
      std::memcpy(old.data() + i * sizeof(T), &x, sizeof(T));
    }
    for (isa::Isa isa : test::vectorIsas()) {
      CAPTURE(std::string(isa::name(isa)));
      const auto out = runVertex<T>(isa, e, program, n, old);
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t expected = e.evaluate(root, i, old);
        std::uint32_t got = 0;
        std::memcpy(&got, out.data() + i * sizeof(T), sizeof(T));
        REQUIRE_MESSAGE((got == expected || (isNan(type, got) && isNan(type, expected))),
                        "element ", i);
      }
    }
  }
}

} // namespace

TEST_SUITE("codelets/popops/map") {
  TEST_CASE("random programs with float results equal their expression element by element") {
    checkRandomPrograms<float>(MapType::FLOAT, 21, 300);
  }
  TEST_CASE("random programs with half results equal their expression element by element") {
    checkRandomPrograms<poplar::half>(MapType::HALF, 22, 300);
  }
  TEST_CASE("chains of operations equal the operations one by one") {
    checkRandomPrograms<float>(MapType::FLOAT, 27, 300, true);
    checkRandomPrograms<poplar::half>(MapType::HALF, 28, 300, true);
  }
  TEST_CASE("random programs with integer and BOOL results equal their expression") {
    checkRandomPrograms<int>(MapType::INT, 23, 100);
    checkRandomPrograms<unsigned>(MapType::UNSIGNED_INT, 24, 100);
    checkRandomPrograms<bool>(MapType::BOOL, 25, 200);
  }

  TEST_CASE("outputs too large for the caches are written past them with equal results") {
    std::mt19937 random(26);
    const std::size_t n = 2'700'001;
    std::vector<float> in(n);
    for (std::size_t i = 0; i < n; ++i)
      in[i] = static_cast<float>(i % 977);
    Expression e(random, n);
    MapProgramBuilder builder;
    const auto x = builder.input(MapType::FLOAT, 0);
    const auto program = builder.finish(
        builder.apply(MapOp::ADD, builder.apply(MapOp::MULTIPLY, x, builder.constant(2.f)), x));
    for (isa::Isa isa : test::vectorIsas()) {
      test::Misaligned<float> out(n);
      const std::vector<const float *> pointers{in.data()};
      runProgram<vertices::Map<isa::scalar, float>>(isa, program, out.data(), n, [&](auto &state) {
        test::connect(state.inFloat, pointers.data());
      });
      CHECK(out.guardsIntact());
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < n; ++i)
        wrong += out.data()[i] != 3.f * in[i];
      CHECK(wrong == 0);
    }
  }

  TEST_CASE("all kinds of operands beside outputs too large for the caches") {
    const std::size_t n = 2'700'001;
    std::vector<float> x(n), row(1000);
    std::vector<std::int32_t> whole(n);
    std::vector<unsigned char> mask(n);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = static_cast<float>(i % 977) - 400.f;
      whole[i] = static_cast<std::int32_t>(i % 1013);
      mask[i] = i % 3 == 0;
    }
    for (std::size_t i = 0; i < row.size(); ++i)
      row[i] = static_cast<float>(i);
    const std::vector<const float *> floats{x.data(), row.data()};
    const std::vector<const std::int32_t *> integers{whole.data()};
    const std::vector<const unsigned char *> masks{mask.data()};
    const auto check = [&](const std::vector<std::uint32_t> &program, auto example, auto expected) {
      using T = decltype(example);
      for (isa::Isa isa : test::vectorIsas())
        for (const std::size_t place : {0, 3}) {
          CAPTURE(std::string(isa::name(isa)));
          CAPTURE(place);
          std::vector<unsigned char> room((n + 3) * sizeof(T) + 64);
          void *const line =
              room.data() + (64 - reinterpret_cast<std::uintptr_t>(room.data()) % 64) % 64;
          T *const out = static_cast<T *>(line) + place;
          runProgram<vertices::Map<isa::scalar, T>>(isa, program, out, n, [&](auto &state) {
            test::connect(state.inFloat, floats.data());
            test::connect(state.inInt, integers.data());
            test::connect(state.inBool, masks.data());
          });
          std::size_t wrong = 0;
          for (std::size_t i = 0; i < n; ++i)
            wrong += out[i] != expected(i);
          CHECK(wrong == 0);
        }
    };
    const auto half = [](std::size_t i) { return static_cast<float>(i % 2); };
    MapProgramBuilder rows, chain, shortRows, columns, select, clamp, sum, compare;
    const auto values = [](MapProgramBuilder &b) { return b.input(MapType::FLOAT, 0); };
    check(rows.finish(rows.apply(MapOp::ADD, values(rows),
                                 rows.input(MapType::FLOAT, 1, MapPattern{1000, n, 7}))),
          0.f, [&](std::size_t i) { return x[i] + row[(i + 7) % 1000]; });
    const auto row1000 = chain.input(MapType::FLOAT, 1, MapPattern{1000, n, 0});
    const auto product = chain.apply(MapOp::MULTIPLY, values(chain), row1000);
    check(chain.finish(chain.apply(MapOp::RELU, chain.apply(MapOp::ADD, product, values(chain)))),
          0.f, [&](std::size_t i) { return std::max(x[i] * row[i % 1000] + x[i], 0.f); });
    check(
        shortRows.finish(shortRows.apply(MapOp::ADD, values(shortRows),
                                         shortRows.input(MapType::FLOAT, 1, MapPattern{2, n, 0}))),
        0.f, [&](std::size_t i) { return x[i] + half(i); });
    check(columns.finish(columns.apply(MapOp::ADD, values(columns),
                                       columns.input(MapType::FLOAT, 1, MapPattern{1, 2701, 0}))),
          0.f, [&](std::size_t i) { return x[i] + row[i / 2701]; });
    check(select.finish(select.apply(MapOp::SELECT, values(select), select.constant(5.f),
                                     select.input(MapType::BOOL, 0))),
          0.f, [&](std::size_t i) { return mask[i] ? x[i] : 5.f; });
    check(clamp.finish(
              clamp.apply(MapOp::CLAMP, values(clamp), clamp.constant(-2.f), clamp.constant(90.f))),
          0.f, [&](std::size_t i) { return std::clamp(x[i], -2.f, 90.f); });
    const auto integer = sum.input(MapType::INT, 0);
    check(sum.finish(sum.apply(MapOp::ADD, sum.apply(MapOp::MULTIPLY, integer, integer), integer)),
          0, [&](std::size_t i) { return whole[i] * whole[i] + whole[i]; });
    check(compare.finish(compare.apply(MapOp::GREATER_THAN, values(compare),
                                       compare.input(MapType::FLOAT, 1, MapPattern{1000, n, 0}))),
          false, [&](std::size_t i) { return x[i] > row[i % 1000]; });
  }

  TEST_CASE("operands too large for the caches are fetched ahead where the output is one") {
    const std::size_t n = 5'000'001;
    std::vector<float> old(n), y(n);
    for (std::size_t i = 0; i < n; ++i)
      old[i] = static_cast<float>(i % 977) - 400.f, y[i] = static_cast<float>(i % 31);
    const std::vector<const float *> pointers{y.data()};
    // One operation of one and of two arrays, a chain, and operations with a result between.
    for (unsigned form = 0; form < 4; ++form) {
      CAPTURE(form);
      MapProgramBuilder builder;
      const auto x = builder.output(MapType::FLOAT), other = builder.input(MapType::FLOAT, 0);
      const auto product = builder.apply(MapOp::MULTIPLY, x, other);
      const auto program = builder.finish(
          form == 0   ? builder.apply(MapOp::RELU, x)
          : form == 1 ? builder.apply(MapOp::ADD, x, other)
          : form == 2 ? builder.apply(MapOp::RELU, product)
                      : builder.apply(MapOp::SUBTRACT, product, builder.apply(MapOp::ADD, x, x)));
      for (isa::Isa isa : test::vectorIsas()) {
        CAPTURE(std::string(isa::name(isa)));
        test::Misaligned<float> out(n);
        std::copy(old.begin(), old.end(), out.data());
        runProgram<vertices::MapInPlace<isa::scalar, float>>(
            isa, program, out.data(), n,
            [&](auto &state) { test::connect(state.inFloat, pointers.data()); });
        CHECK(out.guardsIntact());
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < n; ++i) {
          const float a = old[i], b = y[i];
          wrong += out.data()[i] != (form == 0   ? std::max(a, 0.f)
                                     : form == 1 ? a + b
                                     : form == 2 ? std::max(a * b, 0.f)
                                                 : a * b - (a + a));
        }
        CHECK(wrong == 0);
      }
    }
  }

  TEST_CASE("chains on halves too large for the caches round after each operation") {
    using poplar::half;
    const std::size_t n = 3'600'001;
    std::mt19937 random(29);
    std::vector<std::uint16_t> a(n), b(n); // all kinds of halves
    for (std::size_t i = 0; i < n; ++i) {
      a[i] = static_cast<std::uint16_t>(random());
      b[i] = static_cast<std::uint16_t>(random());
    }
    MapProgramBuilder builder;
    const auto x = builder.input(MapType::HALF, 0), y = builder.input(MapType::HALF, 1);
    const auto third = builder.constant(MapType::HALF, 0x3555U);
    const auto zero = builder.constant(MapType::HALF, 0);
    const auto sum = builder.apply(MapOp::ADD, builder.apply(MapOp::MULTIPLY, x, third), y);
    const auto program = builder.finish(builder.apply(MapOp::MAXIMUM, sum, zero));
    const std::vector<const half *> pointers{reinterpret_cast<half *>(a.data()),
                                             reinterpret_cast<half *>(b.data())};
    const auto run = [&](isa::Isa isa, half *out) {
      runProgram<vertices::Map<isa::scalar, half>>(
          isa, program, out, n, [&](auto &state) { test::connect(state.inHalf, pointers.data()); });
    };
    std::vector<std::uint16_t> expected(n), memory(n + 32);
    run(isa::Isa::Scalar, reinterpret_cast<half *>(expected.data()));
    const std::size_t toLine = (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) % 64 / 2;
    for (isa::Isa isa : test::vectorIsas())
      for (const std::size_t place : {toLine, toLine == 0 ? std::size_t{1} : std::size_t{0}}) {
        CAPTURE(std::string(isa::name(isa)));
        CAPTURE(place);
        run(isa, reinterpret_cast<half *>(memory.data() + place));
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < n; ++i) {
          const std::uint16_t got = memory[place + i], right = expected[i];
          wrong += got != right && !(isNan(MapType::HALF, got) && isNan(MapType::HALF, right));
        }
        CHECK(wrong == 0);
      }
  }
}

TEST_SUITE("codelets/popops/mapProgram") {
  TEST_CASE("equal operands are one operand and dead slots are reused") {
    MapProgramBuilder b;
    auto x = b.input(MapType::FLOAT, 0);
    for (int i = 0; i < 100; ++i)
      x = b.apply(MapOp::ADD, x, b.input(MapType::FLOAT, 0));
    const auto words = b.finish(x);
    const vertices::MapProgramView view(words.data());
    CHECK(view.numOperands() == 1);
    CHECK(view.numInstructions() == 100);
    CHECK(view.numSlots() == 1);
    CHECK(view.instruction(99).result == vertices::MAP_OUTPUT);
  }

  TEST_CASE("an operand alone is copied") {
    MapProgramBuilder b;
    const auto words = b.finish(b.input(MapType::HALF, 3, MapPattern{5, 2, 1}));
    const vertices::MapProgramView view(words.data());
    REQUIRE(view.numInstructions() == 1);
    CHECK(view.instruction(0).op == MapOp::COPY);
    CHECK(view.instruction(0).type == MapType::HALF);
    CHECK(view.operand(0).index == 3);
    CHECK(view.operand(0).pattern == MapPattern{5, 2, 1});
  }

  TEST_CASE("a value that grows over its source gets a slot of its own") {
    MapProgramBuilder b;
    const auto small = b.cast(b.input(MapType::FLOAT, 0), MapType::HALF);
    const auto words = b.finish(b.apply(MapOp::NEGATE, b.cast(small, MapType::FLOAT)));
    const vertices::MapProgramView view(words.data());
    CHECK(view.instruction(0).result != view.instruction(1).result);
  }

  TEST_CASE("operations on types they do not have are refused") {
    MapProgramBuilder b;
    const auto f = b.input(MapType::FLOAT, 0), i = b.input(MapType::INT, 0);
    CHECK_THROWS_AS(b.apply(MapOp::SIN, i), std::invalid_argument);
    CHECK_THROWS_AS(b.apply(MapOp::ADD, f, i), std::invalid_argument);
    CHECK_THROWS_AS(b.apply(MapOp::SELECT, f, f, f), std::invalid_argument);
  }

  TEST_CASE("programs that are too large are refused with the limits") {
    MapProgramBuilder b;
    auto x = b.input(MapType::FLOAT, 0);
    for (unsigned i = 1; i <= vertices::MAP_MAX_OPERANDS; ++i)
      x = b.apply(MapOp::ADD, x, b.input(MapType::FLOAT, i));
    CHECK_THROWS_WITH_AS(b.finish(x),
                         "MapProgramBuilder::finish: 49 operands and 48 instructions; a program "
                         "holds at most 48 and 255",
                         std::length_error);
  }

  TEST_CASE("cost grows with the operations and the elements") {
    MapProgramBuilder one, two;
    const auto x = one.input(MapType::FLOAT, 0);
    const auto add = one.finish(one.apply(MapOp::ADD, x, x));
    const auto y = two.input(MapType::FLOAT, 0);
    const auto exp = two.finish(two.apply(MapOp::EXPONENT, two.apply(MapOp::ADD, y, y)));
    // Addition: 1 + 2 cycles a pair of floats; exp adds 6 a pair.
    CHECK(vertices::mapCyclesPer8(add.data()) == 12);
    CHECK(vertices::mapCyclesPer8(exp.data()) == 36);
    CHECK(vertices::mapCycles(0, 12, 6) == 6 * 29 + 11);
    CHECK(vertices::mapCycles(48, 12, 6) == 6 * (29 + 12) + 11);
    CHECK(vertices::mapWorkerCycles(9, 12) == 29 + 14);
  }
}
