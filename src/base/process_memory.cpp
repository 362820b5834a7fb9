#include "base/process_memory.h"

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

}  // namespace tacit::base
