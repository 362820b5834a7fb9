#include "session/owner/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "base/cpu.h"
#include "session/owner/measurement.h"
#include "session/sentence.h"

namespace tacit::session {
namespace {

/// What the system says of the first processor under this name; empty where it says nothing.
std::string processor_field(std::string_view name) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (const std::size_t end = line.find_first_of(":\t"); std::string_view(line).substr(0, end) == name)
      if (const std::size_t value = line.find_first_not_of(": \t", name.size()); value != std::string::npos)
        return one_line(line.substr(value));
  return {};
}

}  // namespace

std::string machine_name() {
  const std::string processor = processor_field("model name");
  return fmt::format("{}, {}, {:.2f} GHz", processor.empty() ? "unknown processor" : processor,
                     base::isa_name(base::active_isa()), measured_clock_hertz() / 1e9);
}

std::string machine_kind() {
  std::string kind(base::isa_name(base::active_isa()));
  for (const char* field :
       {"vendor_id", "model name", "cpu family", "model", "stepping", "CPU implementer", "CPU part"})
    kind += fmt::format(", {} {}", field, processor_field(field));
  return kind;
}

double largest_cache_mib() {
  double largest = 0;
  for (int index = 0; index < 16; ++index) {
    std::ifstream file(fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/size", index));
    double size = 0;
    char unit = 0;
    if (!(file >> size >> unit)) continue;
    largest = std::max(largest, unit == 'K' ? size / 1024 : unit == 'M' ? size : unit == 'G' ? size * 1024 : 0);
  }
  return largest;
}

}  // namespace tacit::session
