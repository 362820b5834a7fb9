#pragma once

#include "params/key_manifest.h"

namespace tacit::runtime {

/// Throws InputError naming the first key that is needed and absent, or held for too low a level.
void require_keys(const params::KeyManifest& needed, const params::KeyManifest& held);

}  // namespace tacit::runtime
