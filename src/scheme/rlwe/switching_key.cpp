#include "scheme/rlwe/switching_key.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"
#include "base/secret_memory.h"
#include "ring/limb.h"
#include "ring/sampler.h"
#include "scheme/rlwe/key_seeds.h"
#include "scheme/rlwe/secret_key.h"

namespace tacit::scheme::rlwe {

namespace limb = ring::limb;

namespace {
/// Words that are computed at a time, in the first cache.
constexpr std::size_t kSampledWords = 1024;
/// A cache line.
constexpr std::size_t kGapWords = 8;

std::uint64_t stream(std::size_t index, std::size_t prime) { return (static_cast<std::uint64_t>(index) << 32) | prime; }
}  // namespace

ring::UniformRow uniform_row(const ModulusChain& chain, const base::Seed& seed, std::size_t index, std::size_t prime) {
  return {seed, stream(index, prime), chain.modulus(prime)};
}

SwitchingKey::SwitchingKey(const ModulusChain& chain, int level, const base::Seed& seed, std::vector<ring::NttPoly> b)
    : SwitchingKey(chain, level, seed, std::move(b), {}) {}

SwitchingKey::SwitchingKey(const ModulusChain& chain, int level, std::vector<ring::NttPoly> b,
                           std::vector<ring::NttPoly> a)
    : SwitchingKey(chain, level, base::Seed{}, std::move(b), std::move(a)) {
  if (seeded()) throw base::InputError("switching key: its second half is missing");
}

SwitchingKey::SwitchingKey(const ModulusChain& chain, int level, const base::Seed& seed, std::vector<ring::NttPoly> b,
                           std::vector<ring::NttPoly> a)
    : level_(level),
      held_level_(static_cast<std::size_t>(level)),
      first_special_(ModulusChain::rows(chain.max_level())),
      first_missing_(first_special_),
      seed_(seed),
      digit_(b.size()),
      n_(chain.n()) {
  std::iota(digit_.begin(), digit_.end(), std::size_t{0});
  bool fits = level >= 0 && level <= chain.max_level() && digits() == chain.digits(level) &&
              (a.empty() || a.size() == b.size());
  if (fits) held_rows_ = chain.extended_rows(level);
  for (const auto* half : {&b, &a})
    for (const ring::NttPoly& poly : *half) fits = fits && poly.n() == n_ && poly.limbs() == held_rows_;
  if (!fits) throw base::InputError("switching key: its digits and rows do not fit the parameter set");
  using Halves = std::array<std::vector<ring::NttPoly>, 2>;
  const auto polynomials = std::make_shared<const Halves>(Halves{std::move(b), std::move(a)});
  b_.assign((*polynomials)[0].begin(), (*polynomials)[0].end());
  a_.assign((*polynomials)[1].begin(), (*polynomials)[1].end());
  owner_ = polynomials;
}

std::size_t SwitchingKey::placed_words() const { return (b_.size() + a_.size()) * held_rows_ * (n_ + kGapWords); }

SwitchingKey SwitchingKey::placed(std::span<std::uint64_t> words, std::shared_ptr<const void> owner, bool write) const {
  if (words.size() != placed_words()) throw base::InternalError("a key was given room of another size");
  SwitchingKey result(*this);
  std::uint64_t* first = words.data();
  for (std::vector<ring::NttRows>* half : {&result.b_, &result.a_})
    for (ring::NttRows& poly : *half) {
      for (std::size_t row = 0; write && row < held_rows_; ++row)
        std::copy_n(poly.limb(row), n_, first + row * (n_ + kGapWords));
      poly = ring::NttRows(first, n_ + kGapWords);
      first += held_rows_ * (n_ + kGapWords);
    }
  result.owner_ = std::move(owner);
  return result;
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

void KeySeeds::draw(KeySeeds& seeds) {
  base::Seed noise = base::system_seed();
  seeds.noise = noise;
  base::zeroise(noise.data(), noise.size());
  seeds.uniform = base::public_seed();
}

SwitchingKey SwitchingKey::generate(const ModulusChain& chain, const ring::NttRows& from, const ring::NttRows& to,
                                    int level) {
  base::SecretVector<KeySeeds> seeds(1);
  KeySeeds::draw(seeds.front());
  return make_switching_key(chain, from, to, level, seeds.front());
}

SwitchingKey make_switching_key(const ModulusChain& chain, const ring::NttRows& from, const ring::NttRows& to,
                                int level, const KeySeeds& seeds) {
  base::Csprng random(seeds.noise);
  return SwitchingKey::generate(chain, from, to, level, seeds.uniform, random);
}

SwitchingKey SwitchingKey::generate(const ModulusChain& chain, const ring::NttRows& from, const ring::NttRows& to,
                                    int level, const base::Seed& uniform_half, base::Csprng& errors) {
  const std::size_t rows = chain.extended_rows(level);
  const std::vector<std::size_t> primes = extended_primes(chain, level);
  std::vector<ring::NttPoly> b;
  for (std::size_t digit = 0; digit < chain.digits(level); ++digit)
    b.push_back(sampled(chain, ring::sample_gaussian, errors, primes));
  // The key is computed in place, behind the constant rows that it shows to others.
  std::vector<std::uint64_t*> rows_of_digits;
  std::vector<std::size_t> strides;
  for (ring::NttPoly& poly : b) {
    rows_of_digits.push_back(poly.limb(0));
    strides.push_back(rows > 1 ? static_cast<std::size_t>(poly.limb(1) - poly.limb(0)) : 0);
  }
  SwitchingKey key(chain, level, uniform_half, std::move(b));
  base::parallel_for(0, key.digits() * rows, [&](std::size_t task) {
    const std::size_t digit = task / rows, row = task % rows, prime = primes[row];
    const ring::Modulus& q = chain.modulus(prime);
    const ring::UniformRow uniform = key.a(chain, digit, level, row);
    const bool own = row >= chain.digit_first(digit) && row < chain.digit_last(level, digit);
    const std::uint64_t factor = own ? q.times_two52(chain.key_factor(row)) : 0;
    const std::size_t run = std::min(kSampledWords, chain.n());
    base::AlignedVector<std::uint64_t> product(run);
    for (std::size_t at = 0; at < chain.n(); at += run) {
      std::uint64_t* const out = rows_of_digits[digit] + row * strides[digit] + at;
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

}  // namespace tacit::scheme::rlwe
