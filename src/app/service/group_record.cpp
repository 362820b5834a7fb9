#include "app/service/group_record.h"

#include <algorithm>

#include "base/error.h"
#include "runtime/compiled_model.h"
#include "runtime/description.h"
#include "runtime/slots/owner_group.h"

namespace tacit::app::service {
namespace {

nlohmann::json json_of_people(const std::vector<GroupPerson>& people) {
  nlohmann::json list = nlohmann::json::array();
  for (const GroupPerson& person : people) list.push_back({{"name", person.name}, {"key_set", person.key_set}});
  return list;
}

std::vector<GroupPerson> people_in(const nlohmann::json& list) {
  std::vector<GroupPerson> people;
  for (const nlohmann::json& one : list)
    people.push_back({one.at("name").get<std::string>(), one.at("key_set").get<std::string>()});
  return people;
}

std::vector<GroupPerson> people_of(const std::vector<runtime::GroupMember>& members) {
  std::vector<GroupPerson> people;
  for (const runtime::GroupMember& member : members) people.push_back({member.name, base::hexadecimal(member.key_set)});
  return people;
}

}  // namespace

std::optional<int> GroupRecord::owner(const std::string& client) const {
  const auto found = std::ranges::find(owners, client, &GroupPerson::name);
  if (found == owners.end()) return std::nullopt;
  return static_cast<int>(found - owners.begin());
}

bool GroupRecord::has(const std::string& client) const {
  return owner(client) || std::ranges::find(receivers, client, &GroupPerson::name) != receivers.end();
}

const GroupPerson* GroupRecord::person(const std::string& key_set) const {
  for (const auto* people : {&owners, &receivers})
    for (const GroupPerson& person : *people)
      if (person.key_set == key_set) return &person;
  return nullptr;
}

GroupRecord read_group(const std::filesystem::path& file, const OfferedModel& model) {
  if (model.half->model().scheme != runtime::ArtefactScheme::ckks || model.inputs != runtime::ArtefactKind::ciphertexts)
    throw base::InputError("this model has one owner; groups are for models that were compiled with --owners");
  const runtime::ClientModel client = runtime::load_client_model(model.client_half);
  const auto context = scheme::ckks::Context::make(params::CkksParameters::check(client.literal));
  const runtime::OwnerGroup group = runtime::load_owner_group(file, context, client.id);
  return {.id = base::hexadecimal(runtime::ArtefactReader(file, runtime::ArtefactKind::owner_group).root()),
          .proposal = base::hexadecimal(group.id),
          .proposer = {},
          .binding = group.binding(),
          .agreed = group.agreed(),
          .second_parts = client.keys.relinearise_level >= 0,
          .threshold = group.threshold,
          .owners = people_of(group.owners),
          .receivers = people_of(group.receivers)};
}

nlohmann::json to_json(const GroupRecord& record) {
  return {{"id", record.id},
          {"proposal", record.proposal},
          {"proposer", record.proposer},
          {"binding", runtime::to_json(record.binding)},
          {"agreed", record.agreed},
          {"second_parts", record.second_parts},
          {"threshold", record.threshold},
          {"owners", json_of_people(record.owners)},
          {"receivers", json_of_people(record.receivers)},
          {"posted", record.posted},
          {"deadline", record.deadline}};
}

std::optional<GroupRecord> group_record_from(const nlohmann::json& json) try {
  return GroupRecord{.id = json.at("id").get<std::string>(),
                     .proposal = json.at("proposal").get<std::string>(),
                     .proposer = json.at("proposer").get<std::string>(),
                     .binding = runtime::binding_from_json(json.at("binding")),
                     .agreed = json.at("agreed").get<bool>(),
                     .second_parts = json.at("second_parts").get<bool>(),
                     .threshold = json.at("threshold").get<int>(),
                     .owners = people_in(json.at("owners")),
                     .receivers = people_in(json.at("receivers")),
                     .posted = json.at("posted").get<std::int64_t>(),
                     .deadline = json.at("deadline").get<std::int64_t>()};
} catch (const nlohmann::json::exception&) {
  return std::nullopt;
} catch (const base::InputError&) {
  return std::nullopt;
}

}  // namespace tacit::app::service
