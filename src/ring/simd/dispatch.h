#pragma once

#include "base/cpu.h"
#include "ring/simd/fft_kernels.h"
#include "ring/simd/kernels.h"

namespace tacit::ring::simd {

/// Returns the kernels of base::active_isa(), chosen once.
const Kernels& kernels();
/// Returns the kernels of one instruction set, for comparing them in tests. The processor must support it.
const Kernels& kernels_of(base::Isa isa);
/// Returns the kernels of the real FFT and the 32-bit torus in the same way.
const FftKernels& fft_kernels_of(base::Isa isa);

}  // namespace tacit::ring::simd
