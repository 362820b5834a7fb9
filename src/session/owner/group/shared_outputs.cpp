#include "session/owner/group/shared_outputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "params/noise.h"
#include "params/owner_flood.h"
#include "program/slots/landing_rules.h"
#include "runtime/slots/key_store.h"
#include "runtime/slots/share_file.h"
#include "runtime/slots/small_answers.h"

namespace tacit::session {

using runtime::CiphertextArray;
using scheme::ckks::Ciphertext;

runtime::GroupMember receiver_of(const OpenGroup& group, const runtime::Source& receiver) {
  runtime::Provenance found;
  const scheme::ckks::PublicKey key = runtime::load_receiver_key(receiver, group.context, &group.model->id, found);
  for (const auto* members : {&group.group.owners, &group.group.receivers})
    for (const runtime::GroupMember& member : *members)
      if (member.key_set == found.key_set && member.key.seed == key.seed &&
          std::ranges::equal(member.key.b.limb_span(0), key.b.limb_span(0)))
        return member;
  base::refuse(
      "{} is the key of somebody outside of {}: results go to owners and to receivers that the group was made with "
      "(--receiver)",
      receiver.name(), group.name);
}

SharedOutputs::SharedOutputs(const OpenGroup& group, const scheme::ckks::PublicKey& receiver) {
  const params::CkksParameters& parameters = group.context->parameters();
  std::map<std::size_t, double> floods;
  const auto& outputs = group.model->interface.outputs;
  for (const program::ClientOutput& output : outputs) {
    if (!(output.noise > 0))
      base::refuse(
          "output '{}' of model '{}': its noise is not known, so that no flood can hide it; compile with "
          "--owners and --calibrate",
          output.name, group.model->name);
    // Every result has been rounded at least once, whatever its model states.
    const double noise = std::max(output.noise, params::rounding_noise(parameters, output.scale));
    double& flood = floods[output.program_output];
    flood = std::max(flood, params::part_flood(parameters, noise, output.scale, group.group.promise));
  }
  for (const auto& [index, flood] : floods) {
    const auto output = std::ranges::find(outputs, index, &program::ClientOutput::program_output);
    if (index != outputs_.size())
      base::refuse("model '{}' has outputs that no client reads, and cannot be decrypted by several owners",
                   group.model->name);
    outputs_.push_back({.name = output->name,
                        .ciphertexts = static_cast<std::size_t>(output->layout.ciphertexts()),
                        .level = output->level,
                        .scale = output->scale,
                        .log_gap = runtime::answer_gap(parameters, output->layout),
                        .sharing = scheme::ckks::ResultSharing(group.context, receiver, flood,
                                                               runtime::answer_gap(parameters, output->layout))});
  }
}

void SharedOutputs::require(const runtime::CiphertextReader& results, std::span<const CiphertextArray> sample) const {
  bool fits = sample.size() == outputs_.size();
  for (std::size_t o = 0; fits && o < outputs_.size(); ++o) {
    fits = sample[o].size() == outputs_[o].ciphertexts;
    for (const Ciphertext& ciphertext : sample[o]) {
      bool encrypted = false;
      for (std::size_t row = 0; row < ciphertext.c1.limbs(); ++row)
        encrypted = encrypted ||
                    std::ranges::any_of(ciphertext.c1.limb_span(row), [](std::uint64_t word) { return word != 0; });
      const bool whole_or_thin = ciphertext.log_gap == 0 || ciphertext.log_gap == outputs_[o].log_gap;
      fits = fits && encrypted && whole_or_thin && ciphertext.level == outputs_[o].level &&
             slots::same_scale(ciphertext.scale, outputs_[o].scale);
    }
  }
  if (!fits)
    base::refuse(
        "{}: its ciphertexts are not those that the model ends with, so nothing of them is shared; ask the "
        "server for the results again",
        results.name());
}

std::vector<std::uint8_t> SharedOutputs::share(const scheme::ckks::SubSecret& secret,
                                               std::span<const CiphertextArray> sample) const {
  std::vector<std::uint8_t> bytes;
  for (std::size_t o = 0; o < outputs_.size(); ++o)
    for (const Ciphertext& ciphertext : sample[o]) {
      const std::vector<std::uint8_t> one = outputs_[o].sharing.share(secret, ciphertext);
      bytes.insert(bytes.end(), one.begin(), one.end());
    }
  return bytes;
}

std::size_t SharedOutputs::share_bytes(std::span<const CiphertextArray> sample) const {
  std::size_t bytes = 0;
  for (std::size_t o = 0; o < outputs_.size(); ++o)
    bytes += sample[o].size() * outputs_[o].sharing.share_bytes(outputs_[o].level);
  return bytes;
}

std::vector<CiphertextArray> SharedOutputs::combine(std::span<const CiphertextArray> sample,
                                                    std::span<const std::vector<std::uint8_t>* const> shares) const {
  std::vector<CiphertextArray> result;
  std::size_t at = 0;
  for (std::size_t o = 0; o < outputs_.size(); ++o) {
    const std::size_t bytes = outputs_[o].sharing.share_bytes(outputs_[o].level);
    CiphertextArray& array = result.emplace_back();
    for (const Ciphertext& ciphertext : sample[o]) {
      std::vector<std::span<const std::uint8_t>> of_ciphertext;
      for (const std::vector<std::uint8_t>* share : shares)
        of_ciphertext.push_back(std::span(*share).subspan(at, bytes));
      array.push_back(outputs_[o].sharing.combine(ciphertext, of_ciphertext));
      at += bytes;
    }
  }
  return result;
}

namespace {

/// One owner's file, and the parts in it.
struct OwnerShares {
  runtime::ShareReader reader;
  std::vector<std::size_t> parts;
  runtime::SampleShares now{};  ///< of the current sample, by place in `parts`
};

std::vector<OwnerShares> open_shares(const OpenGroup& group, const base::Digest& results, std::size_t samples,
                                     const runtime::GroupMember& receiver,
                                     const std::vector<runtime::Source>& sources) {
  const params::OwnerParts parts = group.group.parts();
  std::map<int, OwnerShares> found;
  for (const runtime::Source& source : sources) {
    runtime::ShareReader reader(source, group.group);
    const runtime::ShareFileHead head = reader.head();
    if (head.results != results || head.samples != samples)
      base::refuse(
          "{} holds shares of other results; name the results that the owners shared, or ask {} to share these",
          source.name(), group.owner(head.owner));
    if (head.receiver != receiver.key_set)
      base::refuse("{} holds shares for another receiver than '{}'; ask {} for shares of this receiver", source.name(),
                   receiver.name, group.owner(head.owner));
    if (const auto before = found.find(head.owner); before != found.end())
      base::refuse("{} and {} are both of {}: name one file of each owner", before->second.reader.name(), source.name(),
                   group.owner(head.owner));
    found.emplace(head.owner, OwnerShares{std::move(reader), parts.held_by(head.owner)});
  }
  for (std::size_t part = 0; part < parts.parts(); ++part)
    if (std::ranges::none_of(found, [&](const auto& one) { return parts.holds(one.first, part); }))
      base::refuse("{} of {} owners have shared these results, and {} are needed; ask more owners for their shares",
                   found.size(), parts.owners(), parts.threshold());
  std::vector<OwnerShares> opened;
  for (auto& [owner, shares] : found) opened.push_back(std::move(shares));
  return opened;
}

/// Returns the share of one part that its holders agree on.
const std::vector<std::uint8_t>& agreed_share(const OpenGroup& group, const std::vector<OwnerShares>& owners,
                                              std::size_t part) {
  std::map<std::vector<std::uint8_t>, std::vector<int>> copies;
  const std::vector<std::uint8_t>* first = nullptr;
  for (const OwnerShares& owner : owners) {
    const auto place = std::ranges::lower_bound(owner.parts, part);
    if (place == owner.parts.end() || *place != part) continue;
    const auto& share = owner.now[static_cast<std::size_t>(place - owner.parts.begin())];
    if (first == nullptr) first = &share;
    copies[share].push_back(owner.reader.head().owner);
  }
  if (copies.size() == 1) return *first;
  std::size_t most = 0, holders = 0;
  for (const auto& [share, who] : copies) most = std::max(most, who.size()), holders += who.size();
  std::vector<std::string> apart;
  for (const auto& [share, who] : copies)
    if (2 * most <= holders || who.size() < most)
      for (const int owner : who) apart.push_back(group.owner(owner));
  if (2 * most > holders)
    base::refuse(
        "the share of {} differs from those of {} other owners who hold the same part of the key: it was altered; "
        "leave it out, or ask for it again",
        fmt::join(apart, ", "), most);
  base::refuse(
      "the shares of {} differ where the owners hold the same part of the key: one of them was altered; add the "
      "share of another owner, or ask for them again",
      fmt::join(apart, " and "));
}

}  // namespace

void combine_shares(const OpenGroup& group, const runtime::Source& results_source, const runtime::Source& receiver_key,
                    const std::vector<runtime::Source>& shares, const runtime::Sink& sink, base::Progress& progress) {
  group.require_agreed();
  const runtime::CiphertextReader results(results_source, group.context, runtime::CiphertextRole::results);
  runtime::require_same_keys(group.group.binding(), "the group", results.binding(), results.name(),
                             runtime::kNameResults);
  const runtime::GroupMember receiver = receiver_of(group, receiver_key);
  const SharedOutputs outputs(group, receiver.key);
  std::vector<OwnerShares> owners = open_shares(group, results.root(), results.samples(), receiver, shares);
  runtime::Binding binding = results.binding();
  binding.key_set = receiver.key_set;
  const params::OwnerParts parts = group.group.parts();
  runtime::CiphertextWriter writer(
      sink, group.context,
      runtime::SampleFileHead{.role = runtime::CiphertextRole::results,
                              .binding = binding,
                              .names = results.names(),
                              .batched = results.batched(),
                              .owners = runtime::OwnersResults{.parts = static_cast<int>(parts.parts()),
                                                               .promise = group.group.promise,
                                                               .asked_under = group.group.key_set}});
  progress.begin("combining", results.samples());
  for (std::size_t sample = 0; sample < results.samples(); ++sample) {
    const std::vector<CiphertextArray> arrays = results.read(sample);
    outputs.require(results, arrays);
    for (OwnerShares& owner : owners)
      owner.now = owner.reader.read(sample, owner.parts.size(), outputs.share_bytes(arrays));
    std::vector<const std::vector<std::uint8_t>*> chosen;
    for (std::size_t part = 0; part < parts.parts(); ++part) chosen.push_back(&agreed_share(group, owners, part));
    writer.add(outputs.combine(arrays, chosen), results.questions()[sample]);
    progress.advance();
  }
  writer.finish();
  progress.end();
}

}  // namespace tacit::session
