#include <doctest/doctest.h>
#include <map>
#include <poplar/HalfFloat.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>
#include <poplar/impl/base/TypeInfo.hpp>
#include <set>
#include <sstream>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

using namespace poplar;

namespace {

std::vector<std::pair<Type, std::string>> const &allTypes() {
  static std::vector<std::pair<Type, std::string>> const types = {
      {BOOL, "bool"},
      {CHAR, "char"},
      {UNSIGNED_CHAR, "unsigned char"},
      {SIGNED_CHAR, "signed char"},
      {UNSIGNED_SHORT, "unsigned short"},
      {SHORT, "short"},
      {UNSIGNED_INT, "unsigned int"},
      {INT, "int"},
      {UNSIGNED_LONG, "unsigned long"},
      {LONG, "long"},
      {UNSIGNED_LONGLONG, "unsigned long long"},
      {LONGLONG, "long long"},
      {QUARTER, "quarter"},
      {QUARTER_METADATA, "quarter_metadata"},
      {HALF, "half"},
      {FLOAT, "float"},
  };
  return types;
}

// Runs before main; the constants live in the library.
std::map<Type, unsigned> const builtEarly = {{FLOAT, 4}, {HALF, 2}, {UNSIGNED_LONGLONG, 8}};

} // namespace

TEST_SUITE("poplar/base/Type") {
  TEST_CASE("the constants are ready for static objects of a client") {
    CHECK(builtEarly.size() == 3);
    CHECK(builtEarly.at(HALF) == 2);
  }

  TEST_CASE("every type prints as it is spelt in vertex names") {
    for (auto const &[type, name] : allTypes()) {
      CHECK(type.toString() == name);
      std::ostringstream stream;
      stream << type;
      CHECK(stream.str() == name);
      CHECK(cottonwood::base::typeNamed(name) == type);
    }
    CHECK(Type().toString() == "<unset type>");
    CHECK(cottonwood::base::typeNamed("double") == Type());
  }

  TEST_CASE("types are distinct in order and hash") {
    std::set<Type> ordered;
    std::unordered_set<Type> hashed;
    for (auto const &[type, name] : allTypes()) {
      ordered.insert(type);
      hashed.insert(type);
      CHECK(type != Type());
    }
    CHECK(ordered.size() == 16);
    CHECK(hashed.size() == 16);
    CHECK(Type() == Type());
  }

  TEST_CASE("only quarter, half and float are floating point, and only quarter needs metadata") {
    for (auto const &[type, name] : allTypes()) {
      CHECK(type.isFloatingPoint() == (type == QUARTER || type == HALF || type == FLOAT));
      CHECK(type.requiresMetadata() == (type == QUARTER));
    }
  }

  TEST_CASE("C++ types know their element type") {
    CHECK(equivalent_device_type<bool>().value == BOOL);
    CHECK(equivalent_device_type<char>().value == CHAR);
    CHECK(equivalent_device_type<unsigned long long>().value == UNSIGNED_LONGLONG);
    CHECK(equivalent_device_type<float>().value == FLOAT);
    CHECK(equivalent_device_type<IeeeHalf>().value == HALF);
    CHECK(equivalent_device_type<half>().value == HALF);
    CHECK(equivalent_device_type<QuarterMetadata>().value == QUARTER_METADATA);
  }

  TEST_CASE("traits describe simple host types") {
    auto const traits = TypeTraits::make<IeeeHalf>();
    CHECK(traits.size == 2);
    CHECK(traits.align == 2);
    CHECK(traits.isFloat);
    CHECK(traits.isSimpleType());
    CHECK_FALSE(TypeTraits::make<unsigned>().isSigned);
    CHECK(TypeTraits::make<short>().isSigned);
    CHECK(TypeTraits::make<bool>().isBool);
    CHECK(TypeTraits::isSimpleType<double>());
    CHECK(TypeTraits::isSimpleType<half>());
    CHECK_FALSE(TypeTraits::isSimpleType<std::string>());
    CHECK_FALSE(TypeTraits::isSimpleType<int *>());
    CHECK_FALSE(TypeTraits::requiresMetadata<float>());
  }

  TEST_CASE("sizes are those of the C++ types") {
    CHECK(cottonwood::base::sizeOf(BOOL) == 1);
    CHECK(cottonwood::base::sizeOf(HALF) == 2);
    CHECK(cottonwood::base::sizeOf(LONG) == sizeof(long));
    CHECK(cottonwood::base::sizeOf(Type()) == 0);
  }
}
