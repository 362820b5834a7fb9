#pragma once

#include <cstdint>
#include <string>

namespace tacit::base {

/// A bound on the memory of a process. It is for work of known need: keys, weights and ciphertexts.
struct MemoryBudget {
  /// The origin of a bound.
  enum class Source {
    asked,    ///< the user named it
    machine,  ///< the machine has it: a plan for it does not depend on the moment
    free,     ///< it is free at the moment
  };

  std::uint64_t bytes = 0;     ///< bound on the whole process; 0 = no bound
  std::uint64_t reserved = 0;  ///< not available to the work: other memory of the process, and its tables
  Source source = Source::asked;

  /// Returns a budget of `bytes`. It reserves the resident memory of the process and room for tables.
  static MemoryBudget of(std::uint64_t bytes);
  /// Returns a budget of the memory that this machine, or the container of the process, has in all or has free. The
  /// budget has no bound if the system does not say.
  static MemoryBudget of_machine();
  static MemoryBudget of_free_memory();

  /// Returns this budget for work of which `held` bytes are already in memory, and thus in `reserved`.
  MemoryBudget with_held(std::uint64_t held) const;

  bool limited() const { return bytes > 0; }
  /// Returns the bytes that the work may take: 2^64 - 1 without a bound.
  std::uint64_t available() const;
  /// Throws InputError with `shortfall` unless the work needs less than the available bytes.
  void require(const std::string& needs, double work_bytes) const;
  /// Returns a sentence for work that does not fit. It names the bytes, the budget and what to do. `needs` has the form
  /// "the keys of 'm' need".
  std::string shortfall(const std::string& needs, double work_bytes) const;
};

}  // namespace tacit::base
