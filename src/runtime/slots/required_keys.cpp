#include "runtime/slots/required_keys.h"

#include <fmt/format.h>

#include "base/error.h"

namespace tacit::runtime {
namespace {

void require(const std::string& key, int needed, int held) {
  if (held >= needed) return;
  base::refuse(
      "the program needs {} at level {}, and the evaluation keys hold {}; make the keys from this model's client half",
      key, needed, held < 0 ? "none" : fmt::format("one up to level {}", held));
}

}  // namespace

void require_keys(const params::KeyManifest& needed, const params::KeyManifest& held) {
  require("the relinearisation key", needed.relinearise_level, held.relinearise_level);
  require("the key of conjugations", needed.conjugate_level, held.conjugate_level);
  const auto require_all = [](const char* key, const std::map<std::int64_t, int>& rotations,
                              const std::map<std::int64_t, int>& held_rotations) {
    for (const auto& [steps, level] : rotations) {
      const auto found = held_rotations.find(steps);
      require(fmt::format("the key of a {} by {}", key, steps), level,
              found == held_rotations.end() ? -1 : found->second);
    }
  };
  require_all("rotation", needed.rotations, held.rotations);
  require_all("raised ciphertext's rotation", needed.raised_rotations, held.raised_rotations);
}

}  // namespace tacit::runtime
