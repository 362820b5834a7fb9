#include "halve/kernels.h"

namespace tacit::guide {
namespace {

using Word = std::uint64_t;

// guide: portable
void halve(Word* out, const Word* a, std::size_t n, const ring::simd::ModulusWords& q) {
  for (std::size_t i = 0; i < n; ++i) out[i] = (a[i] % 2 == 0 ? a[i] : a[i] + q.q) / 2;
}
// guide: end

}  // namespace

const Kernels kPortableKernels = {halve};

}  // namespace tacit::guide
