#include "bench/machine.h"

#include <fmt/format.h>

#include <fstream>

#include "base/cpu.h"
#include "bench/measurement.h"
#include "session/sentence.h"

namespace tacit::bench {
namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const std::size_t name = line.find_first_not_of(": \t", 10); name != std::string::npos)
        return session::one_line(line.substr(name)).substr(0, 100);
  return "unknown processor";
}

}  // namespace

std::string machine_name() {
  return fmt::format("{}, {}, {:.2f} GHz", processor_name(), base::isa_name(base::active_isa()),
                     measured_clock_hertz() / 1e9);
}

}  // namespace tacit::bench
