#include <bench/plan/Arrays.hpp>

namespace cottonwood::plan {

namespace {

void elementShapes(std::vector<Shape> &list) {
  using Sizes = std::vector<std::uint64_t>;
  auto const map = [&](char const *name, char const *op, Sizes const &shape,
                       Sizes const &other = {}, bool inPlace = false,
                       Mapping mapping = Mapping::Linear, Mapping otherMapping = Mapping::Linear) {
    Shape all;
    all.name = std::string("map ") + name;
    all.elements = Elements{shape, op, other, mapping, otherMapping, inPlace};
    list.push_back(all);
  };
  map("add 1e3", "add", {1000});
  map("add 1e5", "add", {100000});
  map("add 1e7", "add", {10000000});
  map("add 1e8", "add", {100000000});
  map("exp 1e6", "exp", {1000000});
  map("tanh 1e8 in place", "tanh", {100000000}, {}, true);
  map("fused 1e6", "multiply-add-tanh", {1000000});
  map("scale 1e6 by a number", "multiply", {1000000}, {1});
  map("bias 512x768", "add", {512, 768}, {768});
  map("bias 16384x3072", "add", {16384, 3072}, {3072});
  map("scale of rows 4096x1024", "multiply", {4096, 1024}, {4096, 1});
  map("channels 16x64x56x56", "multiply", {16, 64, 56, 56}, {64, 1, 1});
  map("add 1e6, one elsewhere", "add", {1000000}, {}, false, Mapping::Linear, Mapping::Turned);
  map("add 1e6, pieces around tiles", "add", {1000000}, {}, false, Mapping::Cyclic);
  map("sin 1e4 of one tile", "sin", {10000}, {}, false, Mapping::One);
  map("power 1e4 in place on one tile", "power", {10000}, {}, true, Mapping::One, Mapping::One);
  auto const cast = [&](char const *name, char const *from, char const *to, std::uint64_t elements,
                        std::optional<Mapping> result = std::nullopt) {
    Shape all;
    all.name = std::string("cast ") + name;
    all.conversion = Conversion{{elements}, from, to, Mapping::Linear, result};
    list.push_back(all);
  };
  cast("half to float 1e3", "half", "float", 1000);
  cast("half to float 1e6", "half", "float", 1000000);
  cast("float to half 1e8", "float", "half", 100000000);
  cast("half to float 1e6, elsewhere", "half", "float", 1000000, Mapping::Turned);
  cast("float to half 1e6, elsewhere", "float", "half", 1000000, Mapping::Turned);
  auto const move = [&](char const *name, Sizes const &shape, bool transposed,
                        std::optional<Mapping> result) {
    Shape all;
    all.name = name;
    all.movement = Movement{shape, transposed, Mapping::Linear, result};
    list.push_back(all);
  };
  move("copy 1e6, elsewhere", {1000000}, false, Mapping::Turned);
  move("copy 1e8, pieces around tiles", {100000000}, false, Mapping::Cyclic);
  move("transpose 768x768", {768, 768}, true, std::nullopt);
  move("transpose 4096x4096", {4096, 4096}, true, std::nullopt);
  move("transpose 96x512x64", {96, 512, 64}, true, std::nullopt);
  move("transpose 8192x56x64", {8192, 56, 64}, true, std::nullopt);
  move("transpose 768x768, linear", {768, 768}, true, Mapping::Linear);
  move("transpose 4096x4096, linear", {4096, 4096}, true, Mapping::Linear);
  move("transpose 96x512x64, linear", {96, 512, 64}, true, Mapping::Linear);
}

} // namespace

std::vector<Shape> const &arrayShapes() {
  static std::vector<Shape> const all = [] {
    std::vector<Shape> list;
    auto const reduce = [&](char const *name, std::uint64_t outer, std::uint64_t reduced,
                            std::uint64_t inner) {
      Shape shape;
      shape.name = std::string("reduce ") + name;
      shape.reduction = Reduction{outer, reduced, inner};
      list.push_back(shape);
    };
    reduce("all of 1e3", 1, 1000, 1);
    reduce("all of 1e6", 1, 1000000, 1);
    reduce("all of 1e8", 1, 100000000, 1);
    reduce("1000x1000 rows", 1000, 1000, 1);
    reduce("1000x1000 columns", 1, 1000, 1000);
    reduce("64x65536 rows", 64, 65536, 1);
    reduce("64x65536 columns", 1, 64, 65536);
    reduce("1472x100 columns", 1, 1472, 100);
    reduce("65536x64 columns", 1, 65536, 64);
    reduce("100000x1000 rows", 100000, 1000, 1);
    reduce("batch of images", 16, 784, 256);
    reduce("8x512x3000", 8, 512, 3000);
    for (bool const update : {false, true})
      for (std::uint64_t const entries : {30522U, 50257U})
        for (std::uint64_t const indices : {128U, 512U, 4096U}) {
          Shape shape;
          shape.name = std::string(update ? "update " : "lookup ") + std::to_string(entries) +
                       "x768, " + std::to_string(indices);
          shape.embedding = Embedding{entries, 768, indices, update};
          list.push_back(shape);
        }
    elementShapes(list);
    return list;
  }();
  return all;
}

} // namespace cottonwood::plan
