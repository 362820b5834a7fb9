#pragma once

#include <memory>
#include <vector>

#include "base/memory_budget.h"
#include "base/progress.h"
#include "graph/quant/compile.h"
#include "runtime/integers/integer_client.h"
#include "runtime/integers/integer_executor.h"
#include "runtime/integers/ranked_integers.h"

namespace tacit::session {

/// Client and server of a network on integers in one process, with fresh keys.
struct IntegerParties {
  /// Throws InputError if the memory budget cannot be met.
  IntegerParties(const graph::quant::CompiledIntegers& model, const base::MemoryBudget& memory,
                 base::Progress& progress);
  /// Returns the ciphertexts that the server gets for one sample of the model.
  std::vector<scheme::tfhe::LweCiphertexts> encrypt(const graph::quant::CompiledIntegers& model,
                                                    const std::vector<graph::Tensor>& sample) const;

  scheme::tfhe::ContextPtr context;
  scheme::tfhe::SecretKey secret;
  std::shared_ptr<const runtime::IntegerKeys> keys;
  std::shared_ptr<const scheme::tfhe::Evaluator> evaluator;  ///< of the keys
  runtime::IntegerClient client;
};

}  // namespace tacit::session
