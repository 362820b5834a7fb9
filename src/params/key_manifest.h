#pragma once

#include <cstdint>
#include <map>

namespace tacit::scheme::rlwe {

/// Which evaluation keys a computation needs: what the planner asks of key generation, and nothing more.
struct KeyManifest {
  /// Largest level at which two ciphertexts are multiplied, or -1.
  int relinearise_level = -1;
  /// Largest level at which slots are conjugated, or -1.
  int conjugate_level = -1;
  /// Largest level to which a bootstrap raises ciphertexts, or -1: two keys, to the ephemeral secret and back.
  int raise_level = -1;
  /// Rotation steps in [1, slots) -> largest level at which the rotation is used.
  std::map<std::int64_t, int> rotations;
  /// Largest level of any rotation, where primes above it shall serve their keys as special ones
  /// (CkksParameters::for_rotations): a rotation is then cheaper, but no key reaches higher. -1: keys over all primes.
  int rotation_top = -1;
  /// The same over the first primes alone (CkksParameters::low).
  std::map<std::int64_t, int> low_rotations{};
  bool operator==(const KeyManifest&) const = default;
  /// The union, with the larger level of each.
  void merge(const KeyManifest& other);
};

}  // namespace tacit::scheme::rlwe
