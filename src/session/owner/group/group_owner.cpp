#include "session/owner/group/group_owner.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/wipe.h"
#include "runtime/receipt.h"
#include "runtime/slots/ciphertext_file.h"
#include "runtime/slots/key_store.h"
#include "scheme/ckks/key_sums.h"
#include "scheme/ckks/relinearisation_rounds.h"
#include "scheme/ckks/result_share.h"
#include "scheme/ckks/sealed_seeds.h"
#include "session/owner/group/agreement_record.h"
#include "session/owner/group/group_keys.h"
#include "session/owner/group/shared_outputs.h"
#include "session/owner/shared_results.h"
#include "session/owner/slots/client_memory.h"

namespace tacit::session {

using scheme::ckks::KeyGenerator;
using scheme::ckks::RelinearisationHalves;
using scheme::ckks::RelinearisationRounds;
using scheme::ckks::SubSecret;

namespace {

scheme::ckks::SecretKey load_secret(const OpenGroup& group, const runtime::Source& source, runtime::Provenance& found) {
  return runtime::load_secret_key(source, group.context, &group.model->id, found);
}

int index_of(const OpenGroup& group, const runtime::KeySetId& key_set, const std::string& name) {
  const auto& owners = group.group.owners;
  const auto found = std::ranges::find(owners, key_set, &runtime::GroupMember::key_set);
  if (found == owners.end())
    base::refuse("{} is the secret of no owner of {}; give the one whose public half the group was made with", name,
                 group.name);
  return static_cast<int>(found - owners.begin());
}

/// Binds a file that an owner keeps to a key set.
std::filesystem::path count_file_of(const std::filesystem::path& secret, const runtime::KeySetId& key_set) {
  std::filesystem::path path = secret;
  path += "." + base::hexadecimal(std::span(key_set).first<4>());
  return path;
}

}  // namespace

GroupOwner::GroupOwner(OpenGroup group, const runtime::Source& secret)
    : group_(std::move(group)), parts_(group_.group.parts()), source_(secret), secret_([&] {
        runtime::Provenance found;
        scheme::ckks::SecretKey key = load_secret(group_, secret, found);
        index_ = index_of(group_, found.key_set, secret.name());
        return key;
      }()) {}

base::Seed GroupOwner::seed_of(std::size_t part) const {
  constexpr std::string_view kDomain = "tacit seed of a part 1";
  const std::uint64_t number = part;
  return base::Sha256()
      .update(std::as_bytes(std::span(kDomain)))
      .update(std::as_bytes(std::span(group_.group.id)))
      .update(std::as_bytes(std::span(&number, 1)))
      .update(std::as_bytes(secret_.coefficients()))
      .finish();
}

runtime::KeyPartHead GroupOwner::head(runtime::KeyRound round) const {
  return {.binding = group_.group.binding(), .group = group_.group.id, .owner = index_, .round = round};
}

void GroupOwner::note_agreed() const {
  group_.require_agreed();
  if (source_.file().empty())
    base::refuse(
        "{}: the agreed group is noted in a file next to the file of the secret, and this secret is not a file",
        source_.name());
  note_agreement(source_.file(), group_.group.id, group_.group.key_set);
}

runtime::FirstPart GroupOwner::make_first_part(const base::MemoryBudget& memory, base::Progress& progress) const {
  const runtime::ClientModel& model = *group_.model;
  require_memory_for_keys("model '" + model.name + "'", model.literal, model.keys, memory);
  params::KeyManifest galois = model.keys;
  galois.relinearise_level = -1;
  std::optional<runtime::FirstPart> sum;
  for (const std::size_t part : parts_.led_by(index_)) {
    base::Seed seed = seed_of(part);
    const SubSecret secret(*group_.context, seed);
    base::zeroise(seed.data(), seed.size());
    const KeyGenerator generator(group_.context, scheme::ckks::randomness_of(secret, group_.group.id));
    runtime::FirstPart own{.open = generator.public_key(secret.key()),
                           .galois = generator.evaluation_keys(secret.key(), galois, progress)};
    if (model.keys.relinearise_level >= 0) {
      const RelinearisationRounds rounds(group_.context, group_.group.id, model.keys.relinearise_level);
      own.relinearisation = round_of(rounds, rounds.first(secret));
    }
    if (!sum) {
      sum = std::move(own);
    } else {
      add_part(group_, *sum, own);
    }
  }
  return *std::move(sum);
}

void GroupOwner::commit(const base::MemoryBudget& memory, const runtime::Sink& sink, base::Progress& progress) const {
  if (group_.group.agreed())
    base::refuse("{}: its owners have agreed already; make your part with --part1", group_.name);
  runtime::Commitment commitment{
      .first_part = runtime::digest_of(*group_.context, make_first_part(memory, progress)), .seeds = {}, .sealed = {}};
  for (const std::size_t part : parts_.led_by(index_)) {
    base::Seed seed = seed_of(part);
    commitment.seeds.push_back(scheme::ckks::commitment_to(seed, group_.group.id, part));
    base::zeroise(seed.data(), seed.size());
  }
  for (int other = 0; other < parts_.owners(); ++other) {
    const std::vector<std::size_t> given = other == index_ ? std::vector<std::size_t>() : parts_.given(index_, other);
    if (given.empty()) continue;
    std::vector<base::Seed> seeds;
    const base::WipedAtExit wiped(seeds);
    for (const std::size_t part : given) seeds.push_back(seed_of(part));
    commitment.sealed[other] =
        scheme::ckks::seal(*group_.context, group_.group.owners[static_cast<std::size_t>(other)].key, seeds);
  }
  runtime::save(group_.context, head(runtime::KeyRound::commitment), commitment, sink);
}

void GroupOwner::first_part(const base::MemoryBudget& memory, const runtime::Sink& sink,
                            base::Progress& progress) const {
  group_.require_agreed();
  static_cast<void>(held_secrets());  // seeds that others sealed wrongly are found before anything depends on them
  note_agreed();
  const runtime::FirstPart part = make_first_part(memory, progress);
  if (runtime::digest_of(*group_.context, part) !=
      group_.group.commitments[static_cast<std::size_t>(index_)].first_part)
    base::refuse("{}: the commitment of {} in it was not made with {}; combine the group with your own commitment",
                 group_.name, group_.owner(index_), source_.name());
  runtime::save(group_.context, head(runtime::KeyRound::first), part, sink);
}

void GroupOwner::second_part(const std::vector<runtime::Source>& first, const runtime::Sink& sink,
                             base::Progress& progress) const {
  group_.require_agreed();
  const int level = group_.model->keys.relinearise_level;
  if (level < 0)
    base::refuse(
        "model '{}' multiplies no two encrypted values, so that its keys need no second part: combine the "
        "first parts",
        group_.model->name);
  note_agreed();
  const runtime::FirstPart sums = sum_of_first_parts(group_, first, progress);
  const RelinearisationRounds rounds(group_.context, group_.group.id, level);
  const RelinearisationHalves halves = halves_of(rounds, *sums.relinearisation);
  std::optional<std::vector<ring::NttPoly>> sum;
  for (const std::size_t part : parts_.led_by(index_)) {
    base::Seed seed = seed_of(part);
    const SubSecret secret(*group_.context, seed);
    base::zeroise(seed.data(), seed.size());
    std::vector<ring::NttPoly> own = rounds.second(secret, halves);
    if (!sum) {
      sum = std::move(own);
    } else {
      rounds.add(*sum, own);
    }
  }
  runtime::save(group_.context, head(runtime::KeyRound::second),
                scheme::ckks::RelinearisationRound{.level = level, .polys = *std::move(sum)}, sink);
}

std::vector<SubSecret> GroupOwner::held_secrets() const {
  std::map<std::size_t, SubSecret> secrets;
  const scheme::ckks::PublicKey& own = group_.group.owners[static_cast<std::size_t>(index_)].key;
  for (int leader = 0; leader < parts_.owners(); ++leader) {
    const std::vector<std::size_t> led = parts_.led_by(leader);
    const std::vector<std::size_t> given = leader == index_ ? led : parts_.given(leader, index_);
    if (given.empty()) continue;
    const runtime::Commitment& commitment = group_.group.commitments[static_cast<std::size_t>(leader)];
    std::vector<base::Seed> seeds;
    const base::WipedAtExit wiped(seeds);
    const auto refuse = [&](const char* why) {
      base::refuse("{}: the seeds that {} gave to {} {}; make a new group, and ask {} why", group_.name,
                   group_.owner(leader), group_.owner(index_), why, group_.owner(leader));
    };
    if (leader == index_) {
      for (const std::size_t part : given) seeds.push_back(seed_of(part));
    } else {
      try {
        seeds = scheme::ckks::open_sealed(*group_.context, secret_, own, commitment.sealed.at(index_), given.size());
      } catch (const base::InputError&) {
        refuse("were not sealed for this secret, or were altered");
      }
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
      const auto place = static_cast<std::size_t>(std::ranges::find(led, given[i]) - led.begin());
      if (scheme::ckks::commitment_to(seeds[i], group_.group.id, given[i]) != commitment.seeds[place])
        refuse("are not those that were committed to");
      secrets.emplace(given[i], SubSecret(*group_.context, seeds[i]));
    }
  }
  std::vector<SubSecret> held;
  for (auto& [part, secret] : secrets) held.push_back(std::move(secret));
  return held;
}

void GroupOwner::require_receipts(const ShareRequest& request, const base::Digest& results) const {
  for (const base::SignerId& signer : request.signers) {
    const bool signed_by = std::ranges::any_of(request.receipts, [&](const runtime::Source& source) {
      const runtime::Receipt receipt = runtime::load_receipt(source);
      return receipt.output == results && receipt.model_id == group_.group.model && receipt.signed_by &&
             receipt.signed_by->signer == signer;
    });
    if (!signed_by)
      base::refuse(
          "{}: no receipt says that the signer {} computed these results of this model; give its receipt (--receipt), "
          "and share nothing without",
          request.results.name(), base::hexadecimal(signer));
  }
}

std::size_t GroupOwner::share(const ShareRequest& request, const runtime::Sink& sink, base::Progress& progress) const {
  group_.require_agreed();
  const runtime::CiphertextReader results(request.results, group_.context, runtime::CiphertextRole::results);
  runtime::require_same_keys(group_.group.binding(), "the group", results.binding(), results.name(),
                             runtime::kNameResults);
  require_receipts(request, results.root());
  const runtime::GroupMember receiver = receiver_of(group_, request.receiver);
  const SharedOutputs outputs(group_, receiver.key);
  const std::vector<SubSecret> secrets = held_secrets();
  if (source_.file().empty())
    base::refuse(
        "{}: shared results are counted in a file next to the file of the secret, and this secret is not a file",
        source_.name());
  for (std::size_t sample = 0; sample < results.samples(); ++sample) outputs.require(results, results.read(sample));
  count_shared_results(count_file_of(source_.file(), group_.group.key_set), group_.group.key_set, results.samples(),
                       group_.group.promise);
  progress.begin("sharing", results.samples());
  const runtime::ShareFileHead head{.binding = group_.group.binding(),
                                    .owner = index_,
                                    .receiver = receiver.key_set,
                                    .results = results.root(),
                                    .samples = results.samples()};
  runtime::save_shares(
      head,
      [&](std::uint64_t sample) {
        const std::vector<runtime::CiphertextArray> arrays = results.read(sample);
        runtime::SampleShares shares;
        for (const SubSecret& secret : secrets) shares.push_back(outputs.share(secret, arrays));
        progress.advance();
        return shares;
      },
      sink);
  progress.end();
  return results.samples();
}

}  // namespace tacit::session
