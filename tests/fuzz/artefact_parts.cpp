#include "artefact_parts.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "memory_file.h"
#include "mutate_bytes.h"
#include "runtime/artefact_format.h"

namespace tacit::fuzz {
namespace {

using runtime::SectionType;
namespace format = runtime::format;

Bytes with_header(format::Header header, const Bytes& body) {
  const auto all = std::as_bytes(std::span(body));
  std::vector<base::Digest> digests;
  for (std::size_t at = 0; at < all.size(); at += runtime::kChunkBytes)
    digests.push_back(base::sha256(all.subspan(at, std::min(runtime::kChunkBytes, all.size() - at))));
  header.body_bytes = all.size();
  header.file_bytes = format::kHeaderBytes + all.size() + digests.size() * sizeof(base::Digest);
  header.root = format::root(header, digests);
  Bytes file(header.file_bytes);
  const format::HeaderBytes first = format::encode(header);
  std::memcpy(file.data(), first.data(), first.size());
  std::copy(body.begin(), body.end(), file.begin() + format::kHeaderBytes);
  if (!digests.empty())
    std::memcpy(file.data() + format::kHeaderBytes + body.size(), digests.data(), digests.size() * sizeof digests[0]);
  return file;
}

/// Another list of the same parts.
void mutate_list(Artefact& artefact, const std::optional<Artefact>& other, Random& random) {
  auto& parts = artefact.parts;
  const std::size_t one = random.below(parts.size());
  const auto place = parts.begin() + static_cast<std::ptrdiff_t>(one);
  switch (random.below(6)) {
    case 0: artefact.kind = static_cast<runtime::ArtefactKind>(1 + random.below(6)); break;
    case 1: parts.erase(place); break;
    case 2: {
      Part copy = *place;
      copy.name += std::to_string(random.below(3));
      parts.push_back(std::move(copy));
      break;
    }
    case 3: place->type = static_cast<SectionType>(1 + random.below(5)); break;
    case 4: std::swap(place->name, random.pick(parts).name); break;
    default:
      if (other && !other->parts.empty()) *place = random.pick(other->parts);
  }
}

}  // namespace

std::optional<Artefact> taken_apart(const Bytes& file) {
  try {
    const MemoryFile stored(std::as_bytes(std::span(file)));
    const runtime::ArtefactReader reader(stored.path(), runtime::artefact_kind(stored.path()), std::nullopt);
    Artefact artefact{.kind = reader.kind(), .scheme = reader.scheme()};
    for (const runtime::Section& section : reader.sections()) {
      Bytes bytes(section.bytes);
      reader.read(section, 0, std::as_writable_bytes(std::span(bytes)));
      artefact.parts.push_back({section.name, section.type, std::move(bytes)});
    }
    return artefact;
  } catch (const base::InputError&) {
    return std::nullopt;
  }
}

Bytes put_together(const Artefact& artefact) {
  Bytes body;
  std::vector<runtime::Section> sections;
  for (const Part& part : artefact.parts) {
    body.resize(format::aligned(body.size()));
    sections.push_back({part.name, part.type, body.size(), part.bytes.size()});
    body.insert(body.end(), part.bytes.begin(), part.bytes.end());
  }
  body.resize(format::aligned(body.size()));
  format::Header header;
  header.kind = static_cast<std::uint32_t>(artefact.kind);
  header.scheme = static_cast<std::uint32_t>(artefact.scheme);
  header.table_offset = body.size();
  header.sections = static_cast<std::uint32_t>(sections.size());
  const std::vector<std::byte> table = format::encode(sections);
  const auto* first = reinterpret_cast<const std::uint8_t*>(table.data());
  body.insert(body.end(), first, first + table.size());
  return with_header(header, body);
}

Bytes vouched(const Bytes& file) {
  if (file.size() < format::kHeaderBytes) return file;
  const auto field = [&](std::size_t at, auto& value) { std::memcpy(&value, file.data() + at, sizeof value); };
  format::Header header;
  field(format::kKindOffset, header.kind);
  field(32, header.table_offset);
  field(40, header.sections);
  // What follows the body is as long as its digests were: near enough, the body may be anything.
  const std::size_t rest = file.size() - format::kHeaderBytes;
  const std::size_t digests = std::min(rest, format::chunk_count(rest) * sizeof(base::Digest));
  return with_header(
      header, Bytes(file.begin() + format::kHeaderBytes, file.end() - static_cast<Bytes::difference_type>(digests)));
}

Bytes mutate_part(const Part& part, const Bytes& other, Random& random) {
  return part.type == SectionType::text ? mutate_text(part.bytes, other, random)
                                        : mutate_bytes(part.bytes, other, random);
}

Bytes mutate_artefact(const Bytes& from, const Bytes& other, Random& random, MutatePart mutate_one,
                      void (*repair)(Artefact&)) {
  if (random.one_in(8)) {
    const Bytes file = mutate_bytes(from, other, random);
    return random.one_in(3) ? file : vouched(file);
  }
  std::optional<Artefact> artefact = taken_apart(from);
  const std::optional<Artefact> donor = taken_apart(other);
  if (!artefact || artefact->parts.empty()) return vouched(mutate_bytes(from, other, random));
  if (random.one_in(8)) mutate_list(*artefact, donor, random);
  for (std::size_t left = random.below(3); left > 0 && !artefact->parts.empty(); --left) {
    Part& part = random.pick(artefact->parts);
    static const Bytes kNothing;
    const Part* same = nullptr;
    if (donor)
      for (const Part& candidate : donor->parts)
        if (candidate.type == part.type && (same == nullptr || random.one_in(2))) same = &candidate;
    part.bytes = mutate_one(part, same != nullptr ? same->bytes : kNothing, random);
  }
  if (repair != nullptr) repair(*artefact);
  return put_together(*artefact);
}

}  // namespace tacit::fuzz
