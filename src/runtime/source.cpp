#include "runtime/source.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <vector>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/wipe.h"

namespace tacit::runtime {

struct Source::Bytes {
  std::string name;
  std::filesystem::path file{};

  explicit Bytes(std::string called) : name(std::move(called)) {}
  virtual ~Bytes() = default;
  virtual std::uint64_t size() const = 0;
  virtual void read(std::uint64_t offset, std::span<std::byte> out) const = 0;
};

namespace {

struct FileBytes final : Source::Bytes {
  explicit FileBytes(std::filesystem::path path) : Bytes(path.string()) { file = std::move(path); }

  std::uint64_t size() const override { return opened().size(); }
  void read(std::uint64_t offset, std::span<std::byte> out) const override { opened().read_all(file, offset, out); }

 private:
  const base::FileDescriptor& opened() const {
    const std::lock_guard lock(mutex_);
    if (descriptor_.is_open()) return descriptor_;
    base::FileDescriptor found(file, O_RDONLY | O_NONBLOCK);  // a pipe is refused below, not waited for
    if (!found.is_open()) base::refuse("{}: cannot open the file: {}", name, std::strerror(errno));
    if (!found.is_regular()) base::refuse("{}: this is not a file", name);
    descriptor_ = std::move(found);
    return descriptor_;
  }

  mutable std::mutex mutex_;
  mutable base::FileDescriptor descriptor_;
};

/// Bytes in blocks of equal size. The last one may have fewer.
struct BlockBytes final : Source::Bytes {
  static constexpr std::size_t kBlock = std::size_t{1} << 20;

  explicit BlockBytes(std::string called) : Bytes(std::move(called)) {}
  ~BlockBytes() override { base::wipe(blocks); }

  std::uint64_t size() const override { return filled; }
  void read(std::uint64_t offset, std::span<std::byte> out) const override {
    if (offset > filled || out.size() > filled - offset) base::refuse("{}: it ends too early", name);
    while (!out.empty()) {
      const std::vector<std::byte>& block = blocks[offset / kBlock];
      const std::size_t from = offset % kBlock, count = std::min(out.size(), block.size() - from);
      std::memcpy(out.data(), block.data() + from, count);
      out = out.subspan(count);
      offset += count;
    }
  }
  /// Returns room for some of the `left` bytes that may follow, of which there is at least one.
  std::span<std::byte> room(std::uint64_t left) {
    if (filled == blocks.size() * kBlock)
      blocks.emplace_back(static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, left)));
    return std::span(blocks.back()).subspan(filled % kBlock);
  }

  std::vector<std::vector<std::byte>> blocks;
  std::uint64_t filled = 0;
};

struct MemoryBytes final : Source::Bytes {
  MemoryBytes(std::span<const std::byte> given, std::string called, std::shared_ptr<const void> owned_by)
      : Bytes(std::move(called)), bytes(given), owner(std::move(owned_by)) {}

  std::uint64_t size() const override { return bytes.size(); }
  void read(std::uint64_t offset, std::span<std::byte> out) const override {
    if (offset > bytes.size() || out.size() > bytes.size() - offset) base::refuse("{}: it ends too early", name);
    std::ranges::copy(bytes.subspan(offset, out.size()), out.begin());
  }

  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

}  // namespace

std::shared_ptr<const Source::Bytes> Source::of_file(std::filesystem::path path) {
  return std::make_shared<const FileBytes>(std::move(path));
}

Source Source::memory(std::span<const std::byte> bytes, std::string name, std::shared_ptr<const void> owner) {
  return Source(std::make_shared<const MemoryBytes>(bytes, std::move(name), std::move(owner)));
}

Source Source::stream(const NextBytes& next, const StreamBound& bound, std::string name) {
  const auto bytes = std::make_shared<BlockBytes>(std::move(name));
  const std::string& called = bytes->name;
  if (bound.bytes && *bound.bytes > bound.most_bytes)
    base::refuse("{}: it says that it has {} bytes, and at most {} are accepted; raise the bound if this is right",
                 called, *bound.bytes, bound.most_bytes);
  const std::uint64_t most = bound.bytes.value_or(bound.most_bytes);
  int idle = 0;
  while (true) {
    // After the last byte that is accepted, one byte of room shows whether the stream ends there.
    std::byte beyond{};
    const bool full = bytes->filled == most;
    const std::span<std::byte> room = full ? std::span(&beyond, 1) : bytes->room(most - bytes->filled);
    const std::optional<std::size_t> count = next(room);
    if (!count) break;
    if (*count > room.size())
      base::refuse("{}: it gave {} bytes where {} were asked for; correct the callback", called, *count, room.size());
    idle = *count == 0 ? idle + 1 : 0;
    if (idle == kMostIdleCalls)
      base::refuse("{}: after {} bytes it gave none {} times in a row; send it again", called, bytes->filled, idle);
    if (full && *count > 0 && bound.bytes)
      base::refuse("{}: it says that it has {} bytes, and has more; send it again", called, most);
    if (full && *count > 0)
      base::refuse("{}: it has more than the {} bytes that are accepted; raise the bound if this is right", called,
                   most);
    bytes->filled += *count;
  }
  if (bound.bytes && bytes->filled != *bound.bytes)
    base::refuse("{}: it ended after {} of {} bytes; send it again", called, bytes->filled, *bound.bytes);
  return Source(std::shared_ptr<const Bytes>(bytes));
}

Source::operator bool() const { return dynamic_cast<const FileBytes*>(bytes_.get()) == nullptr || !file().empty(); }
const std::string& Source::name() const { return bytes_->name; }
const std::filesystem::path& Source::file() const { return bytes_->file; }
std::uint64_t Source::size() const { return bytes_->size(); }
void Source::read(std::uint64_t offset, std::span<std::byte> out) const { bytes_->read(offset, out); }

}  // namespace tacit::runtime
