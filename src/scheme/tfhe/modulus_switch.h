#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scheme/tfhe/context.h"

namespace tacit::scheme::tfhe {

/// Rotations of the extended ring, of degree N E. They are the words of an LWE ciphertext rounded to multiples of 1 /
/// (2 N E), or of 2^log_room times that.
struct Rotations {
  std::vector<std::uint32_t> mask;  ///< in [0, 2 N E)
  std::uint32_t body = 0;
};

/// Rounds an LWE ciphertext to rotations. The rounding errors of the mask meet a binary secret of known mean. Half
/// their sum is subtracted from the body, which halves the added variance ("centred", as in tfhe-rs since 1.1). The
/// body is cut off, not rounded. The box [c - h, c + h) of a message in the table takes the phases in that interval, so
/// that rounding would make one side shorter. Thread safe.
Rotations modulus_switch(const Context& context, std::span<const std::uint32_t> ciphertext, unsigned log_room);

}  // namespace tacit::scheme::tfhe
