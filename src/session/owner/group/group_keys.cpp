#include "session/owner/group/group_keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "base/error.h"
#include "runtime/slots/key_store.h"
#include "scheme/ckks/key_sums.h"
#include "session/output_files.h"

namespace tacit::session {

using runtime::FirstPart;
using runtime::KeyRound;
using scheme::ckks::RelinearisationHalves;
using scheme::ckks::RelinearisationRound;
using scheme::ckks::RelinearisationRounds;

namespace {

const char* option_of(KeyRound round) { return round == KeyRound::first ? "--part1" : "--part2"; }

/// Opens the parts of one round. Returns them by owner.
std::vector<runtime::KeyPartReader> by_owner(const OpenGroup& group, const std::vector<runtime::Source>& sources,
                                             KeyRound round) {
  std::vector<std::optional<runtime::KeyPartReader>> found(group.group.owners.size());
  for (const runtime::Source& source : sources) {
    runtime::KeyPartReader reader(source, group.context, group.group);
    if (reader.head().round != round) continue;
    auto& own = found[static_cast<std::size_t>(reader.head().owner)];
    if (own)
      base::refuse("{} and {} are both what {} made with {}: name one of each owner", own->name(), source.name(),
                   group.owner(reader.head().owner), option_of(round));
    own = std::move(reader);
  }
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (!found[i]) missing.push_back(group.owner(static_cast<int>(i)));
  if (!missing.empty())
    base::refuse("what {} made with {} is missing: keys need the parts of all owners", fmt::join(missing, ", "),
                 option_of(round));
  std::vector<runtime::KeyPartReader> readers;
  for (auto& reader : found) readers.push_back(*std::move(reader));
  return readers;
}

}  // namespace

RelinearisationRound round_of(const RelinearisationRounds& rounds, RelinearisationHalves halves) {
  RelinearisationRound round{.level = rounds.level(), .polys = std::move(halves.masked)};
  std::ranges::move(halves.second, std::back_inserter(round.polys));
  return round;
}

RelinearisationHalves halves_of(const RelinearisationRounds& rounds, RelinearisationRound round) {
  const std::size_t digits = rounds.chain().digits(rounds.level());
  if (round.level != rounds.level() || round.polys.size() != 2 * digits)
    throw base::InputError("a part of a relinearisation key: it is not of this model");
  RelinearisationHalves halves;
  const auto middle = round.polys.begin() + static_cast<std::ptrdiff_t>(digits);
  std::move(round.polys.begin(), middle, std::back_inserter(halves.masked));
  std::move(middle, round.polys.end(), std::back_inserter(halves.second));
  return halves;
}

void add_part(const OpenGroup& group, FirstPart& sum, const FirstPart& part) {
  scheme::ckks::add(*group.context, sum.open, part.open);
  scheme::ckks::add(*group.context, sum.galois, part.galois);
  if (!sum.relinearisation) return;
  if (!part.relinearisation) throw base::InputError("a part of a relinearisation key is missing");
  const RelinearisationRounds rounds(group.context, group.group.id, sum.relinearisation->level);
  RelinearisationHalves halves = halves_of(rounds, *std::move(sum.relinearisation));
  rounds.add(halves, halves_of(rounds, *part.relinearisation));
  sum.relinearisation = round_of(rounds, std::move(halves));
}

FirstPart sum_of_first_parts(const OpenGroup& group, const std::vector<runtime::Source>& parts,
                             base::Progress& progress) {
  const std::vector<runtime::KeyPartReader> readers = by_owner(group, parts, KeyRound::first);
  params::KeyManifest galois = group.model->keys;
  galois.relinearise_level = -1;
  progress.begin("adding first parts", readers.size());
  std::optional<FirstPart> sum;
  for (const runtime::KeyPartReader& reader : readers) {
    const std::string owner = group.owner(reader.head().owner);
    FirstPart part = reader.first(group.group.commitments[static_cast<std::size_t>(reader.head().owner)].first_part);
    if (part.galois.manifest() != galois || part.open.seed != scheme::ckks::uniform_half(group.group.id, "public") ||
        part.relinearisation.has_value() != (group.model->keys.relinearise_level >= 0))
      base::refuse("{}: {} made other keys than the model needs; ask for a new commitment", reader.name(), owner);
    if (!sum) {
      sum = std::move(part);
    } else {
      add_part(group, *sum, part);
    }
    progress.advance();
  }
  progress.end();
  return *std::move(sum);
}

KeyRoots combine_keys(const OpenGroup& group, const std::vector<runtime::Source>& parts, const runtime::Sink& open,
                      const runtime::Sink& evaluation, base::Progress& progress) {
  group.require_agreed();
  FirstPart sums = sum_of_first_parts(group, parts, progress);
  if (sums.relinearisation) {
    const RelinearisationRounds rounds(group.context, group.group.id, group.model->keys.relinearise_level);
    std::optional<std::vector<ring::NttPoly>> second;
    for (const runtime::KeyPartReader& reader : by_owner(group, parts, KeyRound::second)) {
      RelinearisationRound part = reader.second();
      if (part.level != rounds.level())
        base::refuse("{}: {} made a key of another level than the model needs", reader.name(),
                     group.owner(reader.head().owner));
      if (!second) {
        second = std::move(part.polys);
        std::vector<ring::NttPoly> zero = *second;
        for (ring::NttPoly& poly : zero) poly.zero();
        rounds.add(*second, zero);  // for its checks
      } else {
        rounds.add(*second, part.polys);
      }
    }
    RelinearisationHalves halves = halves_of(rounds, *std::move(sums.relinearisation));
    sums.galois.relinearisation.emplace(rounds.key(*std::move(second), std::move(halves.second)));
  }
  const runtime::Binding binding = group.group.binding();
  WrittenFiles written;
  KeyRoots roots;
  roots.evaluation = runtime::save(group.context, sums.galois, binding, evaluation);
  if (!evaluation.file().empty()) written.add(evaluation.file());
  roots.public_key = runtime::save(group.context, sums.open, binding, open);
  written.keep();
  return roots;
}

}  // namespace tacit::session
