#pragma once
// Codelets of libraries for executables that were compiled in another process: there is no graph
// there whose registry would have them.

#include <span>
#include <string>
#include <string_view>

#include <poplar/impl/codelet/Codelet.hpp>

namespace cottonwood::codelet {

/// A library's codelets for the instruction set of that name; none if it has none for it.
using CodeletSource = std::span<Codelet const> (*)(std::string_view isa);

/// Makes codelets named `library::...` findable. Libraries call it when they are loaded; the result
/// is there to initialise something.
POP_API bool registerLibrary(std::string_view library, CodeletSource source) noexcept;

/// The codelet of that name in the library that its namespace names, null if there is none. A
/// compiled library of this project that is not loaded yet is loaded from the folder of libpoplar.
Codelet const *findInLibraries(std::string_view name, std::string_view isa);

/// Why the library that the codelet's namespace names could not be loaded, as the system says;
/// empty if that was not tried, or worked.
std::string loadFailure(std::string_view name);

} // namespace cottonwood::codelet
