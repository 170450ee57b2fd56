// Splitting a line of compile flags into words, without a shell.
#pragma once

#include <poplar/impl/base/Config.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace cottonwood::popc {

/// The words of `line` by the quoting rules of POSIX (Shell Command Language, 2.2): blanks
/// separate, a backslash keeps the next character, '...' keeps everything, "..." everything but
/// \ before $ ` " \ and the end of a line. Nothing is expanded: $, ` and * are characters. \param
/// where  begins the text of an error \throws poplar::poplar_error  a quotation has no end
POP_API std::vector<std::string> splitWords(std::string_view line, std::string_view where);

} // namespace cottonwood::popc
