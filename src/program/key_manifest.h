#pragma once

#include <cstdint>
#include <map>

#include "program/program.h"

namespace tacit::program {

/// The evaluation keys that a program with levels needs, and the highest level each is used at.
struct KeyNeeds {
  int relinearise_level = -1;              ///< -1: nothing is multiplied
  int conjugate_level = -1;                ///< -1: nothing is conjugated
  int raise_level = -1;                    ///< of the keys to and from the ephemeral secret; -1: nothing is bootstrapped
  std::map<std::int64_t, int> rotations;   ///< steps in [1, slots) to level
  /// Set where keys of rotations shall use the primes above it (scheme::rlwe::KeyManifest); -1: over all primes.
  int rotation_top = -1;
  std::map<std::int64_t, int> low_rotations;  ///< the same over CkksParameters::low()
};

KeyNeeds key_needs(const Program& program);

}  // namespace tacit::program
