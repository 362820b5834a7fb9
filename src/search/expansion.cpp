#include "search/expansion.h"

#include <algorithm>
#include <bit>

#include "base/parallel.h"
#include "params/search_set.h"
#include "ring/limb.h"
#include "scheme/rlwe/scratch.h"

namespace tacit::search {
namespace {

namespace limb = ring::limb;
using scheme::ckks::Ciphertext;

/// Words between rows, so that rows do not share sets of the cache.
constexpr std::size_t kRowGap = 8;

std::size_t expansion_steps(std::size_t dimensions) {
  return static_cast<std::size_t>(std::bit_width(std::bit_ceil(dimensions)) - 1);
}

/// The rotation of a step, in slots. The last possible step has none: conjugation serves it.
std::int64_t step_rotation(std::size_t n, std::size_t step) { return static_cast<std::int64_t>(n >> (step + 2)); }

}  // namespace

scheme::ckks::ContextPtr search_context() {
  static const scheme::ckks::ContextPtr context =
      scheme::ckks::Context::make(params::CkksParameters::check(params::search_literal()));
  return context;
}

std::uint64_t expansion_factor(const scheme::ckks::Context& context, std::size_t dimensions) {
  return context.chain().modulus(0).inverse(std::bit_ceil(dimensions));
}

params::KeyManifest expansion_keys(std::size_t dimensions) {
  const std::size_t n = search_context()->parameters().n();
  params::KeyManifest manifest;
  for (std::size_t step = 0; step < expansion_steps(dimensions); ++step) {
    if (const std::int64_t rotation = step_rotation(n, step); rotation > 0)
      manifest.rotations[rotation] = 0;
    else
      manifest.conjugate_level = 0;
  }
  return manifest;
}

std::uint64_t expansion_key_bytes(std::size_t dimensions) {
  // A key has one digit: two polynomials over the ciphertext prime and the special prime.
  constexpr std::uint64_t kPolynomials = 2, kPrimes = 2;
  return expansion_steps(dimensions) * kPolynomials * kPrimes * search_context()->parameters().n() *
         sizeof(std::uint64_t);
}

std::uint64_t expanded_bytes(std::size_t dimensions) {
  return 2 * dimensions * (search_context()->parameters().n() + kRowGap) * sizeof(std::uint64_t);
}

ExpandedQuestion::ExpandedQuestion(std::size_t n, std::size_t dimensions)
    : dimensions_(dimensions), stride_(n + kRowGap), words_(2 * dimensions * stride_) {}

Expander::Expander(scheme::ckks::ContextPtr context, std::shared_ptr<const scheme::ckks::EvaluationKeys> keys,
                   std::size_t dimensions)
    : context_(std::move(context)), keys_(std::move(keys)) {
  const std::size_t n = context_->parameters().n();
  const ring::NttTables& ntt = context_->chain().ntt(0);
  for (std::size_t step = 0; step < expansion_steps(dimensions); ++step) {
    const std::int64_t rotation = step_rotation(n, step);
    rotations_.emplace_back(context_->chain(),
                            rotation > 0 ? keys_->rotation(rotation, 0, "expand") : keys_->conjugate(0, "expand"));
    ring::NttPoly& monomial = monomials_.emplace_back(n, 1);
    monomial.zero();
    monomial.limb(0)[n - (std::size_t{1} << step)] = ntt.modulus().negate(1);
    ntt.forward(monomial.limb(0));
  }
}

ExpandedQuestion Expander::expand(const Ciphertext& question, std::size_t dimensions) const {
  const std::size_t n = context_->parameters().n();
  const ring::Modulus& q = context_->chain().modulus(0);
  ExpandedQuestion leaves(n, dimensions);
  std::copy_n(question.c0.limb(0), n, leaves.row(0, 0));
  std::copy_n(question.c1.limb(0), n, leaves.row(1, 0));
  for (std::size_t step = 0, count = 1; count < dimensions; ++step, count *= 2) {
    base::parallel_for(0, count, [&](std::size_t i) {
      scheme::rlwe::ScratchRows turned(n, 2);
      rotations_[step].apply(leaves.row(0, i), leaves.row(1, i), turned[0], turned[1]);
      for (std::size_t half = 0; half < 2; ++half) {
        std::uint64_t* const whole = leaves.row(half, i);
        if (i + count < dimensions) {
          std::uint64_t* const odd = leaves.row(half, i + count);
          limb::sub(odd, whole, turned[half], n, q);
          limb::multiply(odd, odd, monomials_[step].limb(0), n, q);
        }
        limb::add(whole, whole, turned[half], n, q);
      }
    });
  }
  return leaves;
}

}  // namespace tacit::search
