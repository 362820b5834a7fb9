#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"
#include "runtime/artefact.h"
#include "runtime/artefact_format.h"

namespace tacit::runtime {

namespace {

format::Header header_of(const Source& source) {
  const std::uint64_t bytes = source.size();
  if (bytes < format::kHeaderBytes)
    base::refuse("{}: this is not a Tacit artefact: it is shorter than a header", source.name());
  format::HeaderBytes raw;
  source.read(0, raw);
  return format::decode(raw, bytes, source.name());
}

}  // namespace

struct ArtefactReader::Impl {
  Source source;
  format::Header header;
  std::vector<base::Digest> digests{};
  std::vector<Section> sections{};

  [[noreturn]] void refuse(const std::string& why) const { throw base::InputError(source.name() + ": " + why); }

  /// Checks the header, and reads the chunk digests that the root vouches for.
  explicit Impl(const Source& from) : source(from), header(header_of(from)) {
    digests.resize(format::chunk_count(header.body_bytes));  // bounded: decode matched it with the source's size
    source.read(format::kHeaderBytes + header.body_bytes, std::as_writable_bytes(std::span(digests)));
    if (format::root(header, digests) != header.root)
      refuse("the root does not match: its header or its chunk digests are damaged, copy the file again");
  }

  std::uint64_t chunk_bytes(std::uint64_t chunk) const {
    return std::min<std::uint64_t>(kChunkBytes, header.body_bytes - chunk * kChunkBytes);
  }

  /// The sections that have bytes in a chunk, for an error message.
  std::string sections_in(std::uint64_t chunk) const {
    const std::uint64_t begin = chunk * kChunkBytes, end = begin + chunk_bytes(chunk);
    std::string names;
    for (const Section& section : sections)
      if (section.offset < end && section.offset + section.bytes > begin)
        names += (names.empty() ? "'" : ", '") + section.name + "'";
    if (end > header.table_offset) names += names.empty() ? "section table" : " and section table";
    return names;
  }

  void read_chunk(std::uint64_t chunk, std::span<std::byte> out) const {
    source.read(format::kHeaderBytes + chunk * kChunkBytes, out);
    if (base::sha256(out) != digests[chunk])
      refuse("chunk " + std::to_string(chunk) + " of " + std::to_string(digests.size()) + " (" + sections_in(chunk) +
             ") is damaged: its SHA-256 does not match, copy the file again");
  }

  void read_body(std::uint64_t offset, std::span<std::byte> out) const {
    if (out.empty()) return;
    const std::uint64_t end = offset + out.size();
    base::parallel_for(offset / kChunkBytes, (end - 1) / kChunkBytes + 1, [&](std::size_t chunk) {
      const std::uint64_t begin = chunk * kChunkBytes, size = chunk_bytes(chunk);
      const std::uint64_t from = std::max(begin, offset), to = std::min(begin + size, end);
      if (to - from == size) {
        read_chunk(chunk, out.subspan(from - offset, size));
        return;
      }
      std::vector<std::byte> buffer(size);
      read_chunk(chunk, buffer);
      std::memcpy(out.data() + (from - offset), buffer.data() + (from - begin), to - from);
      if (header.kind == static_cast<std::uint32_t>(ArtefactKind::secret_key))
        base::zeroise(buffer.data(), buffer.size());
    });
  }

  void read_table() {
    std::vector<std::byte> table(header.body_bytes - header.table_offset);
    read_body(header.table_offset, table);
    sections = format::decode_table(table, header.sections, header.table_offset, source.name());
  }
};

ArtefactReader::ArtefactReader(const Source& source, ArtefactKind expected, std::optional<ArtefactScheme> scheme)
    : impl_(std::make_unique<Impl>(source)) {
  if (kind() != expected)
    impl_->refuse(
        "it holds " + std::string(kind_name(kind())) + " where " + std::string(kind_name(expected)) +
        (expected == ArtefactKind::evaluation_keys || expected == ArtefactKind::ciphertexts ? " are" : " is") +
        " needed");
  if (scheme && this->scheme() != *scheme)
    throw base::KeyMismatch(fmt::format(
        "{}: it belongs to {}, and what it is to be used with belongs to {}; take the one that was made for "
        "this model",
        name(), scheme_name(this->scheme()), scheme_name(*scheme)));
  impl_->read_table();
}

ArtefactReader::~ArtefactReader() = default;
ArtefactReader::ArtefactReader(ArtefactReader&&) noexcept = default;
ArtefactReader& ArtefactReader::operator=(ArtefactReader&&) noexcept = default;

const std::string& ArtefactReader::name() const { return impl_->source.name(); }
ArtefactKind ArtefactReader::kind() const { return static_cast<ArtefactKind>(impl_->header.kind); }
ArtefactScheme ArtefactReader::scheme() const { return static_cast<ArtefactScheme>(impl_->header.scheme); }
const base::Digest& ArtefactReader::root() const { return impl_->header.root; }
std::uint64_t ArtefactReader::file_bytes() const { return impl_->header.file_bytes; }
const std::vector<Section>& ArtefactReader::sections() const { return impl_->sections; }

const Section& ArtefactReader::section(std::string_view name, SectionType type) const {
  for (const Section& section : impl_->sections)
    if (section.name == name) {
      if (section.type != type) impl_->refuse("section '" + section.name + "' is of another type than expected");
      return section;
    }
  impl_->refuse("section '" + std::string(name) + "' is missing");
}

void ArtefactReader::read(const Section& section, std::uint64_t offset, std::span<std::byte> out) const {
  if (offset > section.bytes || out.size() > section.bytes - offset)
    impl_->refuse("section '" + section.name + "' ends too early");
  impl_->read_body(section.offset + offset, out);
}

std::vector<std::byte> ArtefactReader::read(const Section& section) const {
  std::vector<std::byte> bytes(section.bytes);  // bounded: the table was matched with the file's size
  impl_->read_body(section.offset, bytes);
  return bytes;
}

std::string ArtefactReader::read_text(const Section& section) const {
  std::string text(section.bytes, '\0');
  impl_->read_body(section.offset, std::as_writable_bytes(std::span(text)));
  return text;
}

void ArtefactReader::verify() const {
  base::parallel_for(0, impl_->digests.size(), [&](std::size_t chunk) {
    std::vector<std::byte> buffer(impl_->chunk_bytes(chunk));
    impl_->read_chunk(chunk, buffer);
  });
}

ArtefactKind artefact_kind(const Source& source) { return static_cast<ArtefactKind>(header_of(source).kind); }
ArtefactScheme artefact_scheme(const Source& source) { return static_cast<ArtefactScheme>(header_of(source).scheme); }

void refuse_secret_key(const Source& source, std::string_view who) {
  // Looks at magic and kind only, so that a damaged or truncated secret key is refused as loudly as a whole one. The
  // reader that needs another source says what is wrong with it.
  std::array<std::byte, 16> start{};
  try {
    if (source.size() < start.size()) return;
    source.read(0, start);
  } catch (const base::InputError&) {
    return;
  }
  std::uint32_t kind = 0;
  std::memcpy(&kind, start.data() + format::kKindOffset, sizeof kind);
  if (std::memcmp(start.data(), format::kMagic.data(), format::kMagic.size()) == 0 &&
      kind == static_cast<std::uint32_t>(ArtefactKind::secret_key))
    base::refuse(
        "{}: this is a secret key, and {} must never get one: whoever holds it reads every input and output; give the "
        "evaluation keys, and keep this file on the client",
        source.name(), who);
}

}  // namespace tacit::runtime
