#include "halve/kernels.h"
#include "ring/simd/avx2_vector.h"

namespace tacit::guide {
namespace {

using namespace ring::simd;

// guide: avx2
void halve(Word* out, const Word* a, std::size_t n, const ModulusWords& m) {
  const Vector q = broadcast(m.q), one = broadcast(1);
  for (std::size_t i = 0; i < n; i += 4) {
    const Vector x = load(a + i);
    const Vector odd = _mm256_cmpeq_epi64(_mm256_and_si256(x, one), one);
    store(out + i, _mm256_srli_epi64(_mm256_add_epi64(x, _mm256_and_si256(odd, q)), 1));
  }
}
// guide: end

}  // namespace

const Kernels kAvx2Kernels = {halve};

}  // namespace tacit::guide
