#include "scheme/ckks/relinearisation_rounds.h"

#include <utility>

#include "base/aligned.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/wipe.h"
#include "ring/limb.h"
#include "ring/sampler.h"
#include "scheme/ckks/check.h"

namespace tacit::scheme::ckks {

namespace limb = ring::limb;

namespace {

constexpr const char* kName = "relinearisation";

/// Of everything that the second round is asked for.
base::Digest digest_of(const RelinearisationHalves& sums, const base::Digest& group) {
  base::Sha256 hash;
  hash.update(std::as_bytes(std::span(group)));
  for (const auto* half : {&sums.masked, &sums.second})
    for (const ring::NttPoly& poly : *half)
      for (std::size_t row = 0; row < poly.limbs(); ++row) hash.update(std::as_bytes(poly.limb_span(row)));
  return hash.finish();
}

}  // namespace

RelinearisationRounds::RelinearisationRounds(ContextPtr context, const base::Digest& group, int level)
    : context_(std::move(context)), group_(group), level_(level) {
  check_level(*context_, level, "relinearisation key");
}

ring::NttPoly RelinearisationRounds::mask(const SubSecret& secret) const {
  base::Csprng random = secret.stream("mask of relinearisation", group_);
  return rlwe::sampled(chain(), ring::sample_ternary, random, rlwe::extended_primes(chain(), level_));
}

RelinearisationHalves RelinearisationRounds::first(const SubSecret& secret) const {
  const std::vector<std::size_t> primes = rlwe::extended_primes(chain(), level_);
  const std::size_t n = chain().n(), rows = primes.size(), digits = chain().digits(level_);
  const base::Seed seed = uniform_half(group_, kName);
  base::Csprng random = secret.stream("errors of relinearisation, first round", group_);
  RelinearisationHalves halves;
  for (auto* half : {&halves.masked, &halves.second})
    for (std::size_t digit = 0; digit < digits; ++digit)
      half->push_back(rlwe::sampled(chain(), ring::sample_gaussian, random, primes));
  ring::NttPoly u = mask(secret);
  base::parallel_for(0, digits * rows, [&](std::size_t task) {
    const std::size_t digit = task / rows, row = task % rows, prime = primes[row];
    const ring::Modulus& q = chain().modulus(prime);
    const std::uint64_t* const s = secret.key().poly().limb(prime);
    base::AlignedVector<std::uint64_t> uniform(n), product(n);
    const base::WipedAtExit wiped(product);
    rlwe::uniform_row(chain(), seed, digit, prime).fill(0, uniform);
    std::uint64_t* const masked = halves.masked[digit].limb(row);
    limb::multiply(product.data(), uniform.data(), u.limb(row), n, q);
    limb::sub(masked, masked, product.data(), n, q);
    limb::multiply_add(halves.second[digit].limb(row), uniform.data(), s, n, q);
    if (row < chain().digit_first(digit) || row >= chain().digit_last(level_, digit)) return;
    limb::multiply_scalar(product.data(), s, chain().key_factor(row), n, q);
    limb::add(masked, masked, product.data(), n, q);
  });
  u.wipe();
  return halves;
}

std::vector<ring::NttPoly> RelinearisationRounds::second(const SubSecret& secret,
                                                         const RelinearisationHalves& sums) const {
  const std::vector<std::size_t> primes = rlwe::extended_primes(chain(), level_);
  const std::size_t n = chain().n(), rows = primes.size(), digits = chain().digits(level_);
  base::Csprng random = secret.stream("errors of relinearisation, second round", digest_of(sums, group_));
  std::vector<ring::NttPoly> result;
  for (std::size_t digit = 0; digit < digits; ++digit)
    result.push_back(rlwe::sampled(chain(), ring::sample_gaussian, random, primes));
  ring::NttPoly u = mask(secret);
  base::parallel_for(0, digits * rows, [&](std::size_t task) {
    const std::size_t digit = task / rows, row = task % rows;
    const ring::Modulus& q = chain().modulus(primes[row]);
    const std::uint64_t* const s = secret.key().poly().limb(primes[row]);
    base::AlignedVector<std::uint64_t> difference(n);
    const base::WipedAtExit wiped(difference);
    limb::sub(difference.data(), u.limb(row), s, n, q);
    limb::multiply_add(result[digit].limb(row), sums.masked[digit].limb(row), s, n, q);
    limb::multiply_add(result[digit].limb(row), sums.second[digit].limb(row), difference.data(), n, q);
  });
  u.wipe();
  return result;
}

void RelinearisationRounds::add(std::vector<ring::NttPoly>& sum, const std::vector<ring::NttPoly>& part) const {
  const std::size_t rows = chain().extended_rows(level_), digits = chain().digits(level_);
  const auto fits = [&](const std::vector<ring::NttPoly>& polys) {
    bool all = polys.size() == digits;
    for (const ring::NttPoly& poly : polys) all = all && poly.n() == chain().n() && poly.limbs() == rows;
    return all;
  };
  if (!fits(sum) || !fits(part)) throw base::InputError("parts of a relinearisation key: they are not of one group");
  base::parallel_for(0, digits * rows, [&](std::size_t task) {
    const std::size_t digit = task / rows, row = task % rows;
    std::uint64_t* const out = sum[digit].limb(row);
    limb::add(out, out, part[digit].limb(row), chain().n(), chain().modulus(chain().prime_of(level_, row)));
  });
}

void RelinearisationRounds::add(RelinearisationHalves& sum, const RelinearisationHalves& part) const {
  add(sum.masked, part.masked);
  add(sum.second, part.second);
}

std::vector<ring::NttPoly> RelinearisationRounds::times_two52(std::vector<ring::NttPoly> polys) const {
  for (ring::NttPoly& poly : polys)
    for (std::size_t row = 0; row < poly.limbs(); ++row) {
      const ring::Modulus& q = chain().modulus(chain().prime_of(level_, row));
      limb::multiply_scalar(poly.limb(row), poly.limb(row), q.times_two52(1), chain().n(), q);
    }
  return polys;
}

rlwe::SwitchingKey RelinearisationRounds::key(std::vector<ring::NttPoly> second,
                                              std::vector<ring::NttPoly> uniform) const {
  return {chain(), level_, times_two52(std::move(second)), times_two52(std::move(uniform))};
}

}  // namespace tacit::scheme::ckks
