#include "base/aligned.h"

#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <mutex>

#include "base/kept_spans.h"
#include "base/process_memory.h"

namespace tacit::base {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

// Polynomials come and go, and fresh pages cost as much as a tenth of a key switch: large blocks that were given back
// are kept for the next requests, up to a bound and until memory runs short.
//
// The system's allocator is not asked for them, for what it does with holes depends on the thread: glibc reuses those
// of the main thread's heap, and unmaps those of other threads, in heaps of 64 MiB.
constexpr std::size_t kSmallestKept = std::size_t{256} << 10;
constexpr std::size_t kLiveForKept = 8;  // bytes in use for every byte that is kept
constexpr std::size_t kGranule = std::size_t{64} << 10;

// Rows of many polynomials are read side by side. If all blocks began at the same offset, their rows would share a few
// sets of the caches. The index of a set repeats after 4 KiB in the first cache and after 128 KiB in the second. So
// every large block begins one line further than the one before. Huge ones, whose pages are contiguous, begin one page
// and one line further.
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

struct Kept {
  std::mutex mutex;
  KeptSpans spans;
  std::size_t live = 0;       ///< bytes of large blocks that are in use
  std::size_t most_live = 0;  ///< since the kept ones were last released

  /// What is kept adds no more than kMostKeptBytes to the most that was in use, and not much to what is.
  std::size_t bound() const { return kMostKeptBytes + std::min(most_live - live, live / kLiveForKept); }
  void use(std::size_t size) {
    live += size;
    most_live = std::max(most_live, live);
    spans.trim(bound());
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

/// Fresh memory that is offered for huge pages. Under a hard memory budget the kept spans may be all that is left.
std::uintptr_t map(std::size_t size, KeptSpans& kept) {
  const auto attempt = [size] {
    return mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  };
  void* memory = attempt();
  if (memory == MAP_FAILED) {
    kept.trim(0);
    memory = attempt();
  }
  if (memory == MAP_FAILED) throw std::bad_alloc();
  madvise(memory, size, MADV_HUGEPAGE);
  return reinterpret_cast<std::uintptr_t>(memory);
}

/// The kept spans, locked. They may ask `operator new` for memory, whose handler must not lock them once more.
class LockedKept {
 public:
  LockedKept() : lock_(kept().mutex) { here_ = true; }
  ~LockedKept() { here_ = false; }
  LockedKept(const LockedKept&) = delete;
  LockedKept& operator=(const LockedKept&) = delete;
  Kept* operator->() const { return &kept(); }
  static bool by_this_thread() { return here_; }

 private:
  std::lock_guard<std::mutex> lock_;
  static thread_local bool here_;
};
thread_local bool LockedKept::here_ = false;

}  // namespace

bool give_up_kept_memory() noexcept {
  if (LockedKept::by_this_thread()) return false;
  const LockedKept store;
  const bool any = store->spans.bytes() > 0;
  store->spans.trim(0);
  store->most_live = store->live;
  return any;
}

void release_kept_memory() {
  give_up_kept_memory();
  malloc_trim(0);
}

void* allocate_aligned(std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(-1) - 2 * kHugePage) throw std::bad_alloc();
  const std::size_t size = rounded_size(bytes);
  if (size < kSmallestKept) {
    void* block = std::aligned_alloc(kCacheLine, size);
    if (block == nullptr && give_up_kept_memory()) block = std::aligned_alloc(kCacheLine, size);
    if (block == nullptr) throw std::bad_alloc();
    return block;
  }
  Colours& colours = colours_of(size);
  const std::size_t room = (size + colours.room() + kPage - 1) / kPage * kPage;
  const LockedKept store;
  std::uintptr_t begin = store->spans.take(room);
  if (begin == 0) begin = map(room, store->spans);
  store->use(room);
  return colours.begin(reinterpret_cast<void*>(begin), room);
}

void deallocate_aligned(void* block, std::size_t bytes) noexcept {
  if (block == nullptr || rounded_size(bytes) < kSmallestKept) return std::free(block);
  const Origin origin = origin_of(block);
  const LockedKept store;
  store->live -= origin.size;
  try {
    store->spans.keep(reinterpret_cast<std::uintptr_t>(origin.memory), origin.size);
  } catch (const std::bad_alloc&) {  // no room to remember it: give it back
    munmap(origin.memory, origin.size);
  }
  store->spans.trim(store->bound());
}

}  // namespace tacit::base
