#pragma once

#include "params/key_manifest.h"

namespace tacit::runtime {

/// Throws InputError naming the first needed key that is missing, or held for too low a level.
void require_keys(const params::KeyManifest& needed, const params::KeyManifest& held);

}  // namespace tacit::runtime
