#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/random.h"
#include "runtime/artefact.h"
#include "runtime/artefact_format.h"

namespace tacit::runtime {
namespace {

// A file that is being written is called as it will be, then this, then so many random bytes in hexadecimal digits.
const std::string kPart = ".part-";
constexpr std::size_t kPartBytes = 8;

}  // namespace

struct ArtefactWriter::Impl {
  std::filesystem::path path, temporary;
  ArtefactKind kind{};
  ArtefactScheme scheme{};
  base::FileDescriptor file;
  std::vector<std::byte> chunk;  // the body's bytes that are not yet on disk
  std::uint64_t body_bytes = 0;
  std::vector<base::Digest> digests;
  std::vector<Section> sections;
  bool open_section = false;

  [[noreturn]] void fail(const std::string& what) const {
    const int error = errno;
    throw base::InputError(path.string() + ": " + what + ": " + std::strerror(error));
  }

  void write_at(std::uint64_t offset, std::span<const std::byte> bytes) const {
    if (!file.write(offset, bytes)) fail("cannot write");
  }

  void flush() {
    if (chunk.empty()) return;
    digests.push_back(base::sha256(chunk));
    write_at(format::kHeaderBytes + body_bytes - chunk.size(), chunk);
    if (kind == ArtefactKind::secret_key) base::zeroise(chunk.data(), chunk.size());
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
};

ArtefactWriter::ArtefactWriter(std::filesystem::path path, ArtefactKind kind, ArtefactScheme scheme)
    : impl_(std::make_unique<Impl>()) {
  impl_->path = std::move(path);
  impl_->kind = kind;
  impl_->scheme = scheme;
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(impl_->path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw base::InputError(impl_->path.string() + ": a folder, a device or a pipe is not replaced; name a file");
  const base::Seed seed = base::public_seed();
  impl_->temporary = impl_->path;
  impl_->temporary += kPart + base::hexadecimal(std::span(seed).first<kPartBytes>());
  const unsigned mode = kind == ArtefactKind::secret_key ? 0600 : 0666;
  impl_->file = base::FileDescriptor(impl_->temporary, O_WRONLY | O_CREAT | O_EXCL, mode);
  if (!impl_->file.is_open()) impl_->fail("cannot create the file");
  impl_->chunk.reserve(kChunkBytes);
}

ArtefactWriter::~ArtefactWriter() {
  if (impl_->kind == ArtefactKind::secret_key) base::zeroise(impl_->chunk.data(), impl_->chunk.size());
  if (impl_->file.is_open()) ::unlink(impl_->temporary.c_str());
}

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
  it.end_section();
  format::Header header;
  header.kind = static_cast<std::uint32_t>(it.kind);
  header.scheme = static_cast<std::uint32_t>(it.scheme);
  header.table_offset = it.body_bytes;
  header.sections = static_cast<std::uint32_t>(it.sections.size());
  it.append(format::encode(it.sections));
  it.flush();
  header.body_bytes = it.body_bytes;
  header.file_bytes = format::kHeaderBytes + it.body_bytes + it.digests.size() * sizeof(base::Digest);
  header.root = format::root(header, it.digests);
  it.write_at(format::kHeaderBytes + it.body_bytes, std::as_bytes(std::span(it.digests)));
  it.write_at(0, format::encode(header));
  // A model or a ciphertext can be made again; what a lost secret key had encrypted is gone.
  if (it.kind == ArtefactKind::secret_key && ::fsync(it.file.number()) != 0) it.fail("cannot write");
  if (!it.file.close() || ::rename(it.temporary.c_str(), it.path.c_str()) != 0) {
    const int error = errno;
    ::unlink(it.temporary.c_str());
    errno = error;
    it.fail("cannot write");
  }
  return header.root;
}

void remove_artefact(const std::filesystem::path& path) {
  std::error_code error;
  const std::string prefix = path.filename().string() + kPart;
  std::vector<std::filesystem::path> files{path};
  for (const auto& entry :
       std::filesystem::directory_iterator(path.parent_path().empty() ? "." : path.parent_path(), error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && name.size() == prefix.size() + 2 * kPartBytes) files.push_back(entry.path());
  }
  for (const std::filesystem::path& file : files) std::filesystem::remove(file, error);
}

}  // namespace tacit::runtime
