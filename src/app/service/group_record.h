#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/service/model_shelf.h"
#include "runtime/binding.h"

namespace tacit::app::service {

/// Somebody in a group: the client of the service with this name.
struct GroupPerson {
  std::string name;
  std::string key_set;  ///< of the person's key pair, hexadecimal
};

/// What the service knows about a group of owners that was posted.
struct GroupRecord {
  std::string id;        ///< root of the posted file, 64 hexadecimal digits
  std::string proposal;  ///< runtime::OwnerGroup::id, hexadecimal; equal for the proposed and the agreed group
  std::string proposer;  ///< the client that posted it
  runtime::Binding binding{};
  bool agreed = false;
  bool second_parts = true;  ///< the keys need second parts: the model multiplies encrypted values
  int threshold = 0;
  std::vector<GroupPerson> owners, receivers;
  std::int64_t posted = 0, deadline = 0;  ///< seconds since 1970

  /// The place of a client among the owners.
  std::optional<int> owner(const std::string& client) const;
  /// True for an owner and for a receiver.
  bool has(const std::string& client) const;
  /// The owner or receiver with this key pair; null if there is none.
  const GroupPerson* person(const std::string& key_set) const;
};

/// Reads a group that a client sent. Checks it as the owners do. Throws InputError and KeyMismatch, and InputError for
/// a model on integers, which has one owner. Posted and deadline stay 0.
GroupRecord read_group(const std::filesystem::path& file, const OfferedModel& model);

nlohmann::json to_json(const GroupRecord& record);
/// Reads a record that to_json made. Returns none for anything else.
std::optional<GroupRecord> group_record_from(const nlohmann::json& json);

}  // namespace tacit::app::service
