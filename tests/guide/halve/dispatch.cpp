#include "base/kernel_choice.h"
#include "halve/kernels.h"

namespace tacit::guide {

// guide: dispatch
const Kernels& kernels_of(base::Isa isa) {
  return base::kernels_of(isa, kPortableKernels, kAvx2Kernels, kAvx512IfmaKernels);
}
// guide: end

}  // namespace tacit::guide
