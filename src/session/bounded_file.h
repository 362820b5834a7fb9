#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tacit::session {

/// Returns the bytes of a regular file of at most `most` bytes. Throws InputError naming the file if it does not exist,
/// is larger, or cannot be read completely.
std::string read_bounded(const std::filesystem::path& path, std::uintmax_t most);

}  // namespace tacit::session
