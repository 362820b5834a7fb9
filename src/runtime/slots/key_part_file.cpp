#include "runtime/slots/key_part_file.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/json_fields.h"
#include "runtime/description.h"
#include "runtime/key_file.h"

namespace tacit::runtime {

using scheme::ckks::Context;
using scheme::ckks::ContextPtr;
using scheme::ckks::RelinearisationRound;

namespace {

constexpr std::string_view kCommitment = "commitment", kPublic = "public", kGalois = "galois",
                           kRelinearisation = "relinearisation";
/// By round: the name in a file, and how it is made.
constexpr const char* kRounds[] = {"commitment", "first", "second"};
constexpr const char* kOptions[] = {"--commit", "--part1", "--part2"};

std::string about_of(const KeyPartHead& head) {
  nlohmann::json json = to_json(head.binding);
  json["group"] = base::hexadecimal(head.group);
  json["owner"] = head.owner;
  json["round"] = kRounds[static_cast<std::size_t>(head.round)];
  return about_text(ArtefactKind::key_part, json);
}

base::Digest write_part(const KeyPartHead& head, const Sink& sink,
                        const std::function<void(ArtefactWriter&)>& sections) {
  return write_artefact(sink, ArtefactKind::key_part, ArtefactScheme::ckks, [&](ArtefactWriter& writer) {
    writer.add_section(kAboutSection, SectionType::text, about_of(head));
    sections(writer);
  });
}

KeyPartHead head_of(const ArtefactReader& reader) {
  KeyPartHead head;
  parsing(reader.name(), [&] {
    const base::HeldJson held = about(reader);
    const nlohmann::json& json = *held;
    head.binding = binding_from_json(json);
    from_hexadecimal(json.at("group").get<std::string>(), head.group);
    const std::int64_t owner = base::whole_number(json.at("owner"));
    if (owner < 0 || owner >= static_cast<std::int64_t>(kMostMembers))
      base::refuse("it states owner {}, outside 0 to {}; the file was not written by Tacit", owner, kMostMembers - 1);
    head.owner = static_cast<int>(owner);
    const auto round = json.at("round").get<std::string>();
    const auto* const found = std::ranges::find(kRounds, round);
    if (found == std::end(kRounds)) throw base::InputError("its round is unknown; the file was not written by Tacit");
    head.round = static_cast<KeyRound>(found - kRounds);
  });
  return head;
}

/// Calls `body` with the name of every section and a function that passes its bytes to a sink.
void for_each_section(
    const Context& context, const FirstPart& part,
    const std::function<void(std::string_view, const std::function<void(const scheme::ckks::ByteSink&)>&)>& body) {
  body(kPublic, [&](const scheme::ckks::ByteSink& sink) { serialize(context, part.open, sink); });
  body(kGalois, [&](const scheme::ckks::ByteSink& sink) { serialize(context, part.galois, sink); });
  if (part.relinearisation)
    body(kRelinearisation,
         [&](const scheme::ckks::ByteSink& sink) { serialize(context, *part.relinearisation, sink); });
}

}  // namespace

KeyPartHead key_part_head(const Source& source) { return head_of(ArtefactReader(source, ArtefactKind::key_part)); }

base::Digest digest_of(const Context& context, const FirstPart& part) {
  base::Sha256 hash;
  for_each_section(context, part, [&](std::string_view, const auto& write_to) {
    write_to([&](std::span<const std::uint8_t> piece) { hash.update(std::as_bytes(piece)); });
  });
  return hash.finish();
}

base::Digest save(const ContextPtr& context, const KeyPartHead& head, const Commitment& commitment, const Sink& sink) {
  return write_part(head, sink, [&](ArtefactWriter& writer) {
    writer.add_section(kCommitment, SectionType::key,
                       std::as_bytes(std::span<const std::uint8_t>(to_bytes(*context, commitment))));
  });
}

base::Digest save(const ContextPtr& context, const KeyPartHead& head, const FirstPart& part, const Sink& sink) {
  return write_part(head, sink, [&](ArtefactWriter& writer) {
    for_each_section(*context, part, [&](std::string_view name, const auto& write_to) {
      writer.begin_section(name, SectionType::key);
      write_to([&](std::span<const std::uint8_t> piece) { writer.write(std::as_bytes(piece)); });
    });
  });
}

base::Digest save(const ContextPtr& context, const KeyPartHead& head, const RelinearisationRound& second,
                  const Sink& sink) {
  return write_part(head, sink, [&](ArtefactWriter& writer) { add_key(writer, kRelinearisation, *context, second); });
}

KeyPartReader::KeyPartReader(const Source& source, ContextPtr context, const OwnerGroup& group)
    : reader_(source, ArtefactKind::key_part), context_(std::move(context)), head_(head_of(reader_)) {
  const std::size_t owners = group.owners.size();
  if (static_cast<std::size_t>(head_.owner) >= owners)
    base::refuse("{}: it is of owner {}, and the group has {} owners; name a part of this group", name(), head_.owner,
                 owners);
  if (head_.group != group.id)
    throw base::KeyMismatch(name() + " is a part of the keys of another group; name the parts of this group");
  Binding expected = group.binding();
  if (head_.round == KeyRound::commitment) expected.key_set = {};
  require_same_keys(expected, "the group", head_.binding, name(), "name the parts of this group");
}

void KeyPartReader::require_round(KeyRound round) const {
  if (head_.round == round) return;
  base::refuse("{} was made with {}, and what {} makes is needed here", name(),
               kOptions[static_cast<std::size_t>(head_.round)], kOptions[static_cast<std::size_t>(round)]);
}

Commitment KeyPartReader::commitment(const params::OwnerParts& parts) const {
  require_round(KeyRound::commitment);
  Commitment result;
  parsing(name(), [&] {
    const std::vector<std::byte> bytes = reader_.read(reader_.section(kCommitment, SectionType::key));
    result = commitment_from_bytes(*context_, parts, head_.owner,
                                   {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  });
  return result;
}

FirstPart KeyPartReader::first(const base::Digest& committed) const {
  require_round(KeyRound::first);
  FirstPart part;
  parsing(name(), [&] {
    part.open =
        read_key(reader_, reader_.section(kPublic, SectionType::key), *context_, scheme::ckks::deserialize_public_key);
    part.galois = read_key(reader_, reader_.section(kGalois, SectionType::key), *context_,
                           scheme::ckks::deserialize_evaluation_keys);
    if (std::ranges::any_of(reader_.sections(), [](const Section& s) { return s.name == kRelinearisation; }))
      part.relinearisation = read_key(reader_, reader_.section(kRelinearisation, SectionType::key), *context_,
                                      scheme::ckks::deserialize_relinearisation_round);
    if (digest_of(*context_, part) != committed)
      throw base::InputError(
          "it is not the part that its owner committed to; ask that owner for the file that --part1 made");
  });
  return part;
}

RelinearisationRound KeyPartReader::second() const {
  require_round(KeyRound::second);
  RelinearisationRound round;
  parsing(name(), [&] {
    round = read_key(reader_, reader_.section(kRelinearisation, SectionType::key), *context_,
                     scheme::ckks::deserialize_relinearisation_round);
  });
  return round;
}

}  // namespace tacit::runtime
