#include "scheme/rlwe/switching_key.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"
#include "ring/limb.h"
#include "ring/sampler.h"
#include "scheme/rlwe/secret_key.h"

namespace tacit::scheme::rlwe {

namespace limb = ring::limb;

namespace {
/// Words that are computed at a time, in the first cache.
constexpr std::size_t kRun = 1024;

std::uint64_t stream(std::size_t index, std::size_t prime) { return (static_cast<std::uint64_t>(index) << 32) | prime; }
}  // namespace

ring::UniformRow uniform_row(const ModulusChain& chain, const base::Seed& seed, std::size_t index, std::size_t prime) {
  return {seed, stream(index, prime), chain.modulus(prime)};
}

SwitchingKey::SwitchingKey(const ModulusChain& chain, int level, const base::Seed& seed, std::vector<ring::NttPoly> b)
    : level_(level),
      held_level_(static_cast<std::size_t>(level)),
      first_special_(ModulusChain::rows(chain.max_level())),
      first_missing_(first_special_),
      seed_(seed),
      digit_(b.size()),
      b_(std::make_shared<std::vector<ring::NttPoly>>(std::move(b))) {
  std::iota(digit_.begin(), digit_.end(), std::size_t{0});
  bool fits = level >= 0 && level <= chain.max_level() && digits() == chain.digits(level);
  for (const ring::NttPoly& poly : *b_)
    fits = fits && poly.n() == chain.n() && poly.limbs() == chain.extended_rows(level);
  if (!fits) throw base::InputError("switching key: its digits and rows do not fit the parameter set");
}

ring::UniformRow SwitchingKey::a(const ModulusChain& chain, std::size_t digit, int level, std::size_t row) const {
  const std::size_t prime =
      row < ModulusChain::rows(level) ? held_prime(row) : row - ModulusChain::rows(level) + first_special_;
  return {seed_, stream(digit_[digit], prime), chain.modulus(chain.prime_of(level, row))};
}

SwitchingKey SwitchingKey::without(const ModulusChain& whole, const ModulusChain& part, std::size_t first,
                                   std::size_t count) const {
  SwitchingKey result(*this);
  result.first_missing_ = first;
  result.missing_ = count;
  result.level_ = std::max(std::min(level_, static_cast<int>(first) - 1), level_ - static_cast<int>(count));
  result.digit_.clear();
  for (std::size_t digit = 0; digit < part.digits(result.level_); ++digit)
    result.digit_.push_back(digit_[whole.digit_of(result.held_prime(part.digit_first(digit)))]);
  return result;
}

SwitchingKey SwitchingKey::generate(const ModulusChain& chain, const ring::NttRows& from, const ring::NttRows& to,
                                    int level) {
  const std::size_t rows = chain.extended_rows(level);
  const std::vector<std::size_t> primes = extended_primes(chain, level);
  std::vector<ring::NttPoly> b;
  base::Csprng random = base::Csprng::from_system();
  std::vector<std::int8_t> error(chain.n());
  for (std::size_t digit = 0; digit < chain.digits(level); ++digit) {
    ring::sample_gaussian(error, random);
    b.push_back(small_to_ntt(chain, error, primes));
  }
  base::zeroise(error.data(), error.size());
  SwitchingKey key(chain, level, base::public_seed(), std::move(b));
  base::parallel_for(0, key.digits() * rows, [&](std::size_t task) {
    const std::size_t digit = task / rows, row = task % rows, prime = primes[row];
    const ring::Modulus& q = chain.modulus(prime);
    const ring::UniformRow uniform = key.a(chain, digit, level, row);
    const bool own = row >= chain.digit_first(digit) && row < chain.digit_last(level, digit);
    const std::uint64_t factor = own ? q.times_two52(chain.key_factor(row)) : 0;
    const std::size_t run = std::min(kRun, chain.n());
    base::AlignedVector<std::uint64_t> product(run);
    for (std::size_t at = 0; at < chain.n(); at += run) {
      std::uint64_t* const out = (*key.b_)[digit].limb(row) + at;
      limb::multiply_scalar(out, out, q.times_two52(1), run, q);
      uniform.fill(at, product);
      limb::multiply(product.data(), product.data(), to.limb(prime) + at, run, q);
      limb::sub(out, out, product.data(), run, q);
      if (!own) continue;
      limb::multiply_scalar(product.data(), from.limb(prime) + at, factor, run, q);
      limb::add(out, out, product.data(), run, q);
    }
    base::zeroise(product.data(), run * sizeof(std::uint64_t));
  });
  return key;
}

std::size_t SwitchingKey::bytes() const {
  std::size_t words = 0;
  for (const auto& poly : *b_) words += poly.n() * poly.limbs();
  return words * sizeof(std::uint64_t);
}

}  // namespace tacit::scheme::rlwe
