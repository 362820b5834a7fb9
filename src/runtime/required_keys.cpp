#include "runtime/key_needs.h"

#include <fmt/format.h>

#include "base/error.h"

namespace tacit::runtime {
namespace {

void require(const std::string& key, int needed, int held) {
  if (held >= needed) return;
  throw base::InputError(fmt::format("the program needs {} at level {}, and the evaluation keys hold {}; make the keys from "
                                     "this model's client half",
                                     key, needed, held < 0 ? "none" : fmt::format("one up to level {}", held)));
}

}  // namespace

scheme::rlwe::KeyManifest to_manifest(const program::KeyNeeds& needs) {
  scheme::rlwe::KeyManifest manifest;
  manifest.relinearise_level = needs.relinearise_level;
  manifest.conjugate_level = needs.conjugate_level;
  manifest.raise_level = needs.raise_level;
  manifest.rotations = needs.rotations;
  manifest.rotation_top = needs.rotation_top;
  manifest.low_rotations = needs.low_rotations;
  return manifest;
}

void require_keys(const program::KeyNeeds& needs, const scheme::rlwe::KeyManifest& held) {
  require("the relinearisation key", needs.relinearise_level, held.relinearise_level);
  require("the key of conjugations", needs.conjugate_level, held.conjugate_level);
  require("the keys that raise a modulus", needs.raise_level, held.raise_level);
  const auto require_rotations = [](const std::map<std::int64_t, int>& wanted, const std::map<std::int64_t, int>& kept,
                                    const char* where) {
    for (const auto& [steps, level] : wanted) {
      const auto found = kept.find(steps);
      require(fmt::format("the key of a rotation by {}{}", steps, where), level, found == kept.end() ? -1 : found->second);
    }
  };
  require_rotations(needs.rotations, held.rotations, "");
  require_rotations(needs.low_rotations, held.low_rotations, " over the low primes");
}

}  // namespace tacit::runtime
