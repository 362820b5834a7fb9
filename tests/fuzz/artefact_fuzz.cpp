#include "artefact_parts.h"
#include "memory_file.h"
#include "mutate_bytes.h"

namespace tacit::fuzz {

using runtime::ArtefactKind;
using runtime::SectionType;

std::string_view target_name() { return "artefact"; }

std::vector<Bytes> seeds() {
  const Bytes text = bytes_of("{\"about\": [1, 2, 3]}");
  Bytes two_chunks(runtime::kChunkBytes + 100, 9);
  return {put_together({ArtefactKind::ciphertexts, {{"about", SectionType::text, text}}}),
          put_together(
              {ArtefactKind::client_model,
               {{"a", SectionType::program, text}, {"b", SectionType::digests, {}}, {"c", SectionType::key, text}}}),
          put_together({ArtefactKind::evaluation_keys, {}}),
          put_together({ArtefactKind::public_key, {{"key", SectionType::key, std::move(two_chunks)}}})};
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) {
  const Bytes mutation = random.one_in(3) ? mutate_artefact(from, other, random) : mutate_bytes(from, other, random);
  return random.one_in(3) ? mutation : vouched(mutation);
}

/// An artefact is the sections of its table, and every byte of it is vouched for.
void check(std::span<const std::uint8_t> bytes) {
  const MemoryFile file(std::as_bytes(bytes));
  const ArtefactKind kind = runtime::artefact_kind(file.path());
  if (kind != ArtefactKind::secret_key) runtime::refuse_secret_key(file.path(), "fuzz");
  const runtime::ArtefactReader reader(file.path(), kind);
  reader.verify();
  for (const runtime::Section& section : reader.sections())
    require(reader.read(section).size() == section.bytes, "a section is as long as its table says");
  const auto again = taken_apart(Bytes(bytes.begin(), bytes.end()));
  require(again.has_value() && again->parts.size() == reader.sections().size(), "an artefact reads the same twice");
}

}  // namespace tacit::fuzz
