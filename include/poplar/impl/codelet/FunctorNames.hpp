#pragma once
// What stands for a functor of an application in the names of its vertices, by which executables
// find their code again.
//
// A class that other files can name (outside functions and unnamed namespaces, without lambdas) is
// its mangled name and its size: `_4Gelu_8`. Every program that has a class of that name and size
// has the functor. Of all others a name says nothing: they are told apart by where they lie in
// their program or library, and that by its build: `_ZL2opvEUlT_E__1_of_<build>_<place>`. That is
// the same whenever the program is run, and no other program's.

#include <cstddef>
#include <string>
#include <string_view>

#include <poplar/impl/base/Config.hpp>

namespace cottonwood::codelet {

/// \param mangled  the name of the functor's class, as typeid has it
/// \param bytes    its size
/// \param place    the address of an object that only this class has
POP_API std::string functorName(std::string_view mangled, std::size_t bytes, void const *place);

/// Whether any file can name the class: that part of a mangled name's grammar is understood that
/// has nothing local in it.
bool isNamedEverywhere(std::string_view mangled);

/// Why no vertex of that name can be found, if its functor is one of a certain build of some
/// program; else empty.
std::string foreignFunctorHelp(std::string_view vertexName);

} // namespace cottonwood::codelet
