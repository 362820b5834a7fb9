#include "runtime/slots/owner_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "base/byte_stream.h"
#include "base/error.h"
#include "base/json_fields.h"
#include "runtime/artefact.h"
#include "runtime/description.h"
#include "runtime/key_file.h"
#include "scheme/ckks/serialize.h"

namespace tacit::runtime {

using scheme::ckks::Context;
using scheme::ckks::ContextPtr;

namespace {

constexpr std::size_t kLongestName = 100;
/// The most ciphertexts that hold the seeds for one owner: kMostParts seeds on the smallest ring.
constexpr std::size_t kMostSealed = std::size_t{params::kMostParts} * 256 / 16;

template <class Array>
base::Sha256& update(base::Sha256& hash, const Array& array) {
  return hash.update(std::as_bytes(std::span(array)));
}

base::Sha256& update_number(base::Sha256& hash, double number) {
  return hash.update(std::as_bytes(std::span(&number, 1)));
}

void update_members(base::Sha256& hash, const Context& context, const std::vector<GroupMember>& members) {
  update_number(hash, static_cast<double>(members.size()));
  for (const GroupMember& member : members) {
    update_number(hash, static_cast<double>(member.name.size()));
    update(hash, member.name);
    update(hash, member.key_set);
    scheme::ckks::serialize(context, member.key,
                            [&](std::span<const std::uint8_t> piece) { hash.update(std::as_bytes(piece)); });
  }
}

nlohmann::json json_of(const std::vector<GroupMember>& members) {
  nlohmann::json list = nlohmann::json::array();
  for (const GroupMember& member : members)
    list.push_back({{"name", member.name}, {"key_set", base::hexadecimal(member.key_set)}});
  return list;
}

std::string section_of(const char* kind, std::size_t i) { return fmt::format("{} {}", kind, i); }

std::vector<GroupMember> read_members(const ArtefactReader& reader, const Context& context, const nlohmann::json& list,
                                      const char* kind) {
  if (!list.is_array() || list.size() > kMostMembers)
    base::refuse("it lists more than {} {}s; the file was not written by Tacit", kMostMembers, kind);
  std::vector<GroupMember> members;
  std::set<std::string> names;
  std::set<KeySetId> keys;
  for (const nlohmann::json& json : list) {
    GroupMember member{.name = json.at("name").get<std::string>(), .key_set = {}, .key = {}};
    from_hexadecimal(json.at("key_set").get<std::string>(), member.key_set);
    member.key = read_key(reader, reader.section(section_of(kind, members.size()), SectionType::key), context,
                          scheme::ckks::deserialize_public_key);
    if (member.name.empty() || member.name.size() > kLongestName)
      base::refuse("the name of {} {} has {} characters, and 1 to {} are allowed", kind, members.size(),
                   member.name.size(), kLongestName);
    if (!names.insert(member.name).second || !keys.insert(member.key_set).second)
      base::refuse("it lists the {} '{}' twice", kind, member.name);
    members.push_back(std::move(member));
  }
  return members;
}

}  // namespace

base::Digest id_of(const Context& context, const OwnerGroup& group) {
  constexpr std::string_view kDomain = "tacit group of owners 1";
  base::Sha256 hash;
  update(hash, kDomain);
  update(hash, group.model);
  update(hash, group.parameters);
  update_number(hash, group.threshold);
  update_number(hash, group.promise.statistical_bits);
  update_number(hash, group.promise.decryptions);
  update(hash, group.nonce);
  update_members(hash, context, group.owners);
  update_members(hash, context, group.receivers);
  return hash.finish();
}

KeySetId key_set_of(const Context& context, const OwnerGroup& group) {
  constexpr std::string_view kDomain = "tacit key set of owners 1";
  base::Sha256 hash;
  update(hash, kDomain);
  update(hash, group.id);
  for (const Commitment& commitment : group.commitments) update(hash, digest_of(context, commitment));
  const base::Digest digest = hash.finish();
  KeySetId id;
  std::copy_n(digest.begin(), id.size(), id.begin());
  return id;
}

std::vector<std::uint8_t> to_bytes(const Context& context, const Commitment& commitment) {
  std::vector<std::uint8_t> bytes;
  const auto append = [&](std::span<const std::uint8_t> more) { std::ranges::copy(more, std::back_inserter(bytes)); };
  const auto number = [&](std::uint64_t value) {
    base::ByteWriter one;
    one.u64(value);
    append(one.take());
  };
  append(commitment.first_part);
  number(commitment.seeds.size());
  for (const base::Digest& seed : commitment.seeds) append(seed);
  number(commitment.sealed.size());
  for (const auto& [owner, sealed] : commitment.sealed) {
    number(static_cast<std::uint64_t>(owner));
    number(sealed.size());
    for (const scheme::ckks::Ciphertext& ciphertext : sealed) {
      const std::vector<std::uint8_t> one = scheme::ckks::serialize(context, ciphertext);
      number(one.size());
      append(one);
    }
  }
  return bytes;
}

base::Digest digest_of(const Context& context, const Commitment& commitment) {
  return base::sha256(std::as_bytes(std::span<const std::uint8_t>(to_bytes(context, commitment))));
}

Commitment commitment_from_bytes(const Context& context, const params::OwnerParts& parts, int owner,
                                 std::span<const std::uint8_t> bytes) {
  base::ByteReader reader(bytes, "a commitment");
  Commitment result;
  result.first_part = reader.array<base::Digest>();
  const std::size_t led = parts.led_by(owner).size();
  if (reader.u64() != led) reader.fail("it commits to another number of seeds than its owner leads");
  for (std::size_t i = 0; i < led; ++i) result.seeds.push_back(reader.array<base::Digest>());
  std::size_t holders = 0;
  for (int other = 0; other < parts.owners(); ++other)
    if (other != owner && !parts.given(owner, other).empty()) ++holders;
  if (reader.u64() != holders) reader.fail("it has seeds for other owners than hold parts with its owner");
  int last = -1;
  for (std::size_t i = 0; i < holders; ++i) {
    const std::uint64_t other = reader.u64();
    if (other >= static_cast<std::uint64_t>(parts.owners()) || static_cast<int>(other) <= last ||
        static_cast<int>(other) == owner || parts.given(owner, static_cast<int>(other)).empty())
      reader.fail("it has seeds for other owners than hold parts with its owner");
    last = static_cast<int>(other);
    const std::uint64_t count = reader.u64();
    if (count < 1 || count > kMostSealed) reader.fail("the number of its sealed seeds is wrong");
    std::vector<scheme::ckks::Ciphertext>& sealed = result.sealed[last];
    for (std::uint64_t c = 0; c < count; ++c) {
      const std::uint64_t size = reader.u64();
      sealed.push_back(scheme::ckks::deserialize_ciphertext(context, reader.take(size)));
    }
  }
  reader.expect_end();
  return result;
}

base::Digest save(const ContextPtr& context, const OwnerGroup& group, const Sink& sink) {
  return write_artefact(sink, ArtefactKind::owner_group, ArtefactScheme::ckks, [&](ArtefactWriter& writer) {
    nlohmann::json about = to_json(group.binding());
    about["threshold"] = group.threshold;
    about["owners"] = json_of(group.owners);
    about["receivers"] = json_of(group.receivers);
    about["statistical_bits"] = group.promise.statistical_bits;
    about["decryptions"] = group.promise.decryptions;
    about["nonce"] = base::hexadecimal(group.nonce);
    about["agreed"] = group.agreed();
    writer.add_section(kAboutSection, SectionType::text, about_text(ArtefactKind::owner_group, about));
    for (std::size_t i = 0; i < group.owners.size(); ++i)
      add_key(writer, section_of("owner", i), *context, group.owners[i].key);
    for (std::size_t i = 0; i < group.receivers.size(); ++i)
      add_key(writer, section_of("receiver", i), *context, group.receivers[i].key);
    for (std::size_t i = 0; i < group.commitments.size(); ++i)
      writer.add_section(section_of("commitment", i), SectionType::key,
                         std::as_bytes(std::span<const std::uint8_t>(to_bytes(*context, group.commitments[i]))));
  });
}

OwnerGroup load_owner_group(const Source& source, const ContextPtr& context, const ModelId& model) {
  const ArtefactReader reader(source, ArtefactKind::owner_group);
  OwnerGroup group;
  parsing(source.name(), [&] {
    const base::HeldJson held = about(reader);
    const nlohmann::json& json = *held;
    const Binding binding = binding_from_json(json);
    require_same_model({model, context->parameters().hash(), {}}, "the model", binding, source.name(),
                       "make the group for this model");
    group.model = binding.model;
    group.parameters = binding.parameters;
    const std::int64_t threshold = base::whole_number(json.at("threshold"));
    if (threshold < 0 || threshold > params::kMostParts) base::refuse("its threshold {} is out of range", threshold);
    group.threshold = static_cast<int>(threshold);
    group.promise = {.statistical_bits = json.at("statistical_bits").get<double>(),
                     .decryptions = json.at("decryptions").get<double>()};
    params::check(group.promise);
    from_hexadecimal(json.at("nonce").get<std::string>(), group.nonce);
    group.owners = read_members(reader, *context, json.at("owners"), "owner");
    group.receivers = read_members(reader, *context, json.at("receivers"), "receiver");
    const params::OwnerParts parts = group.parts();
    group.id = id_of(*context, group);
    if (!json.at("agreed").get<bool>()) return;
    for (int i = 0; i < parts.owners(); ++i) {
      const std::vector<std::byte> bytes =
          reader.read(reader.section(section_of("commitment", static_cast<std::size_t>(i)), SectionType::key));
      group.commitments.push_back(commitment_from_bytes(
          *context, parts, i, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}));
    }
    group.key_set = key_set_of(*context, group);
    if (group.key_set != binding.key_set)
      throw base::InputError("it does not have the key set that it states; the file was altered");
  });
  return group;
}

}  // namespace tacit::runtime
