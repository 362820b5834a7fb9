#include "runtime/slots/required_keys.h"

#include <fmt/format.h>

#include "base/error.h"

namespace tacit::runtime {
namespace {

void require(const std::string& key, int needed, int held) {
  if (held >= needed) return;
  throw base::InputError(
      fmt::format("the program needs {} at level {}, and the evaluation keys hold {}; make the keys from "
                  "this model's client half",
                  key, needed, held < 0 ? "none" : fmt::format("one up to level {}", held)));
}

}  // namespace

void require_keys(const params::KeyManifest& needed, const params::KeyManifest& held) {
  require("the relinearisation key", needed.relinearise_level, held.relinearise_level);
  require("the key of conjugations", needed.conjugate_level, held.conjugate_level);
  require("the keys that raise a modulus", needed.raise_level, held.raise_level);
  for (const auto& [steps, level] : needed.rotations) {
    const auto found = held.rotations.find(steps);
    require(fmt::format("the key of a rotation by {}", steps), level,
            found == held.rotations.end() ? -1 : found->second);
  }
}

}  // namespace tacit::runtime
