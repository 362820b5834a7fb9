#include "scheme/ckks/evaluator.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "ring/limb.h"
#include "scheme/ckks/check.h"
#include "scheme/ckks/tensor_products.h"

namespace tacit::scheme::ckks {

namespace limb = ring::limb;

namespace {
// Rotations of one value that are divided at once: more read its digits less often and hold more half-divided results.
constexpr std::size_t kRotationsTogether = 4;
}  // namespace

Evaluator::Evaluator(ContextPtr context, std::shared_ptr<const EvaluationKeys> keys)
    : context_(std::move(context)), keys_(std::move(keys)) {
  if (keys_) check_parameters(*context_, keys_->parameters, "evaluator", "evaluation keys");
}

const EvaluationKeys& Evaluator::keys(const char* operation) const {
  if (!keys_) base::refuse("{}: no evaluation keys were given", operation);
  return *keys_;
}

const rlwe::ModulusChain& Evaluator::rotation_chain(int level) const {
  return context_->rotation_chain(rotation_primes().at(level));
}

std::int64_t Evaluator::normalised(std::int64_t steps) const {
  const auto slots = static_cast<std::int64_t>(context_->parameters().slots());
  return (steps % slots + slots) % slots;
}

Ciphertext Evaluator::blank(int level, double scale) const {
  const std::size_t n = context_->parameters().n(), rows = rlwe::ModulusChain::rows(level);
  return {.c0 = ring::NttPoly(n, rows),
          .c1 = ring::NttPoly(n, rows),
          .level = level,
          .scale = scale,
          .parameters = context_->parameters().hash()};
}

void Evaluator::add_constant(Ciphertext& x, rlwe::Int128 constant) const {
  base::parallel_for(0, x.c0.limbs(), [&](std::size_t row) {
    const ring::Modulus& q = context_->chain().modulus(row);
    limb::add_scalar(x.c0.limb(row), x.c0.limb(row), rlwe::residue(constant, q), x.c0.n(), q);
  });
}

void Evaluator::check_summands(const Ciphertext& a, const Ciphertext& b, const char* operation) const {
  check(*context_, a, operation);
  check(*context_, b, operation);
  check_same_level(a.level, b.level, operation);
  check_same_scale(a.scale, b.scale, operation);
}

template <class Kernel>
void Evaluator::by_limb(Ciphertext& out, const Ciphertext& a, const Ciphertext& b, const Kernel& kernel) const {
  base::parallel_for(0, a.c0.limbs(), [&](std::size_t row) {
    const ring::Modulus& q = context_->chain().modulus(row);
    kernel(out.c0.limb(row), a.c0.limb(row), b.c0.limb(row), a.c0.n(), q);
    kernel(out.c1.limb(row), a.c1.limb(row), b.c1.limb(row), a.c0.n(), q);
  });
}

Ciphertext Evaluator::add(const Ciphertext& a, const Ciphertext& b) const {
  check_summands(a, b, "add");
  Ciphertext result = blank(a.level, a.scale);
  by_limb(result, a, b, limb::add);
  return result;
}

Ciphertext Evaluator::sub(const Ciphertext& a, const Ciphertext& b) const {
  check_summands(a, b, "subtract");
  Ciphertext result = blank(a.level, a.scale);
  by_limb(result, a, b, limb::sub);
  return result;
}

void Evaluator::add_in_place(Ciphertext& a, const Ciphertext& b) const {
  check_summands(a, b, "add");
  a.c1_seed.reset();
  a.log_gap = 0;
  by_limb(a, a, b, limb::add);
}

Ciphertext Evaluator::negate(const Ciphertext& a) const {
  check(*context_, a, "negate");
  Ciphertext result = blank(a.level, a.scale);
  base::parallel_for(0, a.c0.limbs(), [&](std::size_t row) {
    const ring::Modulus& q = context_->chain().modulus(row);
    limb::negate(result.c0.limb(row), a.c0.limb(row), a.c0.n(), q);
    limb::negate(result.c1.limb(row), a.c1.limb(row), a.c0.n(), q);
  });
  return result;
}

Ciphertext Evaluator::add_plain(const Ciphertext& a, const Plaintext& b) const {
  Ciphertext result = a;
  add_plain_in_place(result, b);
  return result;
}

void Evaluator::add_plain_in_place(Ciphertext& a, const Plaintext& b) const {
  check(*context_, a, "add plaintext");
  check(*context_, b, "add plaintext");
  check_same_level(a.level, b.level, "add plaintext");
  check_same_scale(a.scale, b.scale, "add plaintext");
  a.log_gap = 0;
  base::parallel_for(0, a.c0.limbs(), [&](std::size_t row) {
    limb::add(a.c0.limb(row), a.c0.limb(row), b.poly.limb(row), a.c0.n(), context_->chain().modulus(row));
  });
}

Ciphertext Evaluator::multiply_plain(const Ciphertext& a, const Plaintext& b) const {
  check(*context_, a, "multiply by plaintext");
  check(*context_, b, "multiply by plaintext");
  check_same_level(a.level, b.level, "multiply by plaintext");
  Ciphertext result = blank(a.level, a.scale * b.scale);
  base::parallel_for(0, a.c0.limbs(), [&](std::size_t row) {
    const ring::Modulus& q = context_->chain().modulus(row);
    limb::multiply(result.c0.limb(row), a.c0.limb(row), b.poly.limb(row), a.c0.n(), q);
    limb::multiply(result.c1.limb(row), a.c1.limb(row), b.poly.limb(row), a.c0.n(), q);
  });
  return result;
}

namespace {
rlwe::RunSink rows_of(Ciphertext& result) { return rlwe::copy_runs({&result.c0, &result.c1}); }
}  // namespace

Ciphertext Evaluator::multiply_plain_rescale(const Ciphertext& a, const Plaintext& b) const {
  check(*context_, a, "multiply by plaintext");
  check(*context_, b, "multiply by plaintext");
  check_same_level(a.level, b.level, "multiply by plaintext");
  check_rescalable(a.level, "multiply by plaintext");
  Ciphertext result = blank(a.level - 1, a.scale * b.scale / context_->parameters().prime(a.level));
  const rlwe::Combination parts[] = {{.products = {{&a.c0, &b.poly}}, .multiples = {}},
                                     {.products = {{&a.c1, &b.poly}}, .multiples = {}}};
  rlwe::rescale(context_->chain(), a.level, parts, rows_of(result));
  return result;
}

Ciphertext Evaluator::rescale(const Ciphertext& a) const {
  check(*context_, a, "rescale");
  check_rescalable(a.level, "rescale");
  return rescaled_sum({.products = {}, .multiples = {{&a, 1}}}, a.level, a.scale, "rescale");
}

Ciphertext Evaluator::rescaled_sum(const Sum& sum, int level, double scale, const char* operation) const {
  const rlwe::ModulusChain& chain = context_->chain();
  Ciphertext result = blank(level - 1, scale / context_->parameters().prime(level));
  std::array<rlwe::Combination, 2> parts;
  parts[0].constant = sum.constant;
  for (const auto& [x, factor] : sum.multiples) {
    parts[0].multiples.push_back({&x->c0, factor});
    parts[1].multiples.push_back({&x->c1, factor});
  }
  if (sum.products.empty()) {
    rlwe::rescale(chain, level, parts, rows_of(result));
    return result;
  }
  const rlwe::SwitchingKey& key = relinearisation_key(level, operation);
  const rlwe::ModulusChain& product_chain = context_->product_chain();
  TensorProduct product;
  if (sum.products.size() >= kManyProducts && sum.weight == 1) {
    std::vector<std::pair<const Ciphertext*, const Ciphertext*>> terms;
    for (const auto& [a, b] : sum.products) terms.emplace_back(a, b);
    product = tensor_products(chain, terms, level);
    parts[0].multiples.push_back({&product.d0, 1});
    parts[1].multiples.push_back({&product.d1, 1});
  } else {
    product.d2 = ring::NttPoly(chain.n(), rlwe::ModulusChain::rows(level));
    rlwe::Combination last;
    // The middle part of a square is twice one product.
    const bool squares = std::ranges::all_of(sum.products, [](const Sum::Product& term) { return term.a == term.b; });
    for (const auto& [a, b] : sum.products) {
      parts[0].products.push_back({&a->c0, &b->c0});
      parts[1].products.push_back({&a->c0, &b->c1});
      if (!squares) parts[1].products.push_back({&a->c1, &b->c0});
      last.products.push_back({&a->c1, &b->c1});
    }
    parts[0].weight = last.weight = sum.weight;
    parts[1].weight = squares ? 2 * sum.weight : sum.weight;
    base::parallel_for(0, product.d2.limbs(),
                       [&](std::size_t row) { rlwe::evaluate_row(chain, last, row, product.d2.limb(row)); });
  }
  const rlwe::Digits digits(product_chain, product.d2, level);
  rlwe::switch_key(product_chain, digits, key, parts, rlwe::Divisor::special_and_last, rows_of(result));
  return result;
}

Ciphertext Evaluator::divided_sum(const Sum& sum, int from, int to, double scale, const char* operation) const {
  // Prime by prime: all roundings but the last are scaled away.
  Ciphertext result = rescaled_sum(sum, from, scale, operation);
  for (int level = from - 1; level > to; --level)
    result = rescaled_sum({.products = {}, .multiples = {{&result, 1}}}, level, result.scale, operation);
  return result;
}

Ciphertext Evaluator::multiply_checked(const Ciphertext& a, const Ciphertext& b, const char* operation) const {
  check(*context_, a, operation);
  check(*context_, b, operation);
  check_same_level(a.level, b.level, operation);
  check_rescalable(a.level, operation);
  return rescaled_sum({.products = {{&a, &b}}, .multiples = {}}, a.level, a.scale * b.scale, operation);
}

Ciphertext Evaluator::multiply(const Ciphertext& a, const Ciphertext& b) const {
  return multiply_checked(a, b, "multiply");
}

Ciphertext Evaluator::drop_to_level(const Ciphertext& a, int level) const {
  check(*context_, a, "drop to level");
  if (level < 0 || level > a.level) base::refuse("drop to level: {} is outside 0 to {}", level, a.level);
  Ciphertext result = blank(level, a.scale);
  for (std::size_t row = 0; row < result.c0.limbs(); ++row) {
    std::copy_n(a.c0.limb(row), a.c0.n(), result.c0.limb(row));
    std::copy_n(a.c1.limb(row), a.c1.n(), result.c1.limb(row));
  }
  return result;
}

std::vector<Ciphertext> Evaluator::apply(const rlwe::ModulusChain& chain, const Ciphertext& a,
                                         const rlwe::Digits& digits, std::span<const GaloisKey* const> keys) const {
  std::vector<Ciphertext> results;
  std::vector<const rlwe::SwitchingKey*> switching;
  for (const GaloisKey* key : keys) {
    results.push_back(blank(a.level, a.scale));
    switching.push_back(&key->key);
  }
  const bool around = rlwe::goes_around(2 * keys.size() * a.c0.limbs() * chain.n());
  rlwe::switch_keys(chain, digits, switching, rlwe::Divisor::special, [&](const rlwe::Run& run) {
    const std::size_t row = run.row, i = run.poly / 2;
    const bool first = run.poly % 2 == 0;
    std::uint64_t* words = run.words.data();
    if (first) {
      const std::uint64_t* c0 = a.c0.limb(row) + run.at;
      limb::prefetch(c0 + run.words.size(), run.words.size());
      limb::add(words, words, c0, run.words.size(), chain.modulus(row));
    }
    keys[i]->automorphism.apply_run({(first ? results[i].c0 : results[i].c1).limb(row), around}, run.words, run.at);
  });
  return results;
}

Ciphertext Evaluator::rotate(const Ciphertext& a, std::int64_t steps) const {
  check(*context_, a, "rotate");
  steps = normalised(steps);
  if (steps == 0) return a;
  const GaloisKey* key = &rotation_key(steps, a.level, "rotate");
  const rlwe::ModulusChain& chain = rotation_chain(a.level);
  return std::move(apply(chain, a, rlwe::Digits(chain, a.c1, a.level), {&key, 1})[0]);
}

Ciphertext Evaluator::conjugate(const Ciphertext& a) const {
  check(*context_, a, "conjugate");
  const GaloisKey* key = &keys("conjugate").conjugate(a.level, "conjugate");
  return std::move(apply(context_->chain(), a, rlwe::Digits(context_->chain(), a.c1, a.level), {&key, 1})[0]);
}

std::vector<Ciphertext> Evaluator::rotate_hoisted(const Ciphertext& a, std::span<const std::int64_t> steps) const {
  check(*context_, a, "rotate");
  std::vector<std::size_t> unmoved, rotated;  // indices of steps
  std::vector<const GaloisKey*> keys;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::int64_t rotation = normalised(steps[i]);
    if (rotation == 0) {
      unmoved.push_back(i);
    } else {
      rotated.push_back(i);
      keys.push_back(&rotation_key(rotation, a.level, "rotate"));
    }
  }
  std::vector<Ciphertext> results(steps.size());
  for (const std::size_t i : unmoved) results[i] = a;
  if (keys.empty()) return results;
  const rlwe::ModulusChain& chain = rotation_chain(a.level);
  rlwe::Digits digits(chain, a.c1, a.level);
  if (keys.size() > 1) digits.hoist();
  for (std::size_t first = 0; first < keys.size(); first += kRotationsTogether) {
    const std::size_t count = std::min(kRotationsTogether, keys.size() - first);
    std::vector<Ciphertext> group = apply(chain, a, digits, std::span(keys).subspan(first, count));
    for (std::size_t i = 0; i < count; ++i) results[rotated[first + i]] = std::move(group[i]);
  }
  return results;
}

}  // namespace tacit::scheme::ckks
