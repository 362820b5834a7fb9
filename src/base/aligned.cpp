#include "base/aligned.h"

#include <malloc.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <list>
#include <map>
#include <mutex>

#include "base/process_memory.h"

namespace tacit::base {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

// Polynomials come and go, and fresh pages cost as much as a tenth of a key switch: large blocks that were given back
// are kept for the next request of about their size, up to a bound and until memory runs short. Past the bound those
// that have waited longest go: sizes that are not asked for any more.
constexpr std::size_t kSmallestKept = std::size_t{256} << 10;
constexpr std::size_t kGranule = std::size_t{64} << 10;

// Rows of many polynomials are read side by side. If all blocks began at the same offset, their rows would share a few
// sets of the caches. The index of a set repeats after 4 KiB in the first cache and after 128 KiB in the second. So
// large blocks begin one line further each. Huge ones, whose pages are contiguous, begin one page and one line further.
constexpr std::size_t kPage = std::size_t{4} << 10;
class Colours {
 public:
  constexpr Colours(std::size_t alignment, std::size_t count, std::size_t bytes)
      : alignment_(alignment), count_(count), bytes_(bytes) {}
  std::size_t alignment() const { return alignment_; }
  /// More than a block that is asked for.
  constexpr std::size_t room() const { return count_ * bytes_; }
  /// Where the next block begins in memory of this size. The line before the first offset keeps the size.
  void* begin(void* memory, std::size_t size) {
    *static_cast<std::size_t*>(memory) = size;
    return static_cast<char*>(memory) + (1 + next_.fetch_add(1, std::memory_order_relaxed) % (count_ - 1)) * bytes_;
  }
  /// The memory that a block lies in, and its size.
  void* memory(void* block) const {
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(block) / alignment_ * alignment_);
  }
  static std::size_t size(const void* memory) { return *static_cast<const std::size_t*>(memory); }

 private:
  std::size_t alignment_, count_, bytes_;
  std::atomic<std::size_t> next_ = 0;
};

Colours& colours_of(std::size_t size) {
  constexpr std::size_t kLines = kPage / kCacheLine, kPages = 32;
  static Colours large(kPage, kLines, kCacheLine), huge(kHugePage, kPages, kPage + kCacheLine);
  return size >= kHugePage ? huge : large;
}

struct Kept {
  std::mutex mutex;
  struct Block {
    void* block;
    std::size_t size;
  };
  std::list<Block> blocks;  ///< in the order in which they were given back
  std::multimap<std::size_t, std::list<Block>::iterator> by_size;
  std::size_t bytes = 0;

  /// Memory of this size, or up to an eighth more; or null. Less than a huge page is not taken out of one, as their
  /// alignments differ.
  void* take(std::size_t size) {
    const std::size_t least_huge = kHugePage + colours_of(kHugePage).room();
    const auto it = by_size.lower_bound(size);
    if (it == by_size.end() || it->first > size + size / 8) return nullptr;
    if (size < least_huge && it->first >= least_huge) return nullptr;
    void* block = it->second->block;
    bytes -= it->first;
    blocks.erase(it->second);
    by_size.erase(it);
    return block;
  }
  /// Memory of this size; the allocator may have given more to align it.
  void keep(void* block, std::size_t size) {
    blocks.push_back({block, size});
    try {
      by_size.emplace(size, std::prev(blocks.end()));
    } catch (...) {
      blocks.pop_back();
      throw;
    }
    bytes += size;
    while (bytes > kMostKeptBytes) free_longest_kept();
  }
  void free_longest_kept() {
    const auto oldest = blocks.begin();
    auto it = by_size.lower_bound(oldest->size);
    while (it->second != oldest) ++it;
    by_size.erase(it);
    bytes -= oldest->size;
    std::free(oldest->block);
    blocks.pop_front();
  }
};

// Never destroyed: objects with static lifetime may give blocks back after it would have been.
Kept& kept() {
  static Kept* const instance = new Kept;
  return *instance;
}

std::size_t rounded_size(std::size_t bytes) {
  const std::size_t unit = bytes >= kSmallestKept ? kGranule : kCacheLine;
  return bytes == 0 ? kCacheLine : (bytes + unit - 1) / unit * unit;
}

void release_kept() {
  Kept& store = kept();
  const std::lock_guard lock(store.mutex);
  while (!store.blocks.empty()) store.free_longest_kept();
}

}  // namespace

void release_kept_memory() {
  release_kept();
  malloc_trim(0);
}

void* allocate_aligned(std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(-1) - 2 * kHugePage) throw std::bad_alloc();
  const std::size_t size = rounded_size(bytes);
  const bool large = size >= kSmallestKept;
  Colours& colours = colours_of(size);
  const std::size_t room = large ? size + colours.room() : size;
  if (large) {
    Kept& store = kept();
    const std::lock_guard lock(store.mutex);
    if (void* memory = store.take(room); memory != nullptr) return colours.begin(memory, Colours::size(memory));
  }
  void* memory = nullptr;
  const std::size_t alignment = large ? colours.alignment() : kCacheLine;
  if (posix_memalign(&memory, alignment, room) != 0) {
    // Under a hard memory budget the kept blocks may be all that is left.
    release_kept();
    if (posix_memalign(&memory, alignment, room) != 0) throw std::bad_alloc();
  }
  if (size >= kHugePage) madvise(memory, room, MADV_HUGEPAGE);
  return large ? colours.begin(memory, room) : memory;
}

void deallocate_aligned(void* block, std::size_t bytes) noexcept {
  const std::size_t size = rounded_size(bytes);
  if (block == nullptr || size < kSmallestKept) return std::free(block);
  void* const memory = colours_of(size).memory(block);
  if (size <= kMostKeptBytes) {
    try {
      Kept& store = kept();
      const std::lock_guard lock(store.mutex);
      return store.keep(memory, Colours::size(memory));
    } catch (const std::bad_alloc&) {
      // No room to remember it: give it back.
    }
  }
  std::free(memory);
}

}  // namespace tacit::base
