#pragma once

#include "program/key_needs.h"
#include "scheme/rlwe/key_manifest.h"

namespace tacit::runtime {

/// What a program needs, in the words of key generation.
scheme::rlwe::KeyManifest to_manifest(const program::KeyNeeds& needs);

/// Throws InputError naming the first key that is needed and absent, or held for too low a level.
void require_keys(const program::KeyNeeds& needs, const scheme::rlwe::KeyManifest& held);

}  // namespace tacit::runtime
