// What measured planning has learned, kept from one run of a program to the next.
//
// With the option {"planning", "measure"} the functions of MatMul.hpp and Convolution.hpp (and of
// Epilogue.hpp and Fused.hpp) do not trust the planner's estimate on a CPU: the first time a
// problem is met they try the plans that leave the bits of the result alone (how it is cut for
// threads, sizes of blocks, what is packed) on scratch data and take the quickest. That takes from
// milliseconds to seconds a problem and memory for a second set of operands; problems of more than
// 1 GB keep the estimate. Convolutions are tried in the layouts of createInput() and
// createWeights(). What was learned is known to all graphs of the process, whatever their planning
// option, and can be saved. Plans of a PlanningCache, and plans forced by planConstraints, stay as
// they are.
//
// Wisdom is text, one line a problem, and names the instruction set and the version of the kernels
// it was made for; with others it is refused, since its plans would be wrong ones. It may be kept
// by machines with the same instruction set, but is best where it was made.
#include <poplin/impl/Config.hpp>

#ifndef POPLIN_WISDOM_HPP
#define POPLIN_WISDOM_HPP

#include <cstddef>
#include <string>

namespace poplin {

/// All that is known, as text; the same text for the same knowledge.
POP_API std::string exportWisdom();

/// Merges a text made by exportWisdom() into what is known. Where both know a problem, the plan
/// that took less time stays.
/// \throws poputil::poplibs_error  a text that is no wisdom, was cut off, or is of another version,
///         instruction set or kernels, or has a line that is no problem with its plan; what was
///         known stays as it is.
POP_API void importWisdom(std::string const &text);

/// Writes exportWisdom() into a file, which is replaced at once: readers see the old text or the
/// new one, also of several processes that save. Of a link what it leads to is replaced.
/// \throws poputil::poplibs_error  the file cannot be written, or is not a regular file.
POP_API void saveWisdom(std::string const &path);

/// importWisdom() of a file.
/// \throws poputil::poplibs_error  the file cannot be read, or as importWisdom().
POP_API void loadWisdom(std::string const &path);

/// Forgets everything.
POP_API void forgetWisdom();

/// Problems that a plan is known for.
POP_API std::size_t wisdomSize();

} // namespace poplin

#endif
