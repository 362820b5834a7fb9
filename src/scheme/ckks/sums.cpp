#include <fmt/format.h>

#include "base/error.h"
#include "base/parallel.h"
#include "ring/limb.h"
#include "scheme/ckks/check.h"
#include "scheme/ckks/evaluator.h"
#include "scheme/rlwe/scratch.h"

// Sums of products and of rotations that share their relinearisation, rescale or division.
namespace tacit::scheme::ckks {

namespace limb = ring::limb;

namespace {

/// Every operand like the first of its side, and as many on both.
template <class Other>
void check_terms(const Context& context, std::span<const Ciphertext* const> a, std::span<const Other* const> b,
                 const char* operation) {
  if (a.empty() || a.size() != b.size())
    throw base::InputError(fmt::format("{}: {} and {} factors; as many on both sides, and at least one, are needed",
                                       operation, a.size(), b.size()));
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
  const auto prime = static_cast<double>(context_->parameters().q()[static_cast<std::size_t>(level)]);
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
  const std::size_t n = chain.n(), rows = chain.extended_rows(a.level), own_rows = rlwe::ModulusChain::rows(a.level);
  ring::NttPoly total0(n, rows), total1(n, rows);
  const auto times_special = [&](std::uint64_t* out, const std::uint64_t* x, std::size_t row, const ring::Modulus& q) {
    limb::multiply_scalar(out, x, chain.special_product(a.level, row), n, q);
  };
  base::parallel_for(0, rows, [&](std::size_t row) {
    const ring::Modulus& q = chain.modulus(chain.prime_of(a.level, row));
    for (const bool first : {true, false}) {
      std::uint64_t* out = (first ? total0 : total1).limb(row);
      if (row >= own_rows) {
        std::fill_n(out, n, 0);
        continue;
      }
      times_special(out, (first ? a.c0 : a.c1).limb(row), row, q);
      if (whole > 1) limb::multiply_scalar(out, out, whole, n, q);
    }
  });
  rlwe::Digits digits(chain, a.c1, a.level);
  if (keys.size() > 1) digits.hoist();
  for (const GaloisKey* key : keys)
    rlwe::switch_key_extended(chain, digits, key->key, [&](const rlwe::Run& run) {
      const std::size_t row = run.row, count = run.words.size();
      const ring::Modulus& q = chain.modulus(chain.prime_of(a.level, row));
      if (run.poly == 0 && row < own_rows) {
        rlwe::ScratchRows scratch(count, 1);
        limb::multiply_scalar(scratch[0], a.c0.limb(row) + run.at, chain.special_product(a.level, row), count, q);
        limb::add(run.words.data(), run.words.data(), scratch[0], count, q);
      }
      key->automorphism.add_run((run.poly == 0 ? total0 : total1).limb(row), run.words, run.at, q);
    });
  Ciphertext result = blank(a.level, a.scale);
  const ring::NttPoly* polys[] = {&total0, &total1};
  rlwe::divide(chain, a.level, polys, rlwe::Divisor::special, rlwe::copy_runs({&result.c0, &result.c1}));
  return result;
}

}  // namespace tacit::scheme::ckks
