#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tacit::base {

/// Reads a number and an optional unit as bytes: "16GiB", "500MB", "1.5 GB", "4096". The units are B, KB, MB, GB, TB,
/// KiB, MiB, GiB and TiB, in any case. Throws InputError unless the result is at least 1 and below 2^60 bytes.
std::uint64_t parse_byte_size(std::string_view text);

/// Returns a text for people, such as "3.2 GiB".
std::string byte_size_text(double bytes);

}  // namespace tacit::base
