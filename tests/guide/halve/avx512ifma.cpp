#include "halve/kernels.h"
#include "ring/simd/avx512ifma_vector.h"

namespace tacit::guide {
namespace {

using namespace ring::simd;

// guide: avx512ifma
void halve(Word* out, const Word* a, std::size_t n, const ModulusWords& m) {
  const Vector q = broadcast(m.q), one = broadcast(1);
  for (std::size_t i = 0; i < n; i += 8) {
    const Vector x = load(a + i);
    const __mmask8 odd = _mm512_test_epi64_mask(x, one);
    store(out + i, _mm512_srli_epi64(_mm512_mask_add_epi64(x, odd, x, q), 1));
  }
}
// guide: end

}  // namespace

const Kernels kAvx512IfmaKernels = {halve};

}  // namespace tacit::guide
