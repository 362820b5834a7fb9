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
  raise_level = std::max(raise_level, other.raise_level);
  if (rotations.empty()) {
    rotation_top = other.rotation_top;
  } else if (!other.rotations.empty()) {
    rotation_top = std::min(rotation_top, other.rotation_top) < 0 ? -1 : std::max(rotation_top, other.rotation_top);
  }
  for (const auto& [steps, level] : other.rotations) need_rotation(rotations, steps, level);
}

}  // namespace tacit::params
