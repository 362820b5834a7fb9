#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/sha256.h"
#include "params/owner_parts.h"
#include "params/sharing.h"
#include "runtime/binding.h"
#include "runtime/sink.h"
#include "runtime/source.h"
#include "scheme/ckks/ciphertext.h"
#include "scheme/ckks/context.h"
#include "scheme/ckks/keys.h"

namespace tacit::runtime {

/// Somebody with a key pair for a model: an owner of a group, or a receiver of its results.
struct GroupMember {
  std::string name;    ///< for people
  KeySetId key_set{};  ///< of the key pair
  scheme::ckks::PublicKey key;
};

/// What an owner publishes before anybody has seen a part of the keys.
struct Commitment {
  base::Digest first_part{};        ///< digest_of the owner's first part
  std::vector<base::Digest> seeds;  ///< of every part that the owner leads (scheme::ckks::commitment_to)
  /// The seeds of the parts that the owner leads and another owner holds (OwnerParts::given), sealed for that owner.
  std::map<int, std::vector<scheme::ckks::Ciphertext>> sealed;
};

/// The owners of one secret key for a model, which `threshold` of them use together. A group is proposed first. With
/// the commitments of all owners it is agreed, and has a key set.
struct OwnerGroup {
  ModelId model{};
  params::ParameterHash parameters{};
  int threshold = 0;
  std::vector<GroupMember> owners, receivers;
  params::Sharing promise{};              ///< statistical bits, and the results under one key that are ever shared
  base::Seed nonce{};                     ///< two groups of the same owners differ
  base::Digest id{};                      ///< id_of
  std::vector<Commitment> commitments{};  ///< by owner; empty for a proposed group
  KeySetId key_set{};                     ///< key_set_of; zero for a proposed group

  params::OwnerParts parts() const { return {static_cast<int>(owners.size()), threshold}; }
  bool agreed() const { return !commitments.empty(); }
  Binding binding() const { return {model, parameters, key_set}; }
};

/// The most members of one kind.
inline constexpr std::size_t kMostMembers = 126;

/// Returns SHA-256 of everything except commitments: the id of a proposal.
base::Digest id_of(const scheme::ckks::Context& context, const OwnerGroup& group);
/// Returns the id of the keys of an agreed group: SHA-256 of the group's id and of all commitments.
KeySetId key_set_of(const scheme::ckks::Context& context, const OwnerGroup& group);

/// Returns the digest of one commitment.
base::Digest digest_of(const scheme::ckks::Context& context, const Commitment& commitment);
std::vector<std::uint8_t> to_bytes(const scheme::ckks::Context& context, const Commitment& commitment);
/// Reads the commitment of an owner from untrusted bytes. Throws InputError unless it has what the parts ask of him.
Commitment commitment_from_bytes(const scheme::ckks::Context& context, const params::OwnerParts& parts, int owner,
                                 std::span<const std::uint8_t> bytes);

/// Writes a group. Throws InputError naming the sink.
base::Digest save(const scheme::ckks::ContextPtr& context, const OwnerGroup& group, const Sink& sink);
/// Reads a group, and computes its ids. Throws InputError for damage and for numbers out of range, and KeyMismatch for
/// another model.
OwnerGroup load_owner_group(const Source& source, const scheme::ckks::ContextPtr& context, const ModelId& model);

}  // namespace tacit::runtime
