#include "runtime/artefact_format.h"

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstring>
#include <iterator>
#include <set>

#include "base/byte_stream.h"
#include "base/error.h"
#include "merkle/rescue.h"
#include "merkle/root_stream.h"

namespace tacit::runtime {

std::string_view kind_name(ArtefactKind kind) {
  switch (kind) {
    case ArtefactKind::server_model: return "a server model";
    case ArtefactKind::client_model: return "a client model";
    case ArtefactKind::secret_key: return "a secret key";
    case ArtefactKind::public_key: return "a public key";
    case ArtefactKind::evaluation_keys: return "evaluation keys";
    case ArtefactKind::ciphertexts: return "ciphertexts";
    case ArtefactKind::checkpoint: return "a checkpoint";
    case ArtefactKind::search_store: return "the index of a store";
    case ArtefactKind::search_tiles: return "tiles of a store";
    case ArtefactKind::search_client: return "the client's part of a store";
    case ArtefactKind::search_question: return "a question to a store";
    case ArtefactKind::search_answer: return "an answer of a store";
    case ArtefactKind::owner_group: return "a group of owners";
    case ArtefactKind::key_part: return "a part of keys";
    case ArtefactKind::result_share: return "a share of results";
    case ArtefactKind::receiver_key: return "a receiver's key";
  }
  return "an unknown kind of artefact";
}

std::string_view scheme_name(ArtefactScheme scheme) { return scheme == ArtefactScheme::tfhe ? "TFHE" : "CKKS"; }

namespace format {
namespace {

static_assert(std::endian::native == std::endian::little, "artefacts are little-endian and copied as they are");

/// Numbers as they lie in a file, one behind the other. Returns the end of them.
template <std::integral... Numbers>
std::byte* put(std::byte* at, Numbers... numbers) {
  ((std::memcpy(at, &numbers, sizeof numbers), at += sizeof numbers), ...);
  return at;
}

/// Shows the numbers of a header, in the order of the format, all at once.
template <class Of, class Visit>
void numbers_of(Of& header, const Visit& visit) {
  static_assert(kKindOffset == kMagic.size() + sizeof header.version);
  visit(header.version, header.kind, header.file_bytes, header.body_bytes, header.table_offset, header.sections,
        header.chunk_bytes, header.root_algorithm, header.scheme);
}

void take(base::ByteReader& in, std::uint32_t& number) { number = in.u32(); }
void take(base::ByteReader& in, std::uint64_t& number) { number = in.u64(); }

[[noreturn]] void refuse(const std::string& file, const std::string& why) { throw base::InputError(file + ": " + why); }

constexpr std::size_t kEntryBytes = 24;  // of the table, without the name

/// What is done about a file of another format version.
std::string way_out(const Header& header) {
  const std::string earlier = ", or use the version of Tacit that wrote it";
  if (header.version > kArtefactVersion) return "upgrade this program to the version that wrote it";
  switch (static_cast<ArtefactKind>(header.kind)) {
    case ArtefactKind::server_model:
    case ArtefactKind::client_model: return "compile the model again" + earlier;
    case ArtefactKind::secret_key:
    case ArtefactKind::public_key:
    case ArtefactKind::evaluation_keys: return "make the keys again" + earlier;
    case ArtefactKind::ciphertexts: return "encrypt the inputs again" + earlier;
    // Its reader adds how the run begins anew.
    case ArtefactKind::checkpoint: return "use the version of Tacit that wrote it";
    case ArtefactKind::search_store:
    case ArtefactKind::search_tiles:
    case ArtefactKind::search_client: return "build the store again" + earlier;
    case ArtefactKind::search_question: return "make the question again" + earlier;
    case ArtefactKind::search_answer: return "ask the server again" + earlier;
    case ArtefactKind::owner_group: return "make the group again" + earlier;
    case ArtefactKind::key_part:
    case ArtefactKind::result_share: return "ask its owner to make it again" + earlier;
    case ArtefactKind::receiver_key: return "make the key again" + earlier;
  }
  return "make it again" + earlier;
}

}  // namespace

HeaderBytes encode(const Header& header) {
  HeaderBytes bytes{};
  std::memcpy(bytes.data(), kMagic.data(), kMagic.size());
  numbers_of(header, [&](auto... numbers) { put(bytes.data() + kMagic.size(), numbers...); });
  std::memcpy(bytes.data() + kRootOffset, header.root.data(), header.root.size());
  return bytes;
}

Header decode(const HeaderBytes& bytes, std::uint64_t real_bytes, const std::string& file) {
  base::ByteReader in(bytes, file);
  if (!std::ranges::equal(in.take(kMagic.size()), kMagic)) refuse(file, "this is not a Tacit artefact");
  Header header;
  numbers_of(header, [&](auto&... numbers) { (take(in, numbers), ...); });
  const auto reserved = in.take(kRootOffset - (kHeaderBytes - in.left()));
  std::ranges::copy(in.take(header.root.size()), header.root.begin());

  if (header.version != kArtefactVersion)
    refuse(file, "format version " + std::to_string(header.version) + "; this program reads version " +
                     std::to_string(kArtefactVersion) + "; " + way_out(header));
  if (header.kind < 1 || header.kind > static_cast<std::uint32_t>(ArtefactKind::receiver_key))
    refuse(file, "unknown kind of artefact " + std::to_string(header.kind) + "; the header is damaged");
  if (header.scheme < static_cast<std::uint32_t>(ArtefactScheme::ckks) ||
      header.scheme > static_cast<std::uint32_t>(ArtefactScheme::tfhe))
    refuse(file, "it is of an encryption scheme (" + std::to_string(header.scheme) +
                     ") that this program does not know; upgrade this program");
  if (header.file_bytes != real_bytes)
    refuse(file, "the file has " + std::to_string(real_bytes) + " bytes where its header says " +
                     std::to_string(header.file_bytes) + "; it was truncated or damaged, copy it again");
  if (header.chunk_bytes != kChunkBytes || header.root_algorithm != kRootTree)
    refuse(file, "unknown chunk size or root algorithm; the header is damaged");
  // kHeaderBytes + body + digests = file, written so that no sum can wrap.
  if (header.body_bytes > real_bytes - kHeaderBytes ||
      real_bytes - kHeaderBytes - header.body_bytes != chunk_count(header.body_bytes) * sizeof(base::Digest))
    refuse(file, "its sizes do not add up; the header is damaged");
  if (header.table_offset > header.body_bytes || header.sections > kMostSections ||
      header.sections > (header.body_bytes - header.table_offset) / kEntryBytes)
    refuse(file, "its section table does not fit; the header is damaged");
  if (std::ranges::any_of(reserved, [](std::uint8_t byte) { return byte != 0; }))
    refuse(file, "reserved bytes are set; the header is damaged");
  return header;
}

base::Digest root(const Header& header, std::span<const base::Digest> chunks) {
  const HeaderBytes bytes = encode(header);
  const base::Digest first = base::sha256(std::span(bytes).first<kRootOffset>());
  constexpr std::size_t kRun = 4096;
  std::vector<merkle::Digest> leaves(std::max<std::size_t>(1, std::min(kRun, chunks.size())));
  merkle::RootStream stream(kArtefactTree);
  merkle::leaves_of_sha256(kArtefactTree, {&first, 1}, std::span(leaves).first(1));
  stream.append(leaves[0]);
  for (; !chunks.empty(); chunks = chunks.subspan(std::min(kRun, chunks.size()))) {
    const auto run = chunks.first(std::min(kRun, chunks.size()));
    merkle::leaves_of_sha256(kArtefactTree, run, std::span(leaves).first(run.size()));
    stream.append(std::span<const merkle::Digest>(leaves).first(run.size()));
  }
  return std::bit_cast<base::Digest>(stream.root());
}

std::uint64_t chunk_count(std::uint64_t body_bytes) {
  return body_bytes / kChunkBytes + (body_bytes % kChunkBytes != 0 ? 1 : 0);
}

std::uint64_t aligned(std::uint64_t offset) {
  return (offset + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
}

std::vector<std::byte> encode(std::span<const Section> sections) {
  std::vector<std::byte> bytes;
  for (const Section& section : sections) {
    const std::size_t at = bytes.size();
    bytes.resize(at + kEntryBytes + section.name.size());
    std::byte* const name = put(bytes.data() + at, static_cast<std::uint32_t>(section.name.size()),
                                static_cast<std::uint32_t>(section.type), section.offset, section.bytes);
    std::memcpy(name, section.name.data(), section.name.size());
  }
  return bytes;
}

std::vector<Section> decode_table(std::span<const std::byte> bytes, std::uint32_t count, std::uint64_t table_offset,
                                  const std::string& file) {
  std::vector<Section> sections;
  std::set<std::string> names;
  std::uint64_t end = 0;
  base::ByteReader in(bytes, file);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto bad = [&](const char* what) {
      refuse(file, "section " + std::to_string(i) + " of its table " + what + "; the file was not written by Tacit");
    };
    if (in.left() < kEntryBytes) bad("is cut off");
    const std::uint32_t name_bytes = in.u32(), type = in.u32();
    Section section;
    section.offset = in.u64();
    section.bytes = in.u64();
    if (name_bytes < 1 || name_bytes > kLongestName || name_bytes > in.left()) bad("has no valid name");
    if (type < 1 || type > static_cast<std::uint32_t>(SectionType::numbers)) bad("has an unknown type");
    section.type = static_cast<SectionType>(type);
    std::ranges::copy(in.take(name_bytes), std::back_inserter(section.name));
    if (section.offset != aligned(end) || section.offset > table_offset ||
        section.bytes > table_offset - section.offset)
      bad("lies outside the body");
    end = section.offset + section.bytes;
    if (!names.insert(section.name).second) bad("has a name that another section has");
    sections.push_back(std::move(section));
  }
  if (in.left() != 0 || aligned(end) != table_offset)
    refuse(file, "its section table does not end with the body; the file was not written by Tacit");
  return sections;
}

}  // namespace format
}  // namespace tacit::runtime
