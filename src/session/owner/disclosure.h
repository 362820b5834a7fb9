#pragma once

#include <optional>

#include "params/sharing.h"

namespace tacit::session {

/// Who is going to see decrypted results. By default the owner of the key does, who may look at everything.
struct Disclosure {
  std::optional<params::Sharing> sharing{};  ///< others see numbers, flooded and rounded
  bool labels = false;                       ///< others see labels, and no number
};

}  // namespace tacit::session
