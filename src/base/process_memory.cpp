#include "base/process_memory.h"

#include <sys/resource.h>

#include <fstream>
#include <new>
#include <string_view>
#include <system_error>

#include "base/machine_memory.h"

namespace tacit::base {
namespace {
std::uint64_t status_bytes(std::string_view key) { return keyed_number("/proc/self/status", key).value_or(0) * 1024; }
}  // namespace

std::uint64_t peak_resident_bytes() { return status_bytes("VmHWM:"); }
void restart_peak_resident_bytes() { std::ofstream("/proc/self/clear_refs") << "5"; }
std::uint64_t resident_bytes() { return status_bytes("VmRSS:"); }

std::optional<std::uint64_t> bytes_below_data_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  const std::uint64_t used = status_bytes("VmData:");
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

bool is_want_of_memory(const std::exception& error) noexcept {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return true;
  // The standard library adds nothing to what the system says of a thread. Others do of what they try again.
  const auto* const of_system = dynamic_cast<const std::system_error*>(&error);
  if (of_system != nullptr)
    return of_system->code() == std::errc::resource_unavailable_try_again &&
           of_system->code().message() == of_system->what();
  return std::string_view(error.what()).starts_with("pthread_create has failed");  // oneTBB
}

}  // namespace tacit::base
