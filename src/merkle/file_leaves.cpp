#include "merkle/file_leaves.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/aligned.h"
#include "base/error.h"
#include "base/naming.h"
#include "base/parallel.h"
#include "base/sha256.h"
#include "merkle/memory_leaves.h"
#include "merkle/rescue.h"
#include "merkle/root_stream.h"

namespace tacit::merkle {
namespace {

constexpr std::uint64_t kBatchBytes = std::uint64_t{16} << 20;  ///< read side by side, one chunk at least
constexpr std::uint64_t kBatchLeaves = std::uint64_t{1} << 16;  ///< at most, where chunks are small
constexpr std::uint64_t kReadBytes = std::uint64_t{1} << 20;    ///< read by one task, one chunk at least
constexpr std::uint64_t kStretchLeaves = std::uint64_t{1} << 12;
constexpr std::size_t kDigestRun = 8192;  ///< digests read at once: 256 KiB

}  // namespace

Digest leaf_of_chunk(const TreeScheme& scheme, std::span<const std::byte> chunk) {
  TACIT_ASSERT(scheme.leaf_rule != LeafRule::digests);
  if (scheme.leaf_rule == LeafRule::bytes) return leaf_of_bytes(scheme, chunk);
  const base::Digest value = base::sha256(chunk);
  return leaf_of_sha256(scheme, std::as_bytes(std::span(value)));
}

Digest leaf_of_file(const TreeScheme& scheme, std::string_view name, std::uint64_t bytes) {
  std::vector<std::byte> told;
  for (unsigned shift = 0; shift < 64; shift += 8) told.push_back(static_cast<std::byte>(bytes >> shift));
  for (const char c : name) told.push_back(static_cast<std::byte>(c));
  return hash_bytes(scheme.variant, told, Domain::file);
}

FileLeaves::FileLeaves(const TreeScheme& scheme, const std::vector<std::filesystem::path>& files) : scheme_(scheme) {
  require_valid(scheme, "the tree");
  const bool digests = scheme.leaf_rule == LeafRule::digests;
  if (digests && files.size() > 1)
    base::refuse("{} files of digests: digests alone do not say where a file ends; put them into one file",
                 files.size());
  for (const std::filesystem::path& path : files) {
    // Not to wait for the writer of a pipe, which is refused anyway.
    File& file = files_.emplace_back(File{path, base::FileDescriptor(path, O_RDONLY | O_NONBLOCK), 0});
    if (!file.opened.is_open()) base::refuse("{}: cannot open: {}", path.string(), std::strerror(errno));
    if (!file.opened.is_regular()) base::refuse("{}: this is no regular file", path.string());
    file.bytes = file.opened.size();
    if (digests && file.bytes % sizeof(Digest) != 0)
      base::refuse("{}: {} bytes are no whole number of digests of 32 bytes", path.string(), file.bytes);
    count_ += leaves_of(file) + (files.size() > 1 ? 1 : 0);
    bytes_ += file.bytes;
  }
}

std::uint64_t FileLeaves::leaves_of(const File& file) const { return leaves_of_size(scheme_, file.bytes); }

std::vector<FileLeaves::Part> FileLeaves::parts() const {
  std::vector<Part> parts;
  if (!several()) return parts;
  std::uint64_t first = 0;
  for (const File& file : files_) {
    parts.push_back({file.path.filename().string(), file.bytes, first});
    first += 1 + leaves_of(file);
  }
  return parts;
}

void FileLeaves::read(const std::function<void(std::span<const Digest>)>& sink, base::Progress& progress) const {
  progress.begin("hashing", bytes_);
  for (const File& file : files_) {
    if (several()) {
      const Digest own = leaf_of_file(scheme_, file.path.filename().string(), file.bytes);
      sink({&own, 1});
    }
    scheme_.leaf_rule == LeafRule::digests ? read_digests(file, sink, progress) : read_chunks(file, sink, progress);
  }
  progress.end();
}

void FileLeaves::read_digests(const File& file, const std::function<void(std::span<const Digest>)>& sink,
                              base::Progress& progress) const {
  std::vector<Digest> run(std::min<std::uint64_t>(kDigestRun, file.bytes / sizeof(Digest)));
  for (std::uint64_t at = 0; at < file.bytes;) {
    const std::uint64_t count = std::min<std::uint64_t>(run.size(), (file.bytes - at) / sizeof(Digest));
    const std::span<Digest> digests = std::span(run).first(count);
    file.opened.read_all(file.path, at, std::as_writable_bytes(digests));
    base::naming(file.path.string(), [&] { require_canonical(digests, at / sizeof(Digest)); });
    sink(digests);
    at += count * sizeof(Digest);
    progress.advance(count * sizeof(Digest));
  }
}

void FileLeaves::read_chunks(const File& file, const std::function<void(std::span<const Digest>)>& sink,
                             base::Progress& progress) const {
  const std::uint64_t step = scheme_.chunk_bytes, chunks = leaves_of(file);
  if (chunks == 0) return;
  const std::uint64_t batch = std::min(std::clamp<std::uint64_t>(kBatchBytes / step, 1, kBatchLeaves), chunks);
  // A task reads and hashes a stretch of chunks, small ones together; leaves are then hashed side by side.
  const std::uint64_t stretch = std::min(std::clamp<std::uint64_t>(kReadBytes / step, 1, kStretchLeaves), batch);
  std::vector<Digest> leaves(batch);
  std::vector<base::Digest> values(scheme_.leaf_rule == LeafRule::sha256 ? batch : 0);
  for (std::uint64_t first = 0; first < chunks; first += batch) {
    const std::uint64_t count = std::min(batch, chunks - first);
    base::parallel_for(0, (count + stretch - 1) / stretch, [&](std::size_t task) {
      const std::uint64_t begin = task * stretch, end = std::min(begin + stretch, count);
      const std::uint64_t from = (first + begin) * step, to = std::min((first + end) * step, file.bytes);
      base::AlignedVector<std::byte> buffer(to - from);
      file.opened.read_all(file.path, from, buffer);
      std::vector<std::span<const std::byte>> pieces;
      for (std::uint64_t i = begin; i < end; ++i)
        pieces.push_back(std::span<const std::byte>(buffer).subspan(
            (i - begin) * step, std::min(step, buffer.size() - (i - begin) * step)));
      if (scheme_.leaf_rule == LeafRule::bytes) {
        leaves_of_bytes(scheme_, pieces, std::span(leaves).subspan(begin, end - begin));
        return;
      }
      for (std::uint64_t i = begin; i < end; ++i) values[i] = base::sha256(pieces[i - begin]);
      leaves_of_sha256(scheme_, std::span(values).subspan(begin, end - begin),
                       std::span(leaves).subspan(begin, end - begin));
    });
    sink(std::span(leaves).first(count));
    progress.advance(std::min((first + count) * step, file.bytes) - first * step);
  }
}

}  // namespace tacit::merkle
