#pragma once

#include <cstdint>

namespace tacit::base {

/// The largest resident set of this process so far, in bytes.
std::uint64_t peak_resident_bytes();
/// The resident set now, in bytes.
std::uint64_t resident_bytes();

}  // namespace tacit::base
