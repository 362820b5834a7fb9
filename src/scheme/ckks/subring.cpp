#include "scheme/ckks/subring.h"

#include <algorithm>

#include "base/error.h"
#include "base/parallel.h"
#include "ring/limb.h"
#include "scheme/ckks/check.h"

namespace tacit::scheme::ckks {
namespace {

std::uint64_t inverse_of_gap(int log_gap, const ring::Modulus& q) { return q.inverse(std::uint64_t{1} << log_gap); }

}  // namespace

void divide_by_gap(const rlwe::ModulusChain& chain, ring::NttPoly& poly, int log_gap) {
  if (log_gap == 0) return;
  base::parallel_for(0, poly.limbs(), [&](std::size_t row) {
    const ring::Modulus& q = chain.modulus(row);
    ring::limb::multiply_scalar(poly.limb(row), poly.limb(row), inverse_of_gap(log_gap, q), poly.n(), q);
  });
}

void keep_subring(const rlwe::ModulusChain& chain, ring::NttPoly& poly, int log_gap) {
  if (log_gap == 0) return;
  const std::size_t gap = std::size_t{1} << log_gap;
  base::parallel_for(0, poly.limbs(), [&](std::size_t row) {
    const ring::Modulus& q = chain.modulus(row);
    const std::span<std::uint64_t> words = poly.limb_span(row);
    for (std::size_t first = 0; first < words.size(); first += gap) {
      std::uint64_t sum = 0;
      for (const std::uint64_t word : words.subspan(first, gap)) sum = q.add(sum, word);
      std::ranges::fill(words.subspan(first, gap), sum);
    }
  });
  divide_by_gap(chain, poly, log_gap);
}

void check_gap(const Context& context, int log_gap, const char* operation) {
  const std::size_t slots = context.parameters().slots();
  if (log_gap < 0 || log_gap > 62 || slots >> log_gap < 2)
    base::refuse("{}: {} slots cannot repeat 2^{} times; give a message with a shorter period", operation, slots,
                 log_gap);
}

Ciphertext thinned(const Context& context, Ciphertext ciphertext, int log_gap) {
  check(context, ciphertext, "thin");
  check_gap(context, log_gap, "thin");
  keep_subring(context.chain(), ciphertext.c0, log_gap);
  ciphertext.log_gap = log_gap;
  return ciphertext;
}

}  // namespace tacit::scheme::ckks
