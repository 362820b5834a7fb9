#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tacit::session {

/// The bytes of a regular file of at most `most`. Throws InputError, naming the file, where there is no such file,
/// where it is larger, and where it cannot be read whole.
std::string read_bounded(const std::filesystem::path& path, std::uintmax_t most);

}  // namespace tacit::session
