#pragma once

#include <string>
#include <vector>

#include "params/sharing.h"
#include "runtime/sink.h"
#include "runtime/slots/owner_group.h"
#include "runtime/source.h"
#include "session/owner/group/open_group.h"

namespace tacit::session {

/// Draws the key pair of somebody who owns a part of a secret key, or receives results, and writes both halves or
/// none. Throws InputError for a file that cannot be written, and as load_group_model does.
void make_member_key(const runtime::Source& client, const runtime::Sink& secret, const runtime::Sink& open);

/// Somebody's public half.
struct NamedKey {
  std::string name;
  runtime::Source key;
};

/// What a group is made of.
struct GroupRequest {
  runtime::Source client;
  std::vector<NamedKey> owners;
  std::vector<NamedKey> receivers{};  ///< who may receive results besides the owners
  int threshold = 0;
  params::Sharing promise{};  ///< `bits` has no meaning here
};

/// Writes a proposed group, and returns it. Throws InputError in these cases:
/// - OwnerParts refuses the threshold or the number of owners.
/// - An owner or a name is listed twice.
/// - The model was compiled for other owners.
/// Throws KeyMismatch for a key of another model.
runtime::OwnerGroup new_group(const GroupRequest& request, const runtime::Sink& sink);

/// Writes the group that its owners have agreed on: the proposal with the commitments of all owners. Throws InputError
/// for an owner whose commitment is missing or given twice, and KeyMismatch for the commitment of another group.
void agree(const OpenGroup& proposal, const std::vector<runtime::Source>& commitments, const runtime::Sink& sink);

}  // namespace tacit::session
