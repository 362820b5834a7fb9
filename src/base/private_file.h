#pragma once

#include <filesystem>
#include <string_view>

namespace tacit::base {

/// Throws InputError if others may read or change the key in `file`. The message names the file, its mode and the way
/// out. `what` names the content: "secret key". A file passes in these cases:
/// - The file does not exist.
/// - This user owns it, and neither its group nor others may read or change it.
/// - Root owns it, its group may at most read it, and others may do nothing. Containers mount such files.
void require_private(const std::filesystem::path& file, std::string_view what);
/// Checks an open file in the same way; messages call it `file`.
void require_private(int descriptor, const std::filesystem::path& file, std::string_view what);

/// Makes a folder that this user alone may use, unless it exists. Throws InputError if others may write to an existing
/// folder, if another user owns it, or if it is not a folder. `what` names its purpose: "state folder".
void make_private_folder(const std::filesystem::path& folder, std::string_view what);

}  // namespace tacit::base
