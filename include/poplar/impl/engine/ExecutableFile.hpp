// Executables as files.
//
//   8 bytes   magic
//   u32       FORMAT_VERSION
//   text      release that wrote it (u64 length, bytes)
//   u64       bytes of the payload
//   u64       checksum of the payload
//   u64       checksum of all of the header before
//   payload   the fields of ExecutableData in the order of ExecutableFields.hpp
//
// All numbers are little-endian and as wide as in memory, enumerators and truth values are one
// byte, lists a u64 count and their elements, floating-point numbers their IEEE bits. The images of
// vertex states are stored as they lie in memory, so only little-endian machines with 64-bit
// addresses write or read executables.
#pragma once

#include <poplar/impl/lower/ExecutableData.hpp>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace cottonwood::engine {

/// Goes up with every change of the fields.
inline constexpr std::uint32_t FORMAT_VERSION = 6;

/// What a file names as its writer: release and package hash.
std::string releaseText();

/// The executable as bytes of a file.
std::vector<std::byte> storedExecutable(lower::ExecutableData const &executable);

/// \throws poplar::poplar_error  the stream fails.
void writeExecutable(std::ostream &out, lower::ExecutableData const &executable);

/// Reads what writeExecutable() wrote and leaves the stream behind it. Takes no more memory than a
/// multiple of what the stream holds.
/// \throws poplar::poplar_error  the stream ends early or holds something else, the checksum is
///         wrong, a field has no legal value, or another release wrote it and `sameRelease`.
std::shared_ptr<lower::ExecutableData const> readExecutable(std::istream &in, bool sameRelease);

/// What the option debug.verify asks for: the executable hangs together, and is the same after it
/// was written and read. \throws poplar::poplar_error  it is not, which is an error of the library.
void verifyExecutable(lower::ExecutableData const &executable);

/// For tests of the reader: makes both checksums of a changed file right again. Does nothing if
/// there is no whole header.
POP_API void repairChecksums(std::span<std::byte> file);

} // namespace cottonwood::engine
