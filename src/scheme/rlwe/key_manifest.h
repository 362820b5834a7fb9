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
  /// The same over the first primes alone (CkksParameters::low).
  std::map<std::int64_t, int> low_rotations{};
  bool operator==(const KeyManifest&) const = default;
  /// The union, with the larger level of each.
  void merge(const KeyManifest& other);
};

}  // namespace tacit::scheme::rlwe
