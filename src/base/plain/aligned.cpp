#include "base/aligned.h"

#include <cstdlib>

#include "base/process_memory.h"

// The allocator of the C library keeps what was given back. Nothing is kept here.
namespace tacit::base {
namespace {
constexpr std::size_t kCacheLine = 64;
}

bool give_up_kept_memory() noexcept { return false; }
void release_kept_memory() {}

void* allocate_aligned(std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(-1) - kCacheLine) throw std::bad_alloc();
  const std::size_t size = bytes == 0 ? kCacheLine : (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
  void* const block = std::aligned_alloc(kCacheLine, size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

void deallocate_aligned(void* block, std::size_t) noexcept { std::free(block); }

}  // namespace tacit::base
