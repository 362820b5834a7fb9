#include "params/key_manifest.h"

#include <algorithm>

namespace tacit::params {

void need_rotation(std::map<std::int64_t, int>& rotations, std::int64_t steps, int level) {
  int& highest = rotations.try_emplace(steps, level).first->second;
  highest = std::max(highest, level);
}

void KeyManifest::merge(const KeyManifest& other) {
  relinearise_level = std::max(relinearise_level, other.relinearise_level);
  conjugate_level = std::max(conjugate_level, other.conjugate_level);
  if (rotations.empty()) {
    rotation_primes = other.rotation_primes;
  } else if (!other.rotations.empty()) {
    // Keys over all primes serve every rotation; of two tops the higher does.
    const bool both = rotation_primes.top && other.rotation_primes.top;
    rotation_primes.top = both ? std::max(rotation_primes.top, other.rotation_primes.top) : std::nullopt;
  }
  for (const auto& [steps, level] : other.rotations) need_rotation(rotations, steps, level);
  for (const auto& [steps, level] : other.raised_rotations) need_rotation(raised_rotations, steps, level);
}

}  // namespace tacit::params
