#include "search/leaf_rotation.h"

#include <algorithm>

#include "ring/limb.h"
#include "scheme/rlwe/scratch.h"

namespace tacit::search {
namespace {
namespace limb = ring::limb;
}  // namespace

LeafRotation::LeafRotation(const scheme::rlwe::ModulusChain& chain, const scheme::ckks::GaloisKey& key)
    : chain_(chain), key_(key), stride_(chain.n() + 8), words_(4 * stride_) {
  const std::size_t n = chain.n();
  for (std::size_t row = 0; row < 2; ++row) {
    const ring::Modulus& modulus = chain.modulus(row);
    std::uint64_t* const b = words_.data() + row * stride_;
    std::uint64_t* const a = words_.data() + (2 + row) * stride_;
    std::copy_n(key.key.b(0, 0, row), n, b);
    key.key.a(chain, 0, 0, row).fill(0, {a, n});
    const std::uint64_t unfactor = modulus.inverse(modulus.times_two52(1));
    for (std::uint64_t* half : {b, a}) limb::multiply_scalar(half, half, unfactor, n, modulus);
  }
}

void LeafRotation::apply(const std::uint64_t* c0, const std::uint64_t* c1, std::uint64_t* out0,
                         std::uint64_t* out1) const {
  const std::size_t n = chain_.n();
  const ring::Modulus &q = chain_.modulus(0), &p = chain_.modulus(1);
  scheme::rlwe::ScratchRows scratch(n, 3);
  std::uint64_t *const digit = scratch[0], *const special = scratch[1], *const sum = scratch[2];
  std::copy_n(c1, n, sum);
  chain_.ntt(0).inverse(sum);
  limb::switch_modulus_centered(digit, sum, n, q, p);
  chain_.ntt(1).forward(digit);
  for (std::size_t half = 0; half < 2; ++half) {
    // (c1 key - [c1 key] modulo p) / p modulo q
    limb::multiply(sum, digit, key_row(half, 1), n, p);
    chain_.ntt(1).inverse(sum);
    limb::switch_modulus_centered(special, sum, n, p, q);
    chain_.ntt(0).forward(special);
    limb::multiply(sum, c1, key_row(half, 0), n, q);
    limb::sub_multiply_scalar(sum, sum, special, chain_.divide_factor(0, 0), n, q);
    if (half == 0) limb::add(sum, sum, c0, n, q);
    key_.automorphism.apply_run(half == 0 ? out0 : out1, {sum, n}, 0);
  }
}

}  // namespace tacit::search
