#include "merkle/simd/dispatch.h"

namespace tacit::merkle::simd {

const Kernels& kernels_of(base::Isa) { return kPortableKernels; }
const Kernels& kernels() { return kPortableKernels; }

}  // namespace tacit::merkle::simd
