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
// every large block begins one line further than the one before. Huge ones, whose pages are contiguous, begin one page
// and one line further.
//
// The offset is counted from multiples of 4 or 128 KiB, wherever the memory lies: the system's allocator is asked for
// no alignment. It reuses a hole for an aligned block only where the hole is larger by the alignment (glibc), so that
// what one instruction gave back would not serve the next.
constexpr std::size_t kPage = std::size_t{4} << 10;
struct Origin {
  void* memory;
  std::size_t size;
};
class Colours {
 public:
  constexpr Colours(std::size_t cycle, std::size_t step) : cycle_(cycle), step_(step) {}
  /// More than a block that is asked for.
  constexpr std::size_t room() const { return cycle_ + kCacheLine; }
  /// Where the next block begins in memory of this size. The line before it says where that memory is.
  void* begin(void* memory, std::size_t size) {
    const std::uintptr_t least = reinterpret_cast<std::uintptr_t>(memory) + sizeof(Origin);
    const std::uintptr_t offset = next_.fetch_add(1, std::memory_order_relaxed) * step_ % cycle_;
    const std::uintptr_t start = least + (offset + cycle_ - least % cycle_) % cycle_;
    void* const block = reinterpret_cast<void*>(start);
    static_cast<Origin*>(block)[-1] = {memory, size};
    return block;
  }

 private:
  std::size_t cycle_, step_;
  std::atomic<std::size_t> next_ = 0;
};

Colours& colours_of(std::size_t size) {
  static Colours large(kPage, kCacheLine), huge(32 * kPage, kPage + kCacheLine);
  return size >= kHugePage ? huge : large;
}

Origin origin_of(void* block) { return static_cast<const Origin*>(block)[-1]; }

/// Lets the kernel use huge pages for the whole pages of a range.
void offer_for_huge_pages(void* memory, std::size_t size) {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory), end = begin + size;
  const std::uintptr_t first = (begin + kPage - 1) / kPage * kPage;
  madvise(reinterpret_cast<void*>(first), (end - first) / kPage * kPage, MADV_HUGEPAGE);
}

struct Kept {
  std::mutex mutex;
  std::list<Origin> blocks;  ///< in the order in which they were given back
  std::multimap<std::size_t, std::list<Origin>::iterator> by_size;
  std::size_t bytes = 0;

  /// Memory of this size, or up to an eighth more; or none.
  Origin take(std::size_t size) {
    const auto it = by_size.lower_bound(size);
    if (it == by_size.end() || it->first > size + size / 8) return {nullptr, 0};
    const Origin taken = *it->second;
    bytes -= taken.size;
    blocks.erase(it->second);
    by_size.erase(it);
    return taken;
  }
  void keep(const Origin& returned) {
    blocks.push_back(returned);
    try {
      by_size.emplace(returned.size, std::prev(blocks.end()));
    } catch (...) {
      blocks.pop_back();
      throw;
    }
    bytes += returned.size;
    while (bytes > kMostKeptBytes) free_longest_kept();
  }
  void free_longest_kept() {
    const auto oldest = blocks.begin();
    auto it = by_size.lower_bound(oldest->size);
    while (it->second != oldest) ++it;
    by_size.erase(it);
    bytes -= oldest->size;
    std::free(oldest->memory);
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
  if (size < kSmallestKept) {
    void* const block = std::aligned_alloc(kCacheLine, size);
    if (block == nullptr) throw std::bad_alloc();
    return block;
  }
  Colours& colours = colours_of(size);
  const std::size_t room = size + colours.room();
  {
    Kept& store = kept();
    const std::lock_guard lock(store.mutex);
    if (const Origin taken = store.take(room); taken.memory != nullptr) return colours.begin(taken.memory, taken.size);
  }
  void* memory = std::malloc(room);
  if (memory == nullptr) {
    // Under a hard memory budget the kept blocks may be all that is left.
    release_kept();
    memory = std::malloc(room);
  }
  if (memory == nullptr) throw std::bad_alloc();
  if (size >= kHugePage) offer_for_huge_pages(memory, room);
  return colours.begin(memory, room);
}

void deallocate_aligned(void* block, std::size_t bytes) noexcept {
  const std::size_t size = rounded_size(bytes);
  if (block == nullptr || size < kSmallestKept) return std::free(block);
  const Origin origin = origin_of(block);
  if (size <= kMostKeptBytes) {
    try {
      Kept& store = kept();
      const std::lock_guard lock(store.mutex);
      return store.keep(origin);
    } catch (const std::bad_alloc&) {
      // No room to remember it: give it back.
    }
  }
  std::free(origin.memory);
}

}  // namespace tacit::base
