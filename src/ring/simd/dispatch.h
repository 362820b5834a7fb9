#pragma once

#include "base/cpu.h"
#include "ring/simd/fft_kernels.h"
#include "ring/simd/kernels.h"

namespace tacit::ring::simd {

/// The kernels of base::active_isa(), chosen once.
const Kernels& kernels();
/// The kernels of one instruction set, which the processor must support: for comparing them in tests.
const Kernels& kernels_of(base::Isa isa);
/// The same of the real FFT and the 32-bit torus.
const FftKernels& fft_kernels_of(base::Isa isa);

}  // namespace tacit::ring::simd
