#include "base/secret_memory.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/random.h"

namespace tacit::base {
namespace {

/// Whole pages, of which there is at least one.
std::size_t pages(std::size_t bytes) {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes == 0 ? page : (bytes + page - 1) / page * page;
}

}  // namespace

void* allocate_secret(std::size_t bytes) {
  const std::size_t size = pages(bytes);
  if (size < bytes) throw std::bad_alloc();
  void* const block = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) throw std::bad_alloc();
  madvise(block, size, MADV_DONTDUMP);
  mlock(block, size);
  return block;
}

void deallocate_secret(void* block, std::size_t bytes) noexcept {
  if (block == nullptr) return;
  zeroise(block, bytes);
  munmap(block, pages(bytes));  // unlocks
}

void forbid_core_dumps() noexcept {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

}  // namespace tacit::base
