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
  manifest.rotations = needs.rotations;
  return manifest;
}

void require_keys(const program::KeyNeeds& needs, const scheme::rlwe::KeyManifest& held) {
  require("the relinearisation key", needs.relinearise_level, held.relinearise_level);
  for (const auto& [steps, level] : needs.rotations) {
    const auto found = held.rotations.find(steps);
    require(fmt::format("the key of a rotation by {}", steps), level, found == held.rotations.end() ? -1 : found->second);
  }
}

}  // namespace tacit::runtime
