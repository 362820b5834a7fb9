#pragma once

#include <cstdint>
#include <string>

namespace tacit::base {

/// A bound on the memory of a process for work whose need is known beforehand: keys, weights and ciphertexts.
struct MemoryBudget {
  std::uint64_t bytes = 0;     ///< of the whole process; 0 = no bound
  std::uint64_t reserved = 0;  ///< not to be had for the work: what the process holds besides, and its tables

  bool limited() const { return bytes > 0; }
  /// What the work may take: at most 2^64 - 1, where nothing bounds it.
  std::uint64_t available() const;
  /// A sentence for work that does not fit: `needs` of the form "the keys of 'm' need", the bytes that this takes,
  /// the budget, and what to do.
  std::string shortfall(const std::string& needs, double work_bytes) const;
};

}  // namespace tacit::base
