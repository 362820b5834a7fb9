#pragma once

#include <cstddef>
#include <filesystem>

#include "params/sharing.h"
#include "runtime/binding.h"

namespace tacit::session {

/// Returns the file that counts the results shared under the secret key `key`: KEY.shared, readable by its owner only.
std::filesystem::path shared_results_beside(const std::filesystem::path& key);

/// Adds `results` to the count of the key set `of_key`, before any of them is shown. A file of another key set counts
/// as 0. Processes wait for each other. Throws InputError, and counts nothing,
/// - if the sum exceeds `sharing.decryptions`, or the least number that an earlier call promised;
/// - if the file is damaged or cannot be written.
void count_shared_results(const std::filesystem::path& key, const runtime::KeySetId& of_key, std::size_t results,
                          const params::Sharing& sharing);

}  // namespace tacit::session
