#include "scheme/ckks/imaginary.h"

#include "base/error.h"
#include "base/parallel.h"
#include "ring/limb.h"

namespace tacit::scheme::ckks {

// X^(N/2) has the values i and -i on the halves of the bit-reversed order.
Ciphertext times_i(const Context& context, Ciphertext x, bool negative) {
  TACIT_ASSERT(!context.parameters().literal().real_slots);
  const rlwe::ModulusChain& chain = context.chain();
  const std::size_t half = chain.n() / 2;
  x.c1_seed.reset();
  x.log_gap = 0;
  base::parallel_for(0, x.c0.limbs(), [&](std::size_t row) {
    const ring::Modulus& q = chain.modulus(row);
    const std::uint64_t root = q.pow(chain.ntt(row).psi(), half);
    for (ring::NttPoly* poly : {&x.c0, &x.c1}) {
      std::uint64_t* words = poly->limb(row);
      ring::limb::multiply_scalar(words, words, negative ? q.negate(root) : root, half, q);
      ring::limb::multiply_scalar(words + half, words + half, negative ? root : q.negate(root), half, q);
    }
  });
  return x;
}

}  // namespace tacit::scheme::ckks
