#include "base/process_memory.h"

#include <sys/resource.h>

#include <fstream>
#include <sstream>
#include <string>

namespace tacit::base {
namespace {
std::uint64_t status_kib(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind(key, 0) == 0) {
      std::istringstream fields(line.substr(key.size()));
      std::uint64_t kib = 0;
      fields >> kib;
      return kib * 1024;
    }
  return 0;
}
}  // namespace

std::uint64_t peak_resident_bytes() { return status_kib("VmHWM:"); }
void restart_peak_resident_bytes() { std::ofstream("/proc/self/clear_refs") << "5"; }
std::uint64_t resident_bytes() { return status_kib("VmRSS:"); }

std::optional<std::uint64_t> bytes_below_data_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  const std::uint64_t used = status_kib("VmData:");
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

}  // namespace tacit::base
