#pragma once

#include <cstdint>

#include "base/memory_budget.h"
#include "base/progress.h"

namespace tacit::runtime {

class Communicator;

/// The circumstances under which a program is prepared.
struct PrepareOptions {
  base::MemoryBudget memory{};  ///< for keys, encoded weights and values together
  int clients = 1;              ///< clients that run at once
  std::uint64_t key_bytes = 0;  ///< per client; 0: the size of the keys that the program needs
  base::Progress* progress = nullptr;
  /// The ranks that carry out every run together. Each computes its share, and holds the weights of that share only.
  /// Null: this process by itself. They must outlive the prepared program.
  Communicator* ranks = nullptr;
};

}  // namespace tacit::runtime
