#include "ring/simd/dispatch.h"

#include "ring/simd/tables.h"

namespace tacit::ring::simd {

const Kernels& kernels_of(base::Isa) { return kPortableKernels; }
const Kernels& kernels() { return kPortableKernels; }
const FftKernels& fft_kernels_of(base::Isa) { return kPortableFft; }

}  // namespace tacit::ring::simd
