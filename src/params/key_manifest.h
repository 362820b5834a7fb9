#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace tacit::params {

/// The primes that keys of rotations are over.
struct RotationPrimes {
  /// Largest level of any rotation, where primes above it serve the keys as special ones
  /// (CkksParameters::for_rotations): a rotation is then cheaper, but no key reaches higher. None: all primes of the
  /// set, as other keys.
  std::optional<int> top{};
  /// Those of a rotation at `level`.
  RotationPrimes at(int level) const { return top && level <= *top ? *this : RotationPrimes{}; }
  bool operator==(const RotationPrimes&) const = default;
};

/// Which evaluation keys a computation needs, each with the largest level at which it is used: what the planner asks of
/// key generation, and what a set of keys offers.
struct KeyManifest {
  int relinearise_level = -1;             ///< -1: nothing is multiplied
  int conjugate_level = -1;               ///< -1: nothing is conjugated
  std::map<std::int64_t, int> rotations;  ///< steps in [1, slots) to level
  /// Steps in [0, slots) to the level that bootstraps raise to: rotations of raised ciphertexts, which take them from
  /// the ephemeral secret back to the secret. Empty where nothing bootstraps.
  std::map<std::int64_t, int> raised_rotations{};
  RotationPrimes rotation_primes{};
  bool operator==(const KeyManifest&) const = default;
  /// The union, with the larger level of each.
  void merge(const KeyManifest& other);
};

/// Adds a rotation to a list of them, or raises its level. `steps` lies in [0, slots).
void need_rotation(std::map<std::int64_t, int>& rotations, std::int64_t steps, int level);

}  // namespace tacit::params
