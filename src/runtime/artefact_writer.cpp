#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "base/wipe.h"
#include "runtime/artefact.h"
#include "runtime/artefact_format.h"

namespace tacit::runtime {

struct ArtefactWriter::Impl {
  std::optional<Sink> sink;  ///< none: the artefact is only measured
  ArtefactKind kind{};
  ArtefactScheme scheme{};
  std::optional<format::Header> measured{};    ///< of a sink that wants facts, if they are known
  std::unique_ptr<OpenSink> out{};             ///< null while the sink waits for facts
  std::vector<std::vector<std::byte>> kept{};  ///< chunks that wait for the sink
  std::vector<std::byte> chunk{};              ///< the body's bytes that no chunk holds yet
  std::uint64_t body_bytes = 0;
  std::vector<base::Digest> digests{};
  std::vector<Section> sections{};
  bool open_section = false;

  Impl(std::optional<Sink> to, ArtefactKind of_kind, ArtefactScheme of_scheme)
      : sink(std::move(to)), kind(of_kind), scheme(of_scheme) {
    chunk.reserve(kChunkBytes);
    if (sink && !sink->wants_facts()) out = sink->open({}, is_secret());
  }
  ~Impl() {
    if (!is_secret()) return;
    base::wipe(chunk);
    base::wipe(kept);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  bool is_secret() const { return kind == ArtefactKind::secret_key; }

  void flush() {
    if (chunk.empty()) return;
    digests.push_back(base::sha256(chunk));
    if (out) out->write(format::kHeaderBytes + body_bytes - chunk.size(), chunk);
    if (!out && sink) kept.push_back(chunk);
    if (is_secret()) base::wipe(chunk);
    chunk.clear();
  }

  void append(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const std::size_t count = std::min(bytes.size(), kChunkBytes - chunk.size());
      chunk.insert(chunk.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
      body_bytes += count;
      bytes = bytes.subspan(count);
      if (chunk.size() == kChunkBytes) flush();
    }
  }

  void end_section() {
    if (!open_section) return;
    Section& section = sections.back();
    section.bytes = body_bytes - section.offset;
    constexpr std::byte kPadding[format::kSectionAlignment]{};
    append(std::span(kPadding).first(format::aligned(body_bytes) - body_bytes));
    open_section = false;
  }

  /// Ends the body, and returns the header of the artefact.
  format::Header end_body() {
    end_section();
    format::Header header;
    header.kind = static_cast<std::uint32_t>(kind);
    header.scheme = static_cast<std::uint32_t>(scheme);
    header.table_offset = body_bytes;
    header.sections = static_cast<std::uint32_t>(sections.size());
    append(format::encode(sections));
    flush();
    header.body_bytes = body_bytes;
    header.file_bytes = format::kHeaderBytes + body_bytes + digests.size() * sizeof(base::Digest);
    header.root = format::root(header, digests);
    return header;
  }

  /// Opens a sink that waited for the facts, and writes the header.
  void open_with(const format::Header& header) {
    out = sink->open({header.file_bytes, header.root}, is_secret());
    if (!out->has_all()) out->write(0, format::encode(header));
  }

  void write_kept() {
    std::uint64_t offset = format::kHeaderBytes;
    for (const std::vector<std::byte>& one : kept) {
      out->write(offset, one);
      offset += one.size();
    }
  }

  void write_digests() const {
    std::uint64_t offset = format::kHeaderBytes + body_bytes;
    for (auto left = std::as_bytes(std::span(digests)); !left.empty();) {
      const auto piece = left.first(std::min(left.size(), kChunkBytes));
      out->write(offset, piece);
      offset += piece.size();
      left = left.subspan(piece.size());
    }
  }
};

ArtefactWriter::ArtefactWriter(const Sink& sink, ArtefactKind kind, ArtefactScheme scheme)
    : ArtefactWriter(std::make_unique<Impl>(sink, kind, scheme)) {}
ArtefactWriter::ArtefactWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ArtefactWriter::~ArtefactWriter() = default;

void ArtefactWriter::begin_section(std::string_view name, SectionType type) {
  TACIT_ASSERT(!name.empty() && name.size() <= format::kLongestName);
  impl_->end_section();
  impl_->sections.push_back({std::string(name), type, impl_->body_bytes, 0});
  impl_->open_section = true;
}

void ArtefactWriter::write(std::span<const std::byte> bytes) {
  TACIT_ASSERT(impl_->open_section);
  impl_->append(bytes);
}

void ArtefactWriter::add_section(std::string_view name, SectionType type, std::span<const std::byte> bytes) {
  begin_section(name, type);
  write(bytes);
}

void ArtefactWriter::add_section(std::string_view name, SectionType type, std::string_view text) {
  add_section(name, type, std::as_bytes(std::span(text)));
}

base::Digest ArtefactWriter::finish() {
  Impl& it = *impl_;
  const format::Header header = it.end_body();
  if (it.measured && it.measured->root != header.root)
    throw base::InternalError("an artefact had other bytes when it was written than when it was measured");
  if (!it.out) {
    it.open_with(header);
    it.write_kept();
  }
  it.write_digests();
  if (!it.sink->wants_facts()) it.out->write(0, format::encode(header));
  // A model or a ciphertext can be made again. Data that was encrypted under a lost secret key is lost.
  it.out->commit(it.is_secret());
  it.out.reset();
  return header.root;
}

base::Digest write_artefact(const Sink& sink, ArtefactKind kind, ArtefactScheme scheme,
                            const std::function<void(ArtefactWriter&)>& sections) {
  using Impl = ArtefactWriter::Impl;
  if (!sink.wants_facts()) {
    ArtefactWriter writer(sink, kind, scheme);
    sections(writer);
    return writer.finish();
  }
  ArtefactWriter measuring(std::make_unique<Impl>(std::nullopt, kind, scheme));
  sections(measuring);
  const format::Header header = measuring.impl_->end_body();
  ArtefactWriter writer(std::make_unique<Impl>(sink, kind, scheme));
  writer.impl_->measured = header;
  writer.impl_->open_with(header);
  if (writer.impl_->out->has_all()) return header.root;
  sections(writer);
  return writer.finish();
}

}  // namespace tacit::runtime
