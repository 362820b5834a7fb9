#include "base/aligned.h"

#include <malloc.h>
#include <sys/mman.h>

#include <cstdlib>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/process_memory.h"

namespace tacit::base {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

// Polynomials come and go in a few sizes, and fresh pages cost as much as a tenth of a key switch: large blocks that
// were given back are kept for the next request of their size, up to a bound and until memory runs short.
constexpr std::size_t kSmallestKept = std::size_t{256} << 10;
constexpr std::size_t kGranule = std::size_t{64} << 10;

struct Kept {
  std::mutex mutex;
  std::unordered_map<std::size_t, std::vector<void*>> blocks;
  std::size_t bytes = 0;
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
  for (const auto& [size, blocks] : store.blocks)
    for (void* block : blocks) std::free(block);
  store.blocks.clear();
  store.bytes = 0;
}

}  // namespace

void release_kept_memory() {
  release_kept();
  malloc_trim(0);
}

void* allocate_aligned(std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(-1) - kHugePage) throw std::bad_alloc();
  const std::size_t size = rounded_size(bytes);
  if (size >= kSmallestKept) {
    Kept& store = kept();
    const std::lock_guard lock(store.mutex);
    if (const auto it = store.blocks.find(size); it != store.blocks.end() && !it->second.empty()) {
      void* block = it->second.back();
      it->second.pop_back();
      store.bytes -= size;
      return block;
    }
  }
  const bool huge = size >= kHugePage;
  void* block = nullptr;
  const std::size_t alignment = huge ? kHugePage : kCacheLine;
  if (posix_memalign(&block, alignment, size) != 0) {
    // Under a hard memory budget the kept blocks may be all that is left.
    release_kept();
    if (posix_memalign(&block, alignment, size) != 0) throw std::bad_alloc();
  }
  if (huge) madvise(block, size, MADV_HUGEPAGE);
  return block;
}

void deallocate_aligned(void* block, std::size_t bytes) noexcept {
  const std::size_t size = rounded_size(bytes);
  if (block != nullptr && size >= kSmallestKept) {
    try {
      Kept& store = kept();
      const std::lock_guard lock(store.mutex);
      if (store.bytes + size <= kMostKeptBytes) {
        store.blocks[size].push_back(block);
        store.bytes += size;
        return;
      }
    } catch (const std::bad_alloc&) {
      // No room to remember it: give it back.
    }
  }
  std::free(block);
}

}  // namespace tacit::base
