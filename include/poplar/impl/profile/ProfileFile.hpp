// Profile files: the reports that the options autoReport.* ask for, and reading them back.
//
// A file is one CBOR map (RFC 8949) with the self-described tag: `format` and `version`, which
// library wrote it, and the trees of Values.hpp.
#pragma once

#include <poplar/ProfileValue.hpp>

#include <iosfwd>
#include <string>

namespace cottonwood::profile {

/// What serializeToCBOR() wrote, beginning where the stream stands.
/// \throws poplar::parse_error  not CBOR, or of a kind that serializeToCBOR() does not write.
poplar::ProfileValue readCBOR(std::istream &in);

/// \param execution  an empty map if nothing was executed.
/// \throws poplar::poplar_error  the file cannot be written.
void writeProfile(std::string const &path, poplar::ProfileValue const &graph,
                  poplar::ProfileValue const &execution);

/// The whole map of a file: `graphProfile` and `executionProfile` are members.
/// \throws poplar::file_load_error  there is no such file, or it is no profile of this version.
POP_API poplar::ProfileValue readProfile(char const *where, std::string const &path);

} // namespace cottonwood::profile
