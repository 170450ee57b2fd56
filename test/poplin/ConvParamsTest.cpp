#include "ConvPairs.hpp"

#include <poputil/exceptions.hpp>

#include <doctest/doctest.h>

#include <sstream>

TEST_SUITE_BEGIN("poplin/ConvParams");

using namespace convolutions;
using poplar::FLOAT;
using poplar::HALF;
using poputil::poplibs_error;

namespace {

/// 3x3 over 8x8.
ConvParams example() { return {FLOAT, 2, {8, 8}, {3, 3}, 4, 5, 6}; }

ConvParams read(std::string const &text) {
  std::istringstream stream(text);
  ConvParams p;
  stream >> p;
  return p;
}

} // namespace

TEST_CASE("params without transforms change nothing") {
  ConvParams const p = example();
  CHECK(p.inputType == FLOAT);
  CHECK(p.outputType == FLOAT);
  CHECK(p.getNumFieldDims() == 2);
  CHECK(p.getInputFieldShape() == std::vector<std::size_t>{8, 8});
  CHECK(p.getKernelShape() == std::vector<std::size_t>{3, 3});
  CHECK(p.getBatchSize() == 2);
  CHECK(p.getNumInputChansPerConvGroup() == 4);
  CHECK(p.getNumInputChans() == 24);
  CHECK(p.getNumOutputChansPerConvGroup() == 5);
  CHECK(p.getNumOutputChans() == 30);
  CHECK(p.getNumConvGroups() == 6);
  CHECK(p.getInputSize(1) == 8);
  CHECK(p.getOutputFieldShape() == std::vector<std::size_t>{6, 6});
  CHECK(p.getUntransformedOutputSize(0) == 6);
  CHECK(p.inputTransform == ConvParams::InputTransform(2));
  CHECK(p.outputTransform == ConvParams::OutputTransform(2));
  CHECK_NOTHROW(p.validate());
  ConvParams const mixed(HALF, FLOAT, 2, {8, 8}, {3, 3}, 4, 5, 6);
  CHECK(mixed.inputType == HALF);
  CHECK(mixed.outputType == FLOAT);
}

TEST_CASE("a field without dimensions is one place") {
  ConvParams const p(FLOAT, 2, {}, {}, 4, 5, 1);
  CHECK_NOTHROW(p.validate());
  CHECK(p.getOutputFieldShape().empty());
  CHECK(p.canonicalize() == p);
  CHECK_NOTHROW(ConvParams().validate());
}

TEST_CASE("params compare by members in order, and hash alike when equal") {
  ConvParams const a = example();
  ConvParams b = example();
  CHECK(a == b);
  CHECK_FALSE(a != b);
  CHECK_FALSE(a < b);
  CHECK(std::hash<ConvParams>()(a) == std::hash<ConvParams>()(b));
  b.outputTransform.stride[1] = 2;
  CHECK(a != b);
  CHECK(a < b);
  CHECK(std::hash<ConvParams>()(a) != std::hash<ConvParams>()(b));
  CHECK(std::hash<ConvParams::OutputTransform>()(a.outputTransform) !=
        std::hash<ConvParams::OutputTransform>()(b.outputTransform));
  ConvParams c = example();
  c.batchSize = 3; // declared before the transforms
  CHECK(b < c);
  c.inputTransform.flip[0] = true;
  CHECK(std::hash<ConvParams::InputTransform>()(a.inputTransform) !=
        poplin::hash_value(c.inputTransform));
}

TEST_CASE("what is written is read again") {
  RandomParams random(7);
  for (int i = 0; i != 50; ++i) {
    ConvParams const p = random.make(3, 8, i % 2 == 0 ? FLOAT : HALF);
    std::stringstream text;
    text << p << "\nmore";
    CAPTURE(text.str());
    ConvParams again;
    text >> again;
    CHECK(again == p);
    std::string rest;
    text >> rest;
    CHECK(rest == "more");
  }
}

TEST_CASE("members without a key keep their defaults") {
  ConvParams const p = read(R"({"dataType": "half", "inputFieldShape": [5], "kernelShape": [3],
                                "outputTransform": {"stride": [2]}})");
  ConvParams expected(HALF, 1, {5}, {3}, 1, 1, 1);
  expected.outputTransform.stride = {2};
  CHECK(p == expected);
}

