#include "app/memory_budget.h"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>

#include "base/byte_size.h"
#include "base/error.h"
#include "base/process_memory.h"

namespace tacit::app {
namespace {

/// The last of a budget is for small requests alone. A destructor that asks for memory and gets none ends the process
/// (those of nlohmann::json do), and so does an exception that cannot be thrown.
constexpr std::uint64_t kReserveBytes = 4 << 20;
constexpr std::size_t kSmallRequest = 4 << 10;
constexpr std::size_t kRequestWhileUnwinding = 256 << 10;

std::atomic<std::uint64_t> budget{0};
std::mutex reserve;  // whoever takes of it

bool limit_data(std::uint64_t bytes) noexcept {
  // RLIMIT_DATA counts private writable pages only, not the address space that allocators reserve.
  rlimit limit{};
  getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_cur = limit.rlim_max == RLIM_INFINITY ? bytes : std::min<rlim_t>(bytes, limit.rlim_max);
  return setrlimit(RLIMIT_DATA, &limit) == 0;
}

std::uint64_t for_all_requests(std::uint64_t bytes) { return bytes - std::min(bytes / 2, kReserveBytes); }

/// Null where there is no budget, where the request is not small, and where the reserve is used up.
void* from_reserve(std::size_t bytes) noexcept {
  const std::uint64_t whole = budget;
  if (whole == 0 || bytes > (std::uncaught_exceptions() > 0 ? kRequestWhileUnwinding : kSmallRequest)) return nullptr;
  const std::lock_guard lock(reserve);
  limit_data(whole);
  void* const memory = std::malloc(bytes);
  limit_data(for_all_requests(whole));
  return memory;
}

}  // namespace

void enforce_memory_budget(std::uint64_t bytes) {
  const std::uint64_t held = base::resident_bytes();
  if (bytes <= held)
    base::refuse("--memory {} is below the {} that the command holds before any work; allow more",
                 base::byte_size_text(static_cast<double>(bytes)), base::byte_size_text(static_cast<double>(held)));
  if (!limit_data(for_all_requests(bytes))) throw base::InternalError("the operating system refused the memory budget");
  budget = bytes;
  std::set_new_handler([] {
    if (!base::give_up_kept_memory()) throw std::bad_alloc();
  });
}

std::uint64_t enforced_memory_budget() { return budget; }

}  // namespace tacit::app

// Sanitizers bring their own.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/// As the standard library's, and gives small requests of the reserve where nothing else is left.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  bytes = std::max<std::size_t>(bytes, 1);
  for (;;) {
    if (void* const memory = std::malloc(bytes)) return memory;
    if (void* const memory = tacit::app::from_reserve(bytes)) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif
