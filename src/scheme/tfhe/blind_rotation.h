#pragma once

#include <span>

#include "scheme/tfhe/bootstrap_key.h"
#include "scheme/tfhe/lookup_table.h"
#include "scheme/tfhe/modulus_switch.h"

namespace tacit::scheme::tfhe {

/// The accumulators of ciphertexts that go through a bootstrapping key together: E GLWE ciphertexts of k + 1
/// polynomials each. They represent one ciphertext of degree N E: coefficient i is coefficient i / E of component i mod
/// E. The secret is the same, as a polynomial in X^E (Lee, Yoon 2023, "Discretization error reduction for high
/// precision torus fully homomorphic encryption"). For one thread.
class BlindRotation {
 public:
  BlindRotation(const Context& context, std::size_t most_together);
  /// Returns the bytes of one ciphertext's accumulators.
  static std::size_t bytes(const Context& context);

  /// Turns tables[i] by rotations[i]: after this, accumulator i encrypts its table times Y^-(body - <mask, secret>).
  /// Each matrix of the key is read once for all of them.
  void run(const BootstrapKey& key, std::span<const Rotations> rotations, std::span<const LookupTable* const> tables);
  /// Extracts coefficient `at` of accumulator i as an LWE ciphertext under the large key, of k N + 1 words.
  void extract(std::size_t i, std::size_t at, std::span<Torus> lwe) const;

 private:
  Torus* component(std::size_t i, std::size_t c) { return words_.data() + (i * context_.extension() + c) * component_; }
  void start(std::size_t i, const Rotations& rotation, const LookupTable& table);
  /// Adds bit * (Y^turns accumulator - accumulator) to the accumulator. `next` is the matrix to fetch meanwhile, or
  /// null.
  void step(std::size_t i, std::size_t turns, const double* bit, const double* next);
  /// Does the same for one component, from the component `from` turned by X^turns.
  void step_component(const Torus* from, std::size_t turns, Torus* to, const double* bit, const double* next);

  const Context& context_;
  std::size_t polynomial_, component_;  ///< words of a polynomial with its guard, and of k + 1 of them
  base::AlignedVector<Torus> words_, kept_;
  base::AlignedVector<double> values_;
  std::vector<double*> rows_;
};

}  // namespace tacit::scheme::tfhe
