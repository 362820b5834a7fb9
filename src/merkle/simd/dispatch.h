#pragma once

#include "base/cpu.h"
#include "merkle/simd/kernels.h"

namespace tacit::merkle::simd {

/// The kernels of base::active_isa(), chosen once.
const Kernels& kernels();
/// The kernels of one instruction set, which the processor must support: for comparing them in tests.
const Kernels& kernels_of(base::Isa isa);

}  // namespace tacit::merkle::simd
