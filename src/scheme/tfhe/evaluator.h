#pragma once

#include <functional>
#include <span>

#include "scheme/tfhe/blind_rotation.h"
#include "scheme/tfhe/key_switch_key.h"

namespace tacit::scheme::tfhe {

/// The stored keys of a server. A parameter set for sums alone has nothing but two seeds.
struct SeededEvaluationKeys {
  SeededKeySwitchKey key_switch;
  SeededBootstrapKey bootstrap;
  /// Makes the keys in a separate stage of progress, with a step for every bit of the small key.
  static SeededEvaluationKeys generate(const Context& context, const SecretKey& secret,
                                       base::Progress& progress = base::Progress::silent());
};

/// Sums and lookups of ciphertexts under the large key. Thread safe; its operations use as many threads as
/// base::set_thread_limit allows. Each throws KeyMismatch on objects of another parameter set. Progress has a step for
/// every bootstrap.
class Evaluator {
 public:
  /// Expands the keys.
  Evaluator(ContextPtr context, const SeededEvaluationKeys& keys);
  const Context& context() const { return *context_; }
  /// Return the bytes of the expanded keys in memory.
  std::size_t bootstrap_key_bytes() const { return bootstrap_key_.bytes(); }
  std::size_t key_switch_key_bytes() const { return key_switch_key_.bytes(); }

  /// Result r is the sum of weights[r * inputs + i] times input i, plus offsets[r], an element of the torus. `weights`
  /// has one row for each offset. Noise grows by the 2-norm of a row, which the next lookup bounds.
  LweCiphertexts linear(const LweCiphertexts& inputs, std::span<const std::int64_t> weights,
                        std::span<const Torus> offsets) const;

  /// Ciphertexts by their position, each with a whole weight.
  struct WeightedInputs {
    std::span<const std::uint32_t> inputs;
    std::span<const std::int32_t> weights;
  };
  /// Adds to result r the weighted sum that `row` gives for r. Noise grows as in `linear`. Throws InputError for a
  /// position that does not exist.
  void add_sums(const LweCiphertexts& inputs, const std::function<WeightedInputs(std::size_t r)>& row,
                LweCiphertexts& results) const;
  /// Returns ciphertexts of these torus elements without noise.
  LweCiphertexts trivial(std::span<const Torus> messages) const;

  /// Does the first half of a lookup, a key switch. bootstrap() is the second half.
  SmallLweCiphertexts key_switch(const LweCiphertexts& inputs) const { return key_switch_key_.switch_keys(inputs); }
  /// Bootstraps input i through tables[i]. It gives one result per function of the table, input after input. The
  /// bootstrapping key is read once for every few inputs.
  LweCiphertexts bootstrap(const SmallLweCiphertexts& inputs, std::span<const LookupTable* const> tables,
                           base::Progress& progress = base::Progress::silent()) const;

  /// Does a key switch, then a bootstrap: tables of the inputs' messages, with fresh noise.
  LweCiphertexts lookup(const LweCiphertexts& inputs, std::span<const LookupTable* const> tables,
                        base::Progress& progress = base::Progress::silent()) const;
  /// Looks all inputs up in one table.
  LweCiphertexts lookup(const LweCiphertexts& inputs, const LookupTable& table,
                        base::Progress& progress = base::Progress::silent()) const;

 private:
  ContextPtr context_;
  KeySwitchKey key_switch_key_;
  BootstrapKey bootstrap_key_;
};

}  // namespace tacit::scheme::tfhe
