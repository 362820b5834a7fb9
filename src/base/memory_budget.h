#pragma once

#include <cstdint>
#include <string>

namespace tacit::base {

/// A bound on the memory of a process for work whose need is known beforehand: keys, weights and ciphertexts.
struct MemoryBudget {
  /// Where a bound comes from.
  enum class Source {
    asked,    ///< somebody named it
    machine,  ///< what the machine has: what is planned by it does not depend on the moment
    free,     ///< what is free at the moment
  };

  std::uint64_t bytes = 0;     ///< of the whole process; 0 = no bound
  std::uint64_t reserved = 0;  ///< not to be had for the work: what the process holds besides, and its tables
  Source source = Source::asked;

  /// Of `bytes`, with what the process holds now and room for tables reserved.
  static MemoryBudget of(std::uint64_t bytes);
  /// What this machine, or the container that the process is in, has; what it has free now. No bound where the system
  /// does not tell.
  static MemoryBudget of_machine();
  static MemoryBudget of_free_memory();

  /// The same where so much of what the work will count is in memory already, and so among what the process holds.
  MemoryBudget with_held(std::uint64_t held) const;

  bool limited() const { return bytes > 0; }
  /// What the work may take: at most 2^64 - 1, where nothing bounds it.
  std::uint64_t available() const;
  /// Throws InputError with `shortfall` unless less than what is available is needed.
  void require(const std::string& needs, double work_bytes) const;
  /// A sentence for work that does not fit: `needs` of the form "the keys of 'm' need", the bytes that this takes,
  /// the budget, and what to do.
  std::string shortfall(const std::string& needs, double work_bytes) const;
};

}  // namespace tacit::base
