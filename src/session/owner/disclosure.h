#pragma once

#include <optional>

#include "params/sharing.h"

namespace tacit::session {

/// The parts of decrypted results that others will see. The default: only the owner of the key sees them, who may look
/// at everything.
struct Disclosure {
  std::optional<params::Sharing> sharing{};  ///< others see numbers, flooded and rounded
  bool labels = false;                       ///< others see labels, and no number
};

}  // namespace tacit::session
