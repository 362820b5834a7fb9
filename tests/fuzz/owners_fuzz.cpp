#include <optional>

#include "artefact_parts.h"
#include "base/error.h"
#include "base/temporary_folder_for_test.h"
#include "memory_file.h"
#include "runtime/slots/key_part_file.h"
#include "runtime/slots/key_store.h"
#include "runtime/slots/share_file.h"
#include "scheme/ckks/relinearisation_rounds.h"
#include "scheme/ckks/sealed_seeds.h"
#include "tiny_literals.h"

/// What owners of a key send to each other: receiver's keys, groups, the three messages for keys, and shares.
namespace tacit::fuzz {

using runtime::ArtefactKind;
using runtime::KeyRound;

namespace {

constexpr std::size_t kShareBytes = 24;

/// Two of three owners, on a tiny ring.
struct Owners {
  scheme::ckks::ContextPtr context;
  runtime::OwnerGroup proposed, agreed;
  runtime::FirstPart first;
  scheme::ckks::RelinearisationRound second;

  Owners() {
    params::CkksLiteral literal = tiny_literal();
    literal.parts = 3;
    context = scheme::ckks::Context::make(params::CkksParameters::check(literal));
    const scheme::ckks::KeyGenerator generator(context);
    proposed.parameters = context->parameters().hash();
    proposed.threshold = 2;
    for (std::uint8_t i = 0; i < 3; ++i) {
      const scheme::ckks::SecretKey secret = generator.secret_key();
      proposed.owners.push_back({std::string(1, static_cast<char>('a' + i)), {i}, generator.public_key(secret)});
    }
    proposed.receivers.push_back({"r", {9}, proposed.owners[0].key});
    proposed.id = runtime::id_of(*context, proposed);
    const scheme::ckks::SubSecret secret(*context, base::Seed{1});
    const scheme::ckks::KeyGenerator of_part(context, scheme::ckks::randomness_of(secret, proposed.id));
    first = {of_part.public_key(secret.key()), of_part.evaluation_keys(secret.key(), {.rotations = {{1, 2}}})};
    const scheme::ckks::RelinearisationRounds rounds(context, proposed.id, 2);
    scheme::ckks::RelinearisationHalves halves = rounds.first(secret);
    second = {.level = 2, .polys = halves.masked};
    agreed = proposed;
    const params::OwnerParts parts = proposed.parts();
    for (int owner = 0; owner < 3; ++owner) {
      runtime::Commitment commitment{.first_part = digest_of(*context, first), .seeds = {}, .sealed = {}};
      commitment.seeds.resize(parts.led_by(owner).size());
      for (int other = 0; other < 3; ++other)
        if (const std::size_t given = parts.given(owner, other).size(); other != owner && given > 0)
          commitment.sealed[other] =
              seal(*context, proposed.owners[static_cast<std::size_t>(other)].key, std::vector<base::Seed>(given));
      agreed.commitments.push_back(std::move(commitment));
    }
    agreed.key_set = runtime::key_set_of(*context, agreed);
  }
};

const Owners& owners() {
  static const Owners made;
  return made;
}

void load_part(const std::filesystem::path& path, const runtime::OwnerGroup& group) {
  const runtime::KeyPartReader reader(path, owners().context, group);
  switch (reader.head().round) {
    case KeyRound::commitment: {
      const runtime::Commitment commitment = reader.commitment(group.parts());
      require(commitment.seeds.size() == group.parts().led_by(reader.head().owner).size(),
              "a commitment has a seed for every part that its owner leads");
      return;
    }
    case KeyRound::first: {
      const base::Digest committed = digest_of(*owners().context, owners().first);
      require(digest_of(*owners().context, reader.first(committed)) == committed,
              "a first part is the one that was committed to");
      return;
    }
    case KeyRound::second: static_cast<void>(reader.second()); return;
  }
}

}  // namespace

std::string_view target_name() { return "owners"; }

std::vector<Bytes> seeds() {
  const Owners& all = owners();
  const base::TemporaryFolder folder;
  const auto path = folder.path() / "sent";
  std::vector<Bytes> result;
  const auto keep = [&] {
    const std::vector<char> bytes = base::read_file(path);
    result.emplace_back(bytes.begin(), bytes.end());
  };
  runtime::save_receiver_key(all.context, all.proposed.owners[0].key, {.parameters = all.proposed.parameters}, path);
  keep();
  for (const runtime::OwnerGroup* group : {&all.proposed, &all.agreed}) {
    save(all.context, *group, path);
    keep();
  }
  runtime::KeyPartHead head{.binding = all.proposed.binding(), .group = all.proposed.id, .owner = 1};
  save(all.context, head, all.agreed.commitments[1], path);
  keep();
  head.binding = all.agreed.binding();
  head.round = KeyRound::first;
  save(all.context, head, all.first, path);
  keep();
  head.round = KeyRound::second;
  save(all.context, head, all.second, path);
  keep();
  runtime::save_shares(
      {.binding = all.agreed.binding(), .owner = 2, .samples = 2},
      [&](std::uint64_t) {
        return runtime::SampleShares(all.agreed.parts().held_by(2).size(), std::vector<std::uint8_t>(kShareBytes, 5));
      },
      path);
  keep();
  return result;
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) { return mutate_artefact(from, other, random); }

void check(std::span<const std::uint8_t> bytes) {
  const Owners& all = owners();
  const MemoryFile file(std::as_bytes(bytes));
  const std::filesystem::path path = file.path();
  switch (runtime::artefact_kind(path)) {
    case ArtefactKind::receiver_key: {
      runtime::Provenance found;
      static_cast<void>(runtime::load_receiver_key(path, all.context, nullptr, found));
      return;
    }
    case ArtefactKind::owner_group: {
      const runtime::OwnerGroup group = runtime::load_owner_group(path, all.context, all.proposed.model);
      require(group.id == runtime::id_of(*all.context, group), "a group has the id of its content");
      require(!group.agreed() || group.key_set == runtime::key_set_of(*all.context, group),
              "an agreed group has the key set of its commitments");
      return;
    }
    case ArtefactKind::key_part: {
      require(static_cast<std::size_t>(runtime::key_part_head(path).owner) < runtime::kMostMembers,
              "a part is of an owner that a group can have");
      try {
        load_part(path, all.agreed);
      } catch (const base::KeyMismatch&) {
        load_part(path, all.proposed);
      }
      return;
    }
    default: {
      const runtime::ShareReader reader(path, all.agreed);
      require(runtime::share_head(path).results == reader.head().results,
              "who relays a share reads what its owner does");
      const std::size_t held = all.agreed.parts().held_by(reader.head().owner).size();
      require(reader.read(0, held, kShareBytes).size() == held,
              "a file has a share of every part that its owner holds");
    }
  }
}

}  // namespace tacit::fuzz
