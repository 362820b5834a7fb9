#include "ring/simd/dispatch.h"

#include "base/kernel_choice.h"
#include "ring/simd/tables.h"

namespace tacit::ring::simd {

const Kernels& kernels_of(base::Isa isa) {
  return base::kernels_of(isa, kPortableKernels, kAvx2Kernels, kAvx512IfmaKernels);
}

const Kernels& kernels() {
  static const Kernels& chosen = kernels_of(base::active_isa());
  return chosen;
}

const FftKernels& fft_kernels_of(base::Isa isa) {
  return base::kernels_of(isa, kPortableFft, kAvx2Fft, kAvx512IfmaFft);
}

}  // namespace tacit::ring::simd
