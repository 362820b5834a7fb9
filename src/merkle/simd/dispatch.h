#pragma once

#include "base/cpu.h"
#include "merkle/simd/kernels.h"

namespace tacit::merkle::simd {

/// Returns the kernels of base::active_isa(), chosen once.
const Kernels& kernels();
/// Returns the kernels of one instruction set, for comparing them in tests. The processor must support it.
const Kernels& kernels_of(base::Isa isa);

}  // namespace tacit::merkle::simd
