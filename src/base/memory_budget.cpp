#include "base/memory_budget.h"

#include <fmt/format.h>

#include <limits>

#include "base/byte_size.h"

namespace tacit::base {

std::uint64_t MemoryBudget::available() const {
  if (!limited()) return std::numeric_limits<std::uint64_t>::max();
  return bytes > reserved ? bytes - reserved : 0;
}

std::string MemoryBudget::shortfall(const std::string& needs, double work_bytes) const {
  const double whole = work_bytes + static_cast<double>(reserved);
  const std::string beside =
      reserved > 0 ? fmt::format(", the program itself {}", byte_size_text(static_cast<double>(reserved))) : "";
  // Rounded up to what the text shows, so that the advice is enough.
  const double advice = whole * 1.05;
  return fmt::format(
      "{} {}{}, and the memory budget is {}; allow {} (--memory), or use fewer --threads or a "
      "shallower network",
      needs, byte_size_text(work_bytes), beside, byte_size_text(static_cast<double>(bytes)), byte_size_text(advice));
}

}  // namespace tacit::base
