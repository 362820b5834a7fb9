#include "base/aligned.h"

#include <sys/mman.h>

#include <cstdlib>

namespace tacit::base {
namespace {
constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
}  // namespace

void* allocate_aligned(std::size_t bytes) {
  const bool huge = bytes >= kHugePage;
  const std::size_t alignment = huge ? kHugePage : kCacheLine;
  const std::size_t rounded = (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
  void* block = std::aligned_alloc(alignment, rounded == 0 ? kCacheLine : (rounded + alignment - 1) / alignment * alignment);
  if (block == nullptr) throw std::bad_alloc();
  if (huge) madvise(block, rounded, MADV_HUGEPAGE);
  return block;
}

void deallocate_aligned(void* block, std::size_t) noexcept { std::free(block); }

}  // namespace tacit::base
