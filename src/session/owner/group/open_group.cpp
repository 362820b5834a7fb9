#include "session/owner/group/open_group.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "session/sentence.h"

namespace tacit::session {

GroupModel load_group_model(const runtime::Source& client) {
  if (runtime::artefact_scheme(client) == runtime::ArtefactScheme::tfhe)
    base::refuse(
        "{}: a model on integers (TFHE) has keys of one owner: its results have no room for the flood that several "
        "owners must add before they decrypt together; compile with --scheme ckks --owners",
        client.name());
  GroupModel result;
  result.model = std::make_shared<const runtime::ClientModel>(runtime::load_client_model(client));
  result.context = scheme::ckks::Context::make(params::CkksParameters::check(result.model->literal));
  return result;
}

void require_parts(const GroupModel& model, const params::OwnerParts& parts) {
  const auto compiled = static_cast<std::size_t>(model.model->literal.parts);
  if (compiled != parts.parts())
    base::refuse(
        "model '{}' was compiled for a key of {} parts, and the key that {} of {} owners use has {}; compile it with "
        "--owners {},{}",
        model.model->name, compiled, parts.threshold(), parts.owners(), parts.parts(), parts.owners(),
        parts.threshold());
}

void OpenGroup::require_agreed() const {
  if (!group.agreed())
    base::refuse(
        "{}: this group has no commitments of its owners yet; give the file that combine made of the group and of all "
        "commitments",
        name);
}

std::string OpenGroup::owner(int index) const {
  return "'" + printable(group.owners[static_cast<std::size_t>(index)].name) + "'";
}

OpenGroup open_group(const runtime::Source& client, const runtime::Source& group) {
  OpenGroup result{load_group_model(client), group.name(), {}};
  result.group = runtime::load_owner_group(group, result.context, result.model->id);
  require_parts(result, result.group.parts());
  return result;
}

}  // namespace tacit::session
