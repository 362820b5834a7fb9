#pragma once

#include "params/key_manifest.h"
#include "program/slots/program.h"

namespace tacit::slots {

/// Returns the evaluation keys that a program with levels needs, over all primes.
params::KeyManifest key_manifest(const Program& program);

/// Adds the key of a rotation by `steps`, of any sign, at this level. A rotation by 0 needs none.
void need_rotation(params::KeyManifest& keys, std::int64_t steps, int level, layout::Index slots);
/// Adds the key of a product of values at this level.
void need_product(params::KeyManifest& keys, int level);

}  // namespace tacit::slots