TEST_CASE("texts that are no params are refused with the member's name") {
  CHECK_THROWS_AS(read("{"), poplibs_error);
  CHECK_THROWS_WITH_AS(read("[1]"),
                       "poplin::ConvParams: the value of 'ConvParams' is not an object: [1]",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(read(R"({"batchsize": 1})"),
                       "poplin::ConvParams: 'batchsize' is not a member of ConvParams",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(read(R"({"batchSize": -1})"),
                       "poplin::ConvParams: 'batchSize' is -1; it must be an integer from 0",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(read(R"({"dataType": "double"})"),
                       "poplin::ConvParams: 'dataType' is \"double\"; it must be \"float\", "
                       "\"half\" or \"quarter\"",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(read(R"({"inputFieldShape": [5, 5], "kernelShape": [3]})"),
                       "poplin::ConvParams: 'kernelShape' has 1 elements, 'inputFieldShape' has "
                       "2; they must be equal",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(
      read(R"({"inputFieldShape": [5], "inputTransform": {"paddingLower": [1, 1]}})"),
      "poplin::ConvParams: 'paddingLower' has 2 elements, 'inputFieldShape' has 1; they must be "
      "equal",
      poplibs_error);
}

namespace {

/// What validate() says about the example after a change.
template <class Change> std::string complaint(Change const &change) {
  ConvParams p = example();
  change(p);
  try {
    p.validate();
  } catch (poplibs_error const &error) {
    return error.what();
  }
  return "";
}

} // namespace

TEST_CASE("params that make no sense are refused with their values") {
  CHECK(complaint([](ConvParams &p) { p.kernelShape = {3}; }) ==
        "poplin::ConvParams: kernelShape [3] has 1 dimensions, inputFieldShape [8, 8] has 2; they "
        "must be equal");
  CHECK(complaint([](ConvParams &p) { p.inputTransform.flip = {}; }) ==
        "poplin::ConvParams: inputTransform.flip has 0 elements; it must have 2, one a dimension "
        "of the field");
  CHECK(complaint([](ConvParams &p) { p.outputTransform.stride[1] = 0; }) ==
        "poplin::ConvParams: outputTransform.stride[1] is 0; it must be at least 1");
  CHECK(complaint([](ConvParams &p) { p.kernelTransform.dilation[0] = 0; }) ==
        "poplin::ConvParams: kernelTransform.dilation[0] is 0; it must be at least 1");
  CHECK(complaint([](ConvParams &p) { p.inputTransform.truncationLower[0] = 9; }) ==
        "poplin::ConvParams: inputTransform.truncationLower[0] = 9 and truncationUpper[0] = 0 drop "
        "more than the 8 elements of the input");
  CHECK(complaint([](ConvParams &p) { p.kernelShape[1] = 0; }) ==
        "poplin::ConvParams: the transformed kernel has no elements in dimension 1; it must have "
        "at least one");
  CHECK(complaint([](ConvParams &p) { p.kernelTransform.dilation[0] = 4; }) ==
        "poplin::ConvParams: in dimension 0 the transformed input has 8 elements, the transformed "
        "kernel 9; the kernel must not be larger");
  CHECK(complaint([](ConvParams &p) { p.outputTransform.truncationUpper[1] = 7; }) ==
        "poplin::ConvParams: outputTransform.truncationLower[1] = 0 and truncationUpper[1] = 7 "
        "drop more than the 6 elements of the output");
}

TEST_CASE("params without an output have no shape of it, wrapped around or divided by 0") {
  ConvParams p = example();
  p.outputTransform.stride[1] = 0;
  char const *const noStride =
      "poplin::ConvParams: outputTransform.stride[1] is 0; it must be at least 1";
  CHECK_THROWS_WITH_AS(p.getOutputFieldShape(), noStride, poplibs_error);
  CHECK_THROWS_WITH_AS(p.getOutputSize(1), noStride, poplibs_error);
  p = example();
  p.kernelTransform.dilation[0] = 4;
  CHECK_THROWS_WITH_AS(p.getOutputFieldShape(),
                       "poplin::ConvParams: in dimension 0 the transformed input has 8 elements, "
                       "the transformed kernel 9; the kernel must not be larger",
                       poplibs_error);
}

TEST_CASE("a dimension that does not exist has no size") {
  ConvParams const p = example(), none;
  char const *const no2 =
      "poplin::ConvParams: there is no dimension 2 of inputFieldShape [8, 8], which has 2";
  CHECK_THROWS_WITH_AS(p.getOutputSize(2), no2, poplibs_error);
  CHECK_THROWS_WITH_AS(p.getUntransformedOutputSize(2), no2, poplibs_error);
  CHECK_THROWS_WITH_AS(p.getTruncatedInputSize(2), no2, poplibs_error);
  CHECK_THROWS_WITH_AS(p.getTruncatedKernelSize(2), no2, poplibs_error);
  CHECK_THROWS_WITH_AS(p.getTransformedInputSize(2), no2, poplibs_error);
  CHECK_THROWS_WITH_AS(p.getTransformedKernelSize(2), no2, poplibs_error);
  CHECK_THROWS_WITH_AS(poplin::getInputIndex(2, 0, 0, p), no2, poplibs_error);
  CHECK_THROWS_WITH_AS(poplin::getInputRange(2, {0, 1}, p), no2, poplibs_error);
  CHECK_THROWS_WITH_AS(none.getOutputSize(0),
                       "poplin::ConvParams: there is no dimension 0 of inputFieldShape [], which "
                       "has 0",
                       poplibs_error);
  ConvParams shorter = example();
  shorter.outputTransform.paddingUpper.pop_back();
  CHECK_THROWS_WITH_AS(shorter.getOutputSize(1),
                       "poplin::ConvParams: outputTransform.paddingUpper has 1 elements; it must "
                       "have 2, one a dimension of the field",
                       poplibs_error);
}

TEST_CASE("sizes that kernels cannot count are refused with their values") {
  unsigned const much = 4000000000;
  CHECK(complaint([](ConvParams &p) { p.inputFieldShape[1] = (std::size_t{1} << 32U) + 8; }) ==
        "poplin::ConvParams: inputFieldShape[1] is 4294967304; it must be at most 2147483647");
  CHECK(complaint([](ConvParams &p) { p.inputTransform.paddingLower[0] = much; }) ==
        "poplin::ConvParams: inputTransform.dilation[0] = 1, paddingLower[0] = 4000000000 and "
        "paddingUpper[0] = 0 make an input of 8 elements one of 4000000008; there may be at most "
        "2147483647");
  CHECK(complaint([](ConvParams &p) { p.inputTransform.dilation[1] = much; }) ==
        "poplin::ConvParams: inputTransform.dilation[1] = 4000000000, paddingLower[1] = 0 and "
        "paddingUpper[1] = 0 make an input of 8 elements one of 28000000001; there may be at most "
        "2147483647");
  CHECK(complaint([](ConvParams &p) { p.kernelTransform.paddingUpper[0] = much; }) ==
        "poplin::ConvParams: kernelTransform.dilation[0] = 1, paddingLower[0] = 0 and "
        "paddingUpper[0] = 4000000000 make a kernel of 3 elements one of 4000000003; there may be "
        "at most 2147483647");
  CHECK(complaint([](ConvParams &p) { p.outputTransform.paddingUpper[0] = much; }) ==
        "poplin::ConvParams: outputTransform.paddingLower[0] = 0 and paddingUpper[0] = 4000000000 "
        "make an output of 6 elements one of 4000000006; there may be at most 2147483647");
  ConvParams p = example();
  p.inputTransform.paddingLower[0] = 0x7fffffff - 8;
  p.outputTransform.stride[0] = p.kernelTransform.dilation[1] = much;
  p.kernelTransform.truncationLower[1] = 2;
  CHECK_NOTHROW(p.validate());
  CHECK(p.getOutputSize(0) == 1);
}

TEST_CASE("canonical params: what changes nothing is gone") {
  SUBCASE("a stride of one output") {
    ConvParams p(FLOAT, 1, {4}, {3}, 1, 1, 1);
    p.outputTransform.stride = {5};
    ConvParams const canonical = p.canonicalize();
    CHECK(canonical.outputTransform.stride[0] == 1);
    CHECK(canonical.inputTransform.truncationUpper[0] == 1); // not reached
    CHECK(canonical.outputTransform.truncationUpper[0] == 0);
  }
  SUBCASE("padding of both operands") {
    ConvParams p(FLOAT, 1, {4}, {3}, 1, 1, 1);
    p.inputTransform.paddingLower = {2};
    p.kernelTransform.paddingLower = {2};
    CHECK(p.canonicalize() == ConvParams(FLOAT, 1, {4}, {3}, 1, 1, 1));
  }
  SUBCASE("padding that is truncated again") {
    ConvParams p(FLOAT, 1, {4}, {3}, 1, 1, 1);
    p.inputTransform.paddingLower = {2};
    p.outputTransform.truncationLower = {2};
    CHECK(p.canonicalize() == ConvParams(FLOAT, 1, {4}, {3}, 1, 1, 1));
  }
  SUBCASE("dilation and flip of one element") {
    ConvParams p(FLOAT, 1, {4}, {1}, 1, 1, 1);
    p.kernelTransform.dilation = {3};
    p.kernelTransform.flip = {true};
    CHECK(p.canonicalize() == ConvParams(FLOAT, 1, {4}, {1}, 1, 1, 1));
  }
  SUBCASE("zero outputs are padding") {
    ConvParams p(FLOAT, 1, {4}, {1}, 1, 1, 1);
    p.inputTransform.paddingLower = {3};
    ConvParams expected(FLOAT, 1, {4}, {1}, 1, 1, 1);
    expected.outputTransform.paddingLower = {3};
    CHECK(p.canonicalize() == expected);
  }
  SUBCASE("without any product nothing but the output's size is left") {
    ConvParams p(FLOAT, 1, {0, 4}, {2, 2}, 1, 1, 1);
    p.inputTransform.paddingLower = {3, 0};
    ConvParams const canonical = p.canonicalize();
    CHECK(canonical.getOutputFieldShape() == p.getOutputFieldShape());
    CHECK(canonical.getTruncatedInputSize(1) == 0);
    CHECK(canonical.getTruncatedKernelSize(0) == 0);
    CHECK(canonical.canonicalize() == canonical);
  }
}

TEST_SUITE_END();
