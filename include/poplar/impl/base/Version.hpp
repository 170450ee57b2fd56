// What this release calls itself.
#pragma once

namespace cottonwood::base {

/// The release of the published interface that programs are compiled for.
inline constexpr char const API_VERSION[] = "3.3.0";
/// Name and version of this implementation.
inline constexpr char const RELEASE[] = "cottonwood-0.1.0";

} // namespace cottonwood::base
