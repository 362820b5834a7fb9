#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace tacit::params {

/// The primes of rotation keys.
struct RotationPrimes {
  /// The largest level of any rotation, if primes above it serve the keys as special primes
  /// (CkksParameters::for_rotations). A rotation is then cheaper, but no key reaches a higher level. Without a value,
  /// rotation keys use all primes of the set, as other keys do.
  std::optional<int> top{};
  /// Returns the primes of a rotation at `level`.
  RotationPrimes at(int level) const { return top && level <= *top ? *this : RotationPrimes{}; }
  bool operator==(const RotationPrimes&) const = default;
};

/// Lists the evaluation keys of a computation, each with the largest level of its use. The planner asks key generation
/// for a manifest, and a set of keys offers one.
struct KeyManifest {
  int relinearise_level = -1;             ///< -1: nothing is multiplied
  int conjugate_level = -1;               ///< -1: nothing is conjugated
  std::map<std::int64_t, int> rotations;  ///< steps in [1, slots) to level
  /// Rotations of raised ciphertexts: steps in [0, slots) to the level that bootstraps raise to. They take a ciphertext
  /// from the ephemeral secret back to the secret. The map is empty without bootstraps.
  std::map<std::int64_t, int> raised_rotations{};
  RotationPrimes rotation_primes{};
  bool operator==(const KeyManifest&) const = default;
  /// Forms the union, with the larger level of each key.
  void merge(const KeyManifest& other);
};

/// Adds a rotation to a list, or raises its level. `steps` is in [0, slots).
void need_rotation(std::map<std::int64_t, int>& rotations, std::int64_t steps, int level);

}  // namespace tacit::params
