#include <algorithm>
#include <doctest/doctest.h>
#include <map>
#include <poplar/FunctionBufferMappingType.hpp>
#include <poplar/TensorCloneMethod.hpp>
#include <poplar/VariableMappingMethod.hpp>
#include <poplar/VariableRef.hpp>
#include <unordered_map>
#include <vector>

// Clients declare it so.
namespace poplar {
enum class FunctionBufferMappingType;
}

using namespace poplar;

TEST_SUITE("poplar/tensor") {

  TEST_CASE("variable references are values with an order and a hash") {
    VariableRef const a(3), b(4), again(3);
    CHECK(a == again);
    CHECK(a != b);
    CHECK(a < b);
    CHECK(VariableRef() == VariableRef());
    CHECK_FALSE(VariableRef() == a);
    std::unordered_map<VariableRef, int> uses;
    ++uses[a];
    ++uses[again];
    CHECK(uses[a] == 2);
    CHECK(std::hash<VariableRef>()(a) == a.hash());
  }

  TEST_CASE("variable intervals are ordered by variable, then by interval") {
    VariableInterval const a(VariableRef(1), {2, 5}), b(VariableRef(1), {3, 4}),
        c(VariableRef(2), {0, 1});
    std::vector<VariableInterval> list{c, b, a};
    std::sort(list.begin(), list.end());
    CHECK(list == std::vector<VariableInterval>{a, b, c});
    CHECK(a == VariableInterval(VariableRef(1), Interval(2, 5)));
    CHECK(std::map<VariableInterval, int>{{a, 1}, {b, 2}, {a, 3}}.size() == 2);
  }

  TEST_CASE("enumerators have names") {
    CHECK(toString(VariableMappingMethod::NONE) == "NONE");
    CHECK(toString(VariableMappingMethod::LINEAR) == "LINEAR");
    CHECK(toString(TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES) == "PRESERVE_ORDER_AND_ALIASES");
    CHECK(toString(TensorCloneMethod::CREATE_NEW_ORDER) == "CREATE_NEW_ORDER");
    CHECK(toString(TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES) ==
          "PRESERVE_ORDER_UNLESS_ALIASES");
    CHECK(toString(TensorCloneMethod::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES) ==
          "GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES");
    CHECK(toString(TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION) ==
          "DUPLICATE_BY_OUTER_DIMENSION");
    CHECK(toString(TensorCloneDuplicationMethod::DUPLICATE_BY_TILE_CONTIGUOUS_REGION) ==
          "DUPLICATE_BY_TILE_CONTIGUOUS_REGION");
  }

} // TEST_SUITE
