#pragma once

#include <tacit/disclosure.h>

#include <optional>

#include "params/sharing.h"

namespace tacit::session {

/// The parts of decrypted results that others will see. The default: only the owner of the key sees them, who may look
/// at everything.
struct Disclosure {
  std::optional<params::Sharing> sharing{};  ///< others see numbers, flooded and rounded
  bool labels = false;                       ///< others see labels, and no number
};

/// Returns the promise about numbers that others see, or none if they see no numbers.
inline std::optional<params::Sharing> sharing_of(const tacit::Disclosure& shown) {
  if (!shown.bits) return std::nullopt;
  return params::Sharing{
      .bits = *shown.bits, .statistical_bits = shown.statistical_bits, .decryptions = shown.decryptions};
}

}  // namespace tacit::session
