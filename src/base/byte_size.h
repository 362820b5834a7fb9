#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tacit::base {

/// "16GiB", "500MB", "1.5 GB", "4096": a number and an optional unit (B, KB, MB, GB, TB, KiB, MiB, GiB, TiB; case does
/// not matter) as bytes. Throws InputError unless it is at least 1 and below 2^60 bytes.
std::uint64_t parse_byte_size(std::string_view text);

/// "3.2 GiB", for people.
std::string byte_size_text(double bytes);

}  // namespace tacit::base
