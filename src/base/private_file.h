#pragma once

#include <filesystem>
#include <string_view>

namespace tacit::base {

/// As ssh does: throws InputError, naming the file, its mode and the way out, for a key of this user's that its group
/// or others may read or change. Of another user's key, like one that a container mounts, the mode is not this user's
/// to mend. `what` is what the file holds: "secret key".
void require_private(const std::filesystem::path& file, std::string_view what);

}  // namespace tacit::base
