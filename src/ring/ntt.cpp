#include "ring/ntt.h"

#include <bit>
#include <string>

#include "ring/bit_reversal.h"
#include "ring/simd/dispatch.h"

namespace tacit::ring {
namespace {

/// The smallest primitive 2n-th root of unity, or 0 if none is found (q is then not a prime that is 1 mod 2n).
std::uint64_t smallest_root(const Modulus& q, std::size_t n) {
  constexpr std::uint64_t kCandidates = 1000;  // half of all candidates succeed for a prime
  std::uint64_t root = 0;
  for (std::uint64_t candidate = 2; candidate < kCandidates && candidate < q.value() && root == 0; ++candidate) {
    const std::uint64_t power = q.pow(candidate, (q.value() - 1) / (2 * n));
    if (q.pow(power, n) == q.value() - 1) root = power;
  }
  if (root == 0) return 0;
  // The primitive roots are the odd powers of any one of them.
  const std::uint64_t square = q.mul(root, root);
  std::uint64_t smallest = root;
  for (std::size_t i = 1; i < n; ++i) {
    root = q.mul(root, square);
    if (root < smallest) smallest = root;
  }
  return smallest;
}

}  // namespace

NttTables::NttTables(const Modulus& q, std::size_t n) : modulus_(q) {
  if (!std::has_single_bit(n) || n < 8 || n > std::size_t{1} << 17)
    throw base::InputError("NTT degree " + std::to_string(n) + ": expected a power of two from 2^3 to 2^17");
  psi_ = (q.value() - 1) % (2 * n) == 0 ? smallest_root(q, n) : 0;
  if (psi_ == 0)
    throw base::InputError("modulus " + std::to_string(q.value()) + " has no NTT of degree " + std::to_string(n) +
                           ": choose a prime that is 1 modulo " + std::to_string(2 * n));
  const auto log_n = static_cast<unsigned>(std::countr_zero(n));
  auto tables = std::make_shared<base::AlignedVector<std::uint64_t>>(4 * n);
  std::uint64_t* root = tables->data();
  std::uint64_t* root_shoup = root + n;
  std::uint64_t* inverse_root = root + 2 * n;
  std::uint64_t* inverse_root_shoup = root + 3 * n;
  const std::uint64_t inverse_psi = q.inverse(psi_);
  std::uint64_t power = 1, inverse_power = 1;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t at = reverse_bits(i, log_n);
    root[at] = power;
    root_shoup[at] = q.shoup(power);
    inverse_root[at] = inverse_power;
    inverse_root_shoup[at] = q.shoup(inverse_power);
    power = q.mul(power, psi_);
    inverse_power = q.mul(inverse_power, inverse_psi);
  }
  words_.modulus = q.words();
  words_.n = n;
  words_.log_n = log_n;
  words_.root = root;
  words_.root_shoup = root_shoup;
  words_.inverse_root = inverse_root;
  words_.inverse_root_shoup = inverse_root_shoup;
  words_.scale = q.inverse(n % q.value());
  words_.scale_shoup = q.shoup(words_.scale);
  words_.scale_root = q.mul(words_.scale, inverse_root[1]);
  words_.scale_root_shoup = q.shoup(words_.scale_root);
  tables_ = std::move(tables);
}

void NttTables::forward(std::uint64_t* a, const std::uint64_t* next) const {
  simd::kernels().ntt_forward(a, words_, next);
}

void NttTables::inverse(std::uint64_t* a, const std::uint64_t* next) const {
  simd::kernels().ntt_inverse(a, words_, next);
}

}  // namespace tacit::ring
