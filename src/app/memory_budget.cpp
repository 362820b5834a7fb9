#include "app/memory_budget.h"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <new>

#include "base/byte_size.h"
#include "base/error.h"
#include "base/process_memory.h"

namespace tacit::app {
namespace {
std::atomic<std::uint64_t> budget{0};
}  // namespace

void enforce_memory_budget(std::uint64_t bytes) {
  const std::uint64_t held = base::resident_bytes();
  if (bytes <= held)
    base::refuse("--memory {} is below the {} that the command holds before any work; allow more",
                 base::byte_size_text(static_cast<double>(bytes)), base::byte_size_text(static_cast<double>(held)));
  // RLIMIT_DATA counts private writable pages only, not the address space that allocators reserve.
  rlimit limit{};
  getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_cur = limit.rlim_max == RLIM_INFINITY ? bytes : std::min<rlim_t>(bytes, limit.rlim_max);
  if (setrlimit(RLIMIT_DATA, &limit) != 0) throw base::InternalError("the operating system refused the memory budget");
  budget = bytes;
  std::set_new_handler([] {
    if (!base::give_up_kept_memory()) throw std::bad_alloc();
  });
}

std::uint64_t enforced_memory_budget() { return budget; }

}  // namespace tacit::app
