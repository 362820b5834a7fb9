#pragma once

#include <filesystem>
#include <string_view>

namespace tacit::base {

/// Throws InputError, naming the file, its mode and the way out, for a key that others may read or change: one whose
/// owner is neither this user nor root, one of this user's that its group or others may read or change, and one of
/// root's that its group may change or others may read or change. A file of root's that a group reads is what
/// containers mount. `what` is what the file holds: "secret key". A file that is absent passes.
void require_private(const std::filesystem::path& file, std::string_view what);
/// The same of an open file that is called `file`.
void require_private(int descriptor, const std::filesystem::path& file, std::string_view what);

/// Makes a folder that this user alone may use, where there is none. Throws InputError where there is one that others
/// may write to, or that belongs to another user. `what` is what it is: "state folder".
void make_private_folder(const std::filesystem::path& folder, std::string_view what);

}  // namespace tacit::base
