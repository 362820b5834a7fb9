#pragma once

#include "base/random.h"
#include "scheme/rlwe/switching_key.h"

namespace tacit::scheme::rlwe {

/// The randomness of one switching key. The same seeds, secrets and level give the same key again.
struct KeySeeds {
  base::Seed noise{};    ///< secret: whoever has it reads the secret key from the switching key
  base::Seed uniform{};  ///< published with the key

  /// Draws seeds from the operating system into memory of the caller, who wipes it.
  static void draw(KeySeeds& seeds);
};

/// Makes the key of SwitchingKey::generate from these seeds.
SwitchingKey make_switching_key(const ModulusChain& chain, const ring::NttRows& from, const ring::NttRows& to,
                                int level, const KeySeeds& seeds);

}  // namespace tacit::scheme::rlwe
