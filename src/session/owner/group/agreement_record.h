#pragma once

#include <filesystem>

#include "base/sha256.h"
#include "runtime/binding.h"

namespace tacit::session {

/// Returns the file in which an owner notes the key set of the group `group`: SECRET.<8 digits of the group>.agreed.
std::filesystem::path agreement_beside(const std::filesystem::path& secret, const base::Digest& group);

/// Notes that the owner of a secret makes parts of the keys of this key set, and of no other in the same group. The
/// note reaches the disk before this returns. Throws InputError if another key set was noted, or if the file is damaged
/// or cannot be written. Thread and process safe.
///
/// Others could answer a group's proposal with new commitments after they have seen a part of its keys, and ask for a
/// second round that reveals the owner's secrets. The note refuses that.
void note_agreement(const std::filesystem::path& secret, const base::Digest& group, const runtime::KeySetId& key_set);

}  // namespace tacit::session
