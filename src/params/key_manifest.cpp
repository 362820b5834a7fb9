#include "scheme/rlwe/key_manifest.h"

#include <algorithm>

namespace tacit::scheme::rlwe {

void KeyManifest::merge(const KeyManifest& other) {
  relinearise_level = std::max(relinearise_level, other.relinearise_level);
  conjugate_level = std::max(conjugate_level, other.conjugate_level);
  raise_level = std::max(raise_level, other.raise_level);
  if (rotations.empty()) {
    rotation_top = other.rotation_top;
  } else if (!other.rotations.empty()) {
    rotation_top = std::min(rotation_top, other.rotation_top) < 0 ? -1 : std::max(rotation_top, other.rotation_top);
  }
  const auto merge_into = [](std::map<std::int64_t, int>& mine, const std::map<std::int64_t, int>& theirs) {
    for (const auto& [steps, level] : theirs) {
      const auto [it, inserted] = mine.emplace(steps, level);
      if (!inserted) it->second = std::max(it->second, level);
    }
  };
  merge_into(rotations, other.rotations);
  merge_into(low_rotations, other.low_rotations);
}

}  // namespace tacit::scheme::rlwe
