#include "ring/limb.h"

#include <algorithm>
#include <bit>

#include "ring/simd/dispatch.h"

namespace tacit::ring::limb {

using simd::kernels;

void add(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b, std::size_t n, const Modulus& q) {
  TACIT_ASSERT(n % 8 == 0);
  kernels().add(out, a, b, n, q.words());
}

void sub(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b, std::size_t n, const Modulus& q) {
  TACIT_ASSERT(n % 8 == 0);
  kernels().sub(out, a, b, n, q.words());
}

void negate(std::uint64_t* out, const std::uint64_t* a, std::size_t n, const Modulus& q) {
  TACIT_ASSERT(n % 8 == 0);
  kernels().negate(out, a, n, q.words());
}

void multiply(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b, std::size_t n, const Modulus& q) {
  TACIT_ASSERT(n % 8 == 0);
  kernels().multiply(out, a, b, n, q.words());
}

void multiply_add(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b, std::size_t n, const Modulus& q) {
  TACIT_ASSERT(n % 8 == 0);
  kernels().multiply_add(out, a, b, n, q.words());
}

void multiply_scalar(std::uint64_t* out, const std::uint64_t* a, std::uint64_t w, std::size_t n, const Modulus& q) {
  TACIT_ASSERT(n % 8 == 0);
  kernels().multiply_scalar(out, a, w, q.shoup(w), n, q.words());
}

void sub_multiply_scalar(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b, std::uint64_t w,
                         std::size_t n, const Modulus& q) {
  TACIT_ASSERT(n % 8 == 0);
  kernels().sub_multiply_scalar(out, a, b, w, q.shoup(w), n, q.words());
}

void add_scalar(std::uint64_t* out, const std::uint64_t* a, std::uint64_t w, std::size_t n, const Modulus& q) {
  TACIT_ASSERT(n % 8 == 0 && w < q.value());
  kernels().add_scalar(out, a, w, n, q.words());
}

void dot(std::uint64_t* out, std::span<const FactorRow> a, std::span<const std::uint64_t* const> b, std::size_t n,
         const Modulus& q) {
  TACIT_ASSERT(n % 8 == 0 && a.size() == b.size());
  kernels().dot(out, a.data(), b.data(), a.size(), n, q.words());
}

void dot_pair(std::uint64_t* out0, std::uint64_t* out1, std::span<const FactorRow> a,
              std::span<const std::uint64_t* const> b0, std::span<const std::uint64_t* const> b1, std::size_t n,
              const Modulus& q) {
  std::uint64_t* const out[] = {out0, out1};
  dot_pairs(out, a, b0, b1, n, q);
}

std::size_t pairs_together() { return kernels().pairs_together; }

void dot_pairs(std::span<std::uint64_t* const> out, std::span<const FactorRow> a,
               std::span<const std::uint64_t* const> b0, std::span<const std::uint64_t* const> b1, std::size_t n,
               const Modulus& q) {
  TACIT_ASSERT(n % 8 == 0 && b0.size() == b1.size() && a.size() == out.size() / 2 * b0.size());
  kernels().dot_pairs(out.data(), out.size() / 2, a.data(), b0.data(), b1.data(), b0.size(), n, q.words());
}

void permute(Destination out, const std::uint64_t* a, AffineMap map, std::size_t n) {
  TACIT_ASSERT(std::has_single_bit(n) && n >= 8 && n <= kPermutedWords && out.words != a && map.multiplier % 2 == 1);
  kernels().permute(out.words, a, map, n, out.around);
}

void copy(Destination out, const std::uint64_t* a, std::size_t n) {
  TACIT_ASSERT(n % 8 == 0);
  if (out.around) {
    kernels().copy_around(out.words, a, n);
  } else {
    std::copy_n(a, n, out.words);
  }
}

void switch_modulus_centered(std::uint64_t* out, const std::uint64_t* a, std::size_t n, const Modulus& from,
                             const Modulus& to) {
  TACIT_ASSERT(n % 8 == 0);
  kernels().switch_modulus(out, a, n, from.words(), to.words());
}

}  // namespace tacit::ring::limb
