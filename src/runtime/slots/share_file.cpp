#include "runtime/slots/share_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json_fields.h"
#include "runtime/description.h"

namespace tacit::runtime {
namespace {

std::string section_of_sample(std::uint64_t sample) { return fmt::format("sample {}", sample); }

ShareFileHead head_in(const ArtefactReader& reader) {
  ShareFileHead head;
  parsing(reader.name(), [&] {
    const base::HeldJson held = about(reader);
    const nlohmann::json& json = *held;
    head.binding = binding_from_json(json);
    const std::int64_t owner = base::whole_number(json.at("owner")), samples = base::whole_number(json.at("samples"));
    if (owner < 0 || owner >= static_cast<std::int64_t>(kMostMembers))
      base::refuse("it states owner {}, outside 0 to {}; the file was not written by Tacit", owner, kMostMembers - 1);
    if (samples < 0) base::refuse("it states {} samples; the file was not written by Tacit", samples);
    head.owner = static_cast<int>(owner);
    head.samples = static_cast<std::uint64_t>(samples);
    from_hexadecimal(json.at("receiver").get<std::string>(), head.receiver);
    from_hexadecimal(json.at("results").get<std::string>(), head.results);
  });
  return head;
}

}  // namespace

ShareFileHead share_head(const Source& source) { return head_in(ArtefactReader(source, ArtefactKind::result_share)); }

base::Digest save_shares(const ShareFileHead& head, const std::function<SampleShares(std::uint64_t)>& shares_of,
                         const Sink& sink) {
  return write_artefact(sink, ArtefactKind::result_share, ArtefactScheme::ckks, [&](ArtefactWriter& writer) {
    nlohmann::json about = to_json(head.binding);
    about["owner"] = head.owner;
    about["receiver"] = base::hexadecimal(head.receiver);
    about["results"] = base::hexadecimal(head.results);
    about["samples"] = head.samples;
    writer.add_section(kAboutSection, SectionType::text, about_text(ArtefactKind::result_share, about));
    for (std::uint64_t sample = 0; sample < head.samples; ++sample) {
      writer.begin_section(section_of_sample(sample), SectionType::ciphertext);
      for (const std::vector<std::uint8_t>& share : shares_of(sample)) writer.write(std::as_bytes(std::span(share)));
    }
  });
}

ShareReader::ShareReader(const Source& source, const OwnerGroup& group)
    : reader_(source, ArtefactKind::result_share), head_(head_in(reader_)) {
  const std::size_t owners = group.owners.size();
  if (static_cast<std::size_t>(head_.owner) >= owners)
    base::refuse("{}: it is of owner {}, and the group has {} owners; name shares of this group", name(), head_.owner,
                 owners);
  require_same_keys(group.binding(), "the group", head_.binding, name(), "name shares of this group");
}

SampleShares ShareReader::read(std::uint64_t sample, std::size_t parts, std::size_t bytes) const {
  SampleShares shares;
  parsing(name(), [&] {
    const Section& section = reader_.section(section_of_sample(sample), SectionType::ciphertext);
    if (section.bytes != parts * bytes)
      base::refuse(
          "its shares of result {} have {} bytes, and {} are expected; the file was not made for these results", sample,
          section.bytes, parts * bytes);
    for (std::size_t part = 0; part < parts; ++part) {
      std::vector<std::uint8_t>& share = shares.emplace_back(bytes);
      reader_.read(section, part * bytes, std::as_writable_bytes(std::span(share)));
    }
  });
  return shares;
}

}  // namespace tacit::runtime
