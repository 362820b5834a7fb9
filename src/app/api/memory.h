#pragma once

#include <cstdint>

#include "base/memory_budget.h"

namespace tacit::app::api {

/// The memory that a caller allows for keys, weights and values. 0: all memory of the machine, so that a compilation
/// does not depend on the moment.
inline base::MemoryBudget planning_budget(std::uint64_t bytes) {
  return bytes > 0 ? base::MemoryBudget{bytes, 0} : base::MemoryBudget::of_machine();
}

/// The memory that a caller allows for work. 0: the free memory of the machine.
inline base::MemoryBudget work_budget(std::uint64_t bytes) {
  return bytes > 0 ? base::MemoryBudget{bytes, 0} : base::MemoryBudget::of_free_memory();
}

}  // namespace tacit::app::api
