#include "base/secret_memory.h"

#include "base/aligned.h"
#include "base/random.h"

// WebAssembly cannot lock pages or forbid dumps: secrets are in the heap, and are wiped.
namespace tacit::base {

void* allocate_secret(std::size_t bytes) { return allocate_aligned(bytes); }

void deallocate_secret(void* block, std::size_t bytes) noexcept {
  if (block == nullptr) return;
  zeroise(block, bytes);
  deallocate_aligned(block, bytes);
}

void forbid_core_dumps() noexcept {}

}  // namespace tacit::base
