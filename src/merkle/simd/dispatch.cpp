#include "merkle/simd/dispatch.h"

namespace tacit::merkle::simd {

const Kernels& kernels_of(base::Isa isa) {
  switch (isa) {
    case base::Isa::avx512ifma: return kAvx512IfmaKernels;
    case base::Isa::avx2: return kAvx2Kernels;
    case base::Isa::portable: return kPortableKernels;
  }
  return kPortableKernels;
}

const Kernels& kernels() {
  static const Kernels& chosen = kernels_of(base::active_isa());
  return chosen;
}

}  // namespace tacit::merkle::simd
