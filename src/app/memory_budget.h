#pragma once

#include <cstdint>

namespace tacit::app {

/// Makes a memory budget hard: the operating system refuses this process more than `bytes` of writable memory. An
/// allocation beyond it ends as std::bad_alloc. Throws InputError if the process already holds more.
void enforce_memory_budget(std::uint64_t bytes);
/// Returns the budget in force, or 0.
std::uint64_t enforced_memory_budget();

}  // namespace tacit::app
