#pragma once

#include "params/key_manifest.h"
#include "program/program.h"

namespace tacit::program {

/// The evaluation keys that a program with levels needs.
params::KeyManifest key_manifest(const Program& program);

}  // namespace tacit::program
