#include "base/memory_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/byte_size.h"
#include "base/error.h"
#include "base/machine_memory.h"
#include "base/process_memory.h"

namespace tacit::base {
namespace {

/// Kept free of a budget for precomputed tables, buffers and blocks between uses, which no plan lists: at least this,
/// or this share. A 25th was too little for ResNet-20 (docs/bench.md).
constexpr std::uint64_t kTableBytes = std::uint64_t{32} << 20;
constexpr std::uint64_t kTableShare = 16;

std::uint64_t for_tables(std::uint64_t bytes) { return std::max(kTableBytes, bytes / kTableShare); }

/// Half of the last digit that a text shows of so many bytes: what rounding may take away.
double lost_by_rounding(double bytes) {
  double unit = 1;
  while (bytes >= 1024 * unit) unit *= 1024;
  return bytes < 100 * unit ? unit / 20 : unit / 2;
}

}  // namespace

MemoryBudget MemoryBudget::of(std::uint64_t bytes) { return {bytes, resident_bytes() + for_tables(bytes)}; }

MemoryBudget MemoryBudget::of_machine() {
  const std::uint64_t total = machine_memory().total;
  if (total == 0) return {};
  return {total, for_tables(total), Source::machine};
}

MemoryBudget MemoryBudget::of_free_memory() {
  const MachineMemory memory = machine_memory();
  if (memory.total == 0) return {};
  MemoryBudget budget = of(resident_bytes() + memory.free);
  budget.source = Source::free;
  return budget;
}

MemoryBudget MemoryBudget::with_held(std::uint64_t held) const {
  return {bytes, reserved - std::min(reserved, held), source};
}

std::uint64_t MemoryBudget::available() const {
  if (!limited()) return std::numeric_limits<std::uint64_t>::max();
  return bytes > reserved ? bytes - reserved : 0;
}

void MemoryBudget::require(const std::string& needs, double work_bytes) const {
  if (work_bytes >= static_cast<double>(available())) throw InputError(shortfall(needs, work_bytes));
}

std::string MemoryBudget::shortfall(const std::string& needs, double work_bytes) const {
  const double whole = work_bytes + static_cast<double>(reserved);
  const std::string beside =
      reserved > 0 ? fmt::format(", the program itself {}", byte_size_text(static_cast<double>(reserved))) : "";
  // With the share for tables of itself, and rounded up, so that the advice is enough.
  const double enough = whole * kTableShare / (kTableShare - 1);
  const std::string advice = byte_size_text(enough + lost_by_rounding(enough)),
                    has = byte_size_text(static_cast<double>(bytes));
  const std::string bound = [&] {
    switch (source) {
      case Source::asked: break;
      case Source::machine:
        return fmt::format("this machine has {}; if another one will compute, allow what it has, {} (--memory)", has,
                           advice);
      case Source::free:
        return fmt::format(
            "{} are free on this machine, the program's own included; free some, or allow {} in spite of it (--memory)",
            has, advice);
    }
    return fmt::format("the memory budget is {}; allow {} (--memory)", has, advice);
  }();
  return fmt::format("{} {}{}, and {}, or use fewer --threads or a shallower network", needs,
                     byte_size_text(work_bytes), beside, bound);
}

}  // namespace tacit::base
