#include <bench/plan/Arguments.hpp>

#include <doctest/doctest.h>

#include <vector>

TEST_SUITE_BEGIN("plan/arguments");

using namespace cottonwood::plan;

namespace {

Arguments parse(std::vector<char const *> const &words) { return parseArguments(words); }

} // namespace

TEST_CASE("products and convolutions are read") {
  Arguments const product =
      parse({"matmul", "5x900x600x300", "--type", "float", "--target", "bow"});
  REQUIRE(product.shape.product);
  CHECK(product.shape.product->g == 5);
  CHECK(product.shape.product->m == 900);
  CHECK(product.shape.product->k == 600);
  CHECK(product.shape.product->n == 300);
  CHECK(product.output == "float");
  CHECK(product.partials == "float");
  CHECK(product.target == "bow");
  CHECK(parse({"matmul", "9x6x3"}).shape.product->g == 1);
  Arguments const conv = parse({"conv", "4x64x56x28", "--out", "32", "--kernel", "3x1", "--stride",
                                "2", "--padding", "1x0", "--groups", "2"});
  REQUIRE(conv.shape.conv);
  CHECK(conv.shape.conv->field == std::vector<std::uint64_t>{56, 28});
  CHECK(conv.shape.conv->kernel == std::vector<std::uint64_t>{3, 1});
  CHECK(conv.shape.conv->stride == std::vector<std::uint64_t>{2, 2});
  CHECK(conv.shape.conv->padding == std::vector<std::uint64_t>{1, 0});
  CHECK(conv.shape.conv->dilation == std::vector<std::uint64_t>{1, 1});
  CHECK(parse({"chain", "8x9x10x11"}).chain == std::vector<std::uint64_t>{8, 9, 10, 11});
  Arguments const reduce = parse({"reduce", "8x9x10x11", "--dims", "1x2"});
  REQUIRE(reduce.shape.reduction);
  CHECK(reduce.shape.reduction->outer == 8);
  CHECK(reduce.shape.reduction->reduced == 90);
  CHECK(reduce.shape.reduction->inner == 11);
  Arguments const table = parse({"embedding", "100x64", "--indices", "30", "--update"});
  REQUIRE(table.shape.embedding);
  CHECK(table.shape.embedding->entries == 100);
  CHECK(table.shape.embedding->indices == 30);
  CHECK(table.shape.embedding->update);
  Arguments const map = parse({"elementwise", "8x9", "--op", "add", "--with", "9", "--in-place",
                               "--mapping", "one", "--with-mapping", "cyclic"});
  REQUIRE(map.shape.elements);
  CHECK(map.shape.elements->shape == std::vector<std::uint64_t>{8, 9});
  CHECK(map.shape.elements->other == std::vector<std::uint64_t>{9});
  CHECK(map.shape.elements->op == "add");
  CHECK(map.shape.elements->inPlace);
  CHECK(map.shape.elements->mapping == Mapping::One);
  CHECK(map.shape.elements->otherMapping == Mapping::Cyclic);
  Arguments const cast = parse({"cast", "70", "--to", "float", "--result-mapping", "turned"});
  REQUIRE(cast.shape.conversion);
  CHECK(cast.shape.conversion->from == "half");
  CHECK(cast.shape.conversion->to == "float");
  CHECK(cast.shape.conversion->resultMapping == Mapping::Turned);
  Arguments const copy = parse({"copy", "7x8x9", "--transpose", "--mapping", "one"});
  REQUIRE(copy.shape.movement);
  CHECK(copy.shape.movement->shape == std::vector<std::uint64_t>{7, 8, 9});
  CHECK(copy.shape.movement->transposed);
  CHECK_FALSE(copy.shape.movement->resultMapping);
  CHECK(parse({"table", "--charges", "published", "--only", "BERT"}).published);
  CHECK(parse({}).command == Arguments::Command::Help);
}

TEST_CASE("what is wrong is named, with what is allowed") {
  auto const fails = [](std::vector<char const *> const &words, char const *text) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(parse(words), doctest::Contains(text), ArgumentError);
  };
  fails({"matmull"}, "the command is 'matmull'; allowed: matmul, chain, conv, reduce, embedding, "
                     "elementwise, cast, "
                     "copy, table, help");
  fails({"elementwise", "10x10"}, "elementwise needs --op NAME");
  fails({"elementwise", "10x10", "--op", "add", "--with", "5"}, "--with does not fit");
  fails({"elementwise", "10x10", "--op", "add", "--mapping", "here"},
        "--mapping is 'here'; allowed: linear, one, turned, cyclic");
  fails({"copy", "10"}, "copy needs --transpose, --result-mapping WHERE or both");
  fails({"copy", "10", "--transpose"}, "--transpose: the problem has one dimension");
  fails({"cast", "10"}, "cast needs --to TYPE");
  fails({"cast", "10", "--to", "half"}, "that is no cast");
  fails({"reduce", "10x10"}, "reduce needs --dims");
  fails({"reduce", "10x10", "--dims", "2"}, "--dims has 2; the problem has 2 dimensions");
  fails({"reduce", "10x10x10", "--dims", "0x2"}, "--dims must be neighbours");
  fails({"embedding", "10"}, "'10' is not ENTRIESxCOLUMNS");
  fails({"embedding", "10x10"}, "embedding needs --indices");
  fails({"embedding", "10x10", "--indices", "3", "--sweep"}, "are for matmul and conv");
  fails({"matmul", "9x9x9", "--dims", "1"}, "there is no option '--dims'");
  fails({"chain", "8x9x10"}, "'8x9x10' is not MxKxNxN");
  fails({"chain", "8x9x10x11", "--sweep"}, "are for matmul and conv");
  fails({"chain", "8x9x10x11", "--output", "float"}, "--output of a chain");
  fails({"matmul"}, "for example 900x600x300");
  fails({"matmul", "900x600"}, "'900x600' is not [Gx]MxKxN");
  fails({"matmul", "900x0x600"}, "has a size of 0");
  fails({"matmul", "900x-1x600"}, "'-1' is not a number");
  fails({"matmul", "9x9x9", "--type", "double"}, "--type is 'double'; allowed: half, float");
  fails({"matmul", "9x9x9", "--memory", "much"}, "it must be a number from 0");
  fails({"matmul", "9x9x9", "--target"}, "--target needs a value");
  fails({"matmul", "9x9x9", "--kernel", "3"}, "there is no option '--kernel'");
  fails({"conv", "4x64"}, "is not BATCHxCHANNELSxSIZE");
  fails({"conv", "4x64x56x56", "--out", "64"}, "conv needs --out CHANNELS and --kernel");
  fails({"conv", "4x64x56x56", "--out", "64", "--kernel", "3x3x3"},
        "--kernel has 3 sizes; the field has 2 dimensions");
  fails({"conv", "4x64x56x56", "--out", "64", "--kernel", "3", "--groups", "3"},
        "it must divide the channels, 64 in and 64 out");
  fails({"conv", "4x64x56x56", "--out", "0", "--kernel", "3"}, "--out is 0; nothing is planned");
  fails({"reduce", "10x10x10", "--dims", "1x1"}, "--dims has 1 more than once");
  fails({"elementwise", "--op", "add"}, "elementwise needs a problem, for example");
}

TEST_CASE("help is given wherever it is asked for") {
  using Words = std::vector<char const *>;
  for (Words const &words : {Words{}, Words{"help"}, Words{"--help"}, Words{"matmul", "--help"},
                             Words{"conv", "4x64x56x56", "-h"}})
    CHECK(parse(words).command == Arguments::Command::Help);
}

TEST_SUITE_END();
