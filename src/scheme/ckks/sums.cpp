#include <algorithm>

#include "base/error.h"
#include "ring/limb.h"
#include "scheme/ckks/check.h"
#include "scheme/ckks/evaluator.h"
#include "scheme/ckks/rotated_sum.h"

// Sums of products and of rotations that share their relinearisation, rescale or division.
namespace tacit::scheme::ckks {

namespace limb = ring::limb;

namespace {

/// Every operand like the first of its side, and as many on both.
template <class Other>
void check_terms(const Context& context, std::span<const Ciphertext* const> a, std::span<const Other* const> b,
                 const char* operation) {
  if (a.empty() || a.size() != b.size())
    base::refuse("{}: {} and {} factors; as many on both sides, and at least one, are needed", operation, a.size(),
                 b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    check(context, *a[i], operation);
    check(context, *b[i], operation);
    check_same_level(a[0]->level, a[i]->level, operation);
    check_same_level(a[0]->level, b[i]->level, operation);
    check_same_scale(a[0]->scale, a[i]->scale, operation);
    check_same_scale(b[0]->scale, b[i]->scale, operation);
  }
  check_rescalable(a[0]->level, operation);
}

}  // namespace

Ciphertext Evaluator::multiply_sum(std::span<const Ciphertext* const> a, std::span<const Ciphertext* const> b) const {
  check_terms(*context_, a, b, "multiply and sum");
  Sum sum;
  for (std::size_t i = 0; i < a.size(); ++i) sum.products.push_back({a[i], b[i]});
  return rescaled_sum(sum, a[0]->level, a[0]->scale * b[0]->scale, "multiply and sum");
}

Ciphertext Evaluator::multiply_plain_sum(std::span<const Ciphertext* const> a,
                                         std::span<const Plaintext* const> b) const {
  check_terms(*context_, a, b, "multiply by plaintexts and sum");
  const int level = a[0]->level;
  const auto prime = context_->parameters().prime(level);
  Ciphertext result = blank(level - 1, a[0]->scale * b[0]->scale / prime);
  rlwe::Combination parts[2];
  for (std::size_t i = 0; i < a.size(); ++i) {
    parts[0].products.push_back({&a[i]->c0, &b[i]->poly});
    parts[1].products.push_back({&a[i]->c1, &b[i]->poly});
  }
  rlwe::rescale(context_->chain(), level, parts, rlwe::copy_runs({&result.c0, &result.c1}));
  return result;
}

Ciphertext Evaluator::rotate_sum(const Ciphertext& a, std::span<const std::int64_t> steps) const {
  check(*context_, a, "rotate and sum");
  if (steps.size() == 1) {  // nothing to share
    Ciphertext sum = rotate(a, steps[0]);
    add_in_place(sum, a);
    return sum;
  }
  std::vector<const GaloisKey*> keys;
  std::uint64_t whole = 1;  // the input itself, and rotations by nothing
  for (const std::int64_t step : steps) {
    const std::int64_t rotation = normalised(step);
    if (rotation == 0)
      ++whole;
    else
      keys.push_back(&rotation_key(rotation, a.level, "rotate and sum"));
  }
  const rlwe::ModulusChain& chain = rotation_chain(a.level);
  rlwe::Digits digits(chain, a.c1, a.level);
  if (keys.size() > 1) digits.hoist();
  std::vector<RotatedTerm> terms;
  for (const GaloisKey* key : keys) terms.push_back({&digits, key, &a.c0});
  const auto start = [&](std::size_t row, std::uint64_t* total0, std::uint64_t* total1) {
    if (row >= rlwe::ModulusChain::rows(a.level)) {  // P_level times the input is 0 there
      for (std::uint64_t* total : {total0, total1}) std::fill_n(total, chain.n(), 0);
      return;
    }
    const ring::Modulus& q = chain.modulus(row);
    const std::uint64_t factor = q.mul(chain.special_product(a.level, row), q.reduce(whole));
    limb::multiply_scalar(total0, a.c0.limb(row), factor, chain.n(), q);
    limb::multiply_scalar(total1, a.c1.limb(row), factor, chain.n(), q);
  };
  Ciphertext result = blank(a.level, a.scale);
  divide_rotated_sum(chain, a.level, start, terms, rlwe::Divisor::special, rlwe::copy_runs({&result.c0, &result.c1}));
  return result;
}

}  // namespace tacit::scheme::ckks
