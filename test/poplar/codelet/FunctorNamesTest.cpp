#include <poplar/impl/codelet/FunctorNames.hpp>

#include <doctest/doctest.h>

#include <string>
#include <type_traits>
#include <typeinfo>

namespace functornamestest {

struct Plain {
  float x, y;
};
struct Ulysses_Z_of {}; // letters that mean something elsewhere in a mangled name
template <class... T> struct Of {};
template <int I, bool B, char C> struct Numbered {};
struct Outer {
  struct Inner {};
};
inline constexpr auto LAMBDA = [] {};

} // namespace functornamestest

namespace {

using namespace functornamestest;

struct Unnamed {};

template <class F> std::string nameOf() {
  static char place;
  return cottonwood::codelet::functorName(typeid(F).name(), sizeof(F), &place);
}

template <class F> std::string plainName() {
  return std::string("_") + typeid(F).name() + "_" + std::to_string(sizeof(F));
}

template <class F> bool isOfBuild() { return nameOf<F>().starts_with(plainName<F>() + "_of_"); }

template <class F> void checkPlain() { CHECK(nameOf<F>() == plainName<F>()); }

} // namespace

TEST_SUITE_BEGIN("poplar/codelet/functornames");

TEST_CASE("classes that other files can name are their name and size") {
  CHECK(nameOf<Plain>() == "_N16functornamestest5PlainE_8");
  checkPlain<Ulysses_Z_of>();
  checkPlain<std::string>();
  checkPlain<Of<Plain, Outer::Inner, float const *, int[12], Of<>>>();
  checkPlain<Numbered<-12, true, 'x'>>();
  checkPlain<Of<Numbered<99, true, 'x'>, Plain, Numbered<5, false, 'E'>>>();
}

TEST_CASE("all others are told apart by where they lie in a build of their program") {
  struct Local {};
  auto lambda = [] {};
  auto other = [] {};
  using Lambda = decltype(lambda);
  using Other = decltype(other);
  CHECK(isOfBuild<Local>());
  CHECK(isOfBuild<Unnamed>());
  CHECK(isOfBuild<Lambda>());
  CHECK(isOfBuild<std::remove_const_t<decltype(LAMBDA)>>());
  CHECK((isOfBuild<Of<Plain, Of<Unnamed>>>()));
  CHECK((isOfBuild<Of<Plain, Other>>()));
  CHECK(nameOf<Local>() == nameOf<Local>());
  CHECK(nameOf<Lambda>() != nameOf<Other>());
  char const one = 0, two = 0; // of classes that are called the same in two files
  for (char const *mangled : {"Z1fvE1L", "3$_0", "*3fun"})
    CHECK(cottonwood::codelet::functorName(mangled, 1, &one) !=
          cottonwood::codelet::functorName(mangled, 1, &two));
}

TEST_SUITE_END();
