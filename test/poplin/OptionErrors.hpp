// Errors of options name the function that was given them.
#pragma once

#include <poplar/exceptions.hpp>

#include <doctest/doctest.h>

#include <string>

/// call() gives poplin's function an option that `problem` says what is wrong with.
template <class Call>
void checkBlamed(char const *function, char const *problem, Call const &call) {
  CAPTURE(function);
  std::string const text = std::string("poplin::") + function + ": " + problem;
  CHECK_THROWS_WITH_AS(call(), text.c_str(), poplar::invalid_option);
}
