#pragma once

#include <filesystem>

namespace tacit::app {

/// Warns on standard error, in one line, if a secret key file can be read by others than its owner. Throws
/// InputError if it is no artefact.
void warn_if_readable_by_others(const std::filesystem::path& secret_key);

}  // namespace tacit::app
