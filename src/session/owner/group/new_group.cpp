#include "session/owner/group/new_group.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/random.h"
#include "runtime/slots/key_part_file.h"
#include "runtime/slots/key_store.h"
#include "session/output_files.h"
#include "session/sentence.h"

namespace tacit::session {
namespace {

std::vector<runtime::GroupMember> members_of(const GroupModel& model, const std::vector<NamedKey>& named,
                                             const char* kind) {
  std::vector<runtime::GroupMember> members;
  std::set<std::string> names;
  std::map<runtime::KeySetId, std::string> keys;
  for (const NamedKey& one : named) {
    runtime::Provenance found;
    runtime::GroupMember member{.name = one.name,
                                .key_set = {},
                                .key = runtime::load_receiver_key(one.key, model.context, &model.model->id, found)};
    member.key_set = found.key_set;
    if (!names.insert(one.name).second)
      base::refuse("two {}s are called '{}': rename one of the files", kind, printable(one.name));
    if (const auto [other, fresh] = keys.try_emplace(found.key_set, one.key.name()); !fresh)
      base::refuse("{} and {} are the same key: name every {} once", other->second, one.key.name(), kind);
    members.push_back(std::move(member));
  }
  return members;
}

}  // namespace

void make_member_key(const runtime::Source& client, const runtime::Sink& secret, const runtime::Sink& open) {
  const GroupModel model = load_group_model(client);
  const runtime::Binding binding{model.model->id, model.context->parameters().hash(), runtime::new_key_set_id()};
  const scheme::ckks::KeyGenerator generator(model.context);
  const scheme::ckks::SecretKey key = generator.secret_key();
  // The secret goes last: when a file cannot be written, there is none whose public half is missing.
  WrittenFiles written;
  runtime::save_receiver_key(model.context, generator.public_key(key), binding, open);
  if (!open.file().empty()) written.add(open.file());
  runtime::save(model.context, key, binding, secret);
  written.keep();
}

runtime::OwnerGroup new_group(const GroupRequest& request, const runtime::Sink& sink) {
  const GroupModel model = load_group_model(request.client);
  if (request.owners.size() > runtime::kMostMembers || request.receivers.size() > runtime::kMostMembers)
    base::refuse("a group of {} owners and {} receivers is too large: there may be {} of each", request.owners.size(),
                 request.receivers.size(), runtime::kMostMembers);
  const params::OwnerParts parts(static_cast<int>(request.owners.size()), request.threshold);
  require_parts(model, parts);
  params::check(request.promise);
  runtime::OwnerGroup group{.model = model.model->id,
                            .parameters = model.context->parameters().hash(),
                            .threshold = request.threshold,
                            .owners = members_of(model, request.owners, "owner"),
                            .receivers = members_of(model, request.receivers, "receiver"),
                            .promise = request.promise,
                            .nonce = base::public_seed()};
  group.promise.bits = 0;
  group.id = runtime::id_of(*model.context, group);
  runtime::save(model.context, group, sink);
  return group;
}

void agree(const OpenGroup& proposal, const std::vector<runtime::Source>& commitments, const runtime::Sink& sink) {
  runtime::OwnerGroup group = proposal.group;
  if (group.agreed())
    base::refuse("{}: its owners have agreed already; commitments are combined with the group that was proposed",
                 proposal.name);
  const params::OwnerParts parts = group.parts();
  std::vector<std::optional<runtime::Commitment>> found(group.owners.size());
  for (const runtime::Source& source : commitments) {
    const runtime::KeyPartReader reader(source, proposal.context, group);
    auto& own = found[static_cast<std::size_t>(reader.head().owner)];
    if (own)
      base::refuse("{} is a second commitment of {}: name one of each owner", source.name(),
                   proposal.owner(reader.head().owner));
    own = reader.commitment(parts);
  }
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (!found[i]) missing.push_back(proposal.owner(static_cast<int>(i)));
  if (!missing.empty())
    base::refuse("the commitment of {} is missing: keys need that of every owner", fmt::join(missing, ", "));
  for (std::optional<runtime::Commitment>& one : found) group.commitments.push_back(*std::move(one));
  group.key_set = runtime::key_set_of(*proposal.context, group);
  runtime::save(proposal.context, group, sink);
}

}  // namespace tacit::session
