#include "scheme/rlwe/key_manifest.h"

#include <algorithm>

namespace tacit::scheme::rlwe {

void KeyManifest::merge(const KeyManifest& other) {
  relinearise_level = std::max(relinearise_level, other.relinearise_level);
  conjugate_level = std::max(conjugate_level, other.conjugate_level);
  raise_level = std::max(raise_level, other.raise_level);
  for (const auto& [steps, level] : other.rotations) {
    const auto [it, inserted] = rotations.emplace(steps, level);
    if (!inserted) it->second = std::max(it->second, level);
  }
}

}  // namespace tacit::scheme::rlwe
