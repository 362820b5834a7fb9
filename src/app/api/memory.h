#pragma once

#include <cstdint>

#include "base/memory_budget.h"

namespace tacit::app::api {

/// What a caller allows for keys, weights and values; 0: what the machine has, so that what is compiled does not depend
/// on the moment.
inline base::MemoryBudget planning_budget(std::uint64_t bytes) {
  return bytes > 0 ? base::MemoryBudget{bytes, 0} : base::MemoryBudget::of_machine();
}

/// The same for work; 0: what the machine has free now.
inline base::MemoryBudget work_budget(std::uint64_t bytes) {
  return bytes > 0 ? base::MemoryBudget{bytes, 0} : base::MemoryBudget::of_free_memory();
}

}  // namespace tacit::app::api
