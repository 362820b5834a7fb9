#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "artefact_parts.h"
#include "base/error.h"
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

namespace {

/// Gives the bytes as a stream: the first ones one by one with pauses, the others in pieces of many sizes.
runtime::Source short_reads(std::span<const std::byte> bytes, std::string name) {
  std::size_t at = 0, call = 0;
  const auto next = [&](std::span<std::byte> room) -> std::optional<std::size_t> {
    constexpr std::size_t kOneByOne = 300, kLongest = 5000;
    if (++call % 3 == 0) return 0;
    if (at == bytes.size()) return std::nullopt;
    const std::size_t most = at < kOneByOne ? 1 : 1 + call * 2654435761U % kLongest;
    const std::size_t count = std::min({most, room.size(), bytes.size() - at});
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), count, room.begin());
    at += count;
    return count;
  };
  return runtime::Source::stream(next, {bytes.size()}, std::move(name));
}

/// Reads every byte, and writes the artefact again.
void check_source(const runtime::Source& source) {
  const ArtefactKind kind = runtime::artefact_kind(source);
  if (kind != ArtefactKind::secret_key) runtime::refuse_secret_key(source, "fuzz");
  const runtime::ArtefactReader reader(source, kind);
  reader.verify();
  for (const runtime::Section& section : reader.sections())
    require(reader.read(section).size() == section.bytes, "a section is as long as its table says");
  std::vector<std::byte> again;
  runtime::write_artefact(runtime::Sink::memory(again), kind, reader.scheme(), [&](runtime::ArtefactWriter& writer) {
    for (const runtime::Section& section : reader.sections())
      writer.add_section(section.name, section.type, reader.read(section));
  });
  const runtime::ArtefactReader same(runtime::Source::memory(again), kind);
  require(same.sections().size() == reader.sections().size(), "a written artefact has the sections that were read");
}

}  // namespace

/// An artefact is the sections of its table, and every byte of it is vouched for. A file, memory and a stream with
/// short reads are read alike.
void check(std::span<const std::uint8_t> bytes) {
  const auto content = std::as_bytes(bytes);
  const MemoryFile file(content);
  const std::string name = file.path().string();
  std::vector<std::string> refusals;
  for (const runtime::Source& source :
       {runtime::Source(file.path()), runtime::Source::memory(content, name), short_reads(content, name)}) {
    try {
      check_source(source);
      refusals.emplace_back();
    } catch (const base::InputError& error) {
      refusals.emplace_back(error.what());
    }
  }
  require(refusals[0] == refusals[1] && refusals[0] == refusals[2], "files, memory and streams are read alike");
  if (!refusals[0].empty()) throw base::InputError(refusals[0]);
  const auto again = taken_apart(Bytes(bytes.begin(), bytes.end()));
  require(again.has_value(), "an artefact reads the same twice");
}

}  // namespace tacit::fuzz
