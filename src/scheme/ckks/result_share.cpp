#include "scheme/ckks/result_share.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "base/secret_memory.h"
#include "ring/limb.h"
#include "ring/sampler.h"
#include "scheme/ckks/check.h"
#include "scheme/ckks/subring.h"

namespace tacit::scheme::ckks {

namespace limb = ring::limb;

namespace {

constexpr double kLeastFlood = 0x1p8, kMostFlood = 0x1p52;
/// The share of the flood's deviation that rounding may cost.
constexpr double kFloodToStep = 16;
constexpr int kHighestLevel = 1;

/// The bits that are rounded away, of each half. The error of the second one meets the receiver's ternary secret.
std::array<int, 2> dropped_bits(const params::CkksParameters& parameters, double flood) {
  const double terms = static_cast<double>(parameters.n()) * (parameters.real_slots() ? 2 : 1);
  const auto bits = [](double step) { return std::max(0, static_cast<int>(std::floor(std::log2(step)))); };
  return {bits(flood / kFloodToStep), bits(flood / kFloodToStep / std::sqrt(2 * terms / 3))};
}

void require_level(int level, const char* operation) {
  if (level > kHighestLevel)
    base::refuse(
        "{}: the result is at level {}, and results of several owners are at level 0 or 1; compile with "
        "--owners",
        operation, level);
}

/// Everything that a share depends on besides the secret.
base::Digest request_of(const Ciphertext& ciphertext, const PublicKey& receiver, double flood, int log_gap) {
  base::Sha256 hash;
  hash.update(std::as_bytes(std::span(receiver.parameters)))
      .update(std::as_bytes(std::span(receiver.seed)))
      .update(std::as_bytes(std::span(&flood, 1)))
      .update(std::as_bytes(std::span(&log_gap, 1)));
  for (std::size_t row = 0; row < receiver.b.limbs(); ++row) hash.update(std::as_bytes(receiver.b.limb_span(row)));
  for (std::size_t row = 0; row < ciphertext.c1.limbs(); ++row)
    hash.update(std::as_bytes(ciphertext.c1.limb_span(row)));
  return hash.finish();
}

}  // namespace

ResultSharing::ResultSharing(ContextPtr context, PublicKey receiver, double flood, int log_gap)
    : context_(std::move(context)), receiver_(std::move(receiver)), flood_(flood), log_gap_(log_gap) {
  check_parameters(*context_, receiver_.parameters, "share", "receiver's key");
  if (!(flood >= kLeastFlood && flood <= kMostFlood))
    base::refuse("share: a flood of deviation {:.4g} in a coefficient is outside 2^8 to 2^52", flood);
  check_gap(*context_, log_gap, "share");
}

std::array<RoundedCoefficients, 2> ResultSharing::forms(int level) const {
  const std::array<int, 2> dropped = dropped_bits(context_->parameters(), flood_);
  return {RoundedCoefficients(context_->chain(), level, dropped[0], log_gap_),
          RoundedCoefficients(context_->chain(), level, dropped[1])};
}

std::size_t ResultSharing::share_bytes(int level) const {
  std::size_t bytes = 0;
  for (const RoundedCoefficients& form : forms(level)) bytes += form.bytes();
  return bytes;
}

std::vector<std::uint8_t> ResultSharing::share(const SubSecret& secret, const Ciphertext& ciphertext) const {
  check(*context_, ciphertext, "share");
  require_level(ciphertext.level, "share");
  const rlwe::ModulusChain& chain = context_->chain();
  const std::size_t n = chain.n(), rows = rlwe::ModulusChain::rows(ciphertext.level);
  const std::vector<std::size_t> primes = rlwe::extended_primes(chain, ciphertext.level);
  base::Csprng random = secret.stream("share of a result", request_of(ciphertext, receiver_, flood_, log_gap_));
  ring::NttPoly mask = rlwe::sampled(chain, ring::sample_ternary, random, std::span(primes).first(rows));
  std::array halves{ring::CoefficientPoly(n, rows), ring::CoefficientPoly(n, rows)};
  ring::NttPoly errors = rlwe::sampled(chain, ring::sample_gaussian, random, std::span(primes).first(rows));
  base::SecretVector<std::int64_t> flood(n >> log_gap_);
  ring::sample_wide_gaussian(flood, flood_, random);
  base::parallel_for(0, rows, [&](std::size_t row) {
    const ring::Modulus& q = chain.modulus(row);
    std::uint64_t* const first = halves[0].limb(row);
    std::uint64_t* const second = halves[1].limb(row);
    limb::multiply(first, mask.limb(row), receiver_.b.limb(row), n, q);
    limb::multiply_add(first, ciphertext.c1.limb(row), secret.key().poly().limb(row), n, q);
    chain.ntt(row).inverse(first);
    for (std::size_t i = 0; i < flood.size(); ++i)
      first[i << log_gap_] = q.add(first[i << log_gap_], q.reduce_signed(flood[i]));
    limb::multiply(second, mask.limb(row), receiver_.a.limb(row), n, q);
    limb::add(second, second, errors.limb(row), n, q);
    chain.ntt(row).inverse(second);
  });
  mask.wipe();
  errors.wipe();
  std::vector<std::uint8_t> bytes;
  const std::array<RoundedCoefficients, 2> sent = forms(ciphertext.level);
  for (std::size_t half = 0; half < 2; ++half) {
    sent[half].append(halves[half], bytes);
    halves[half].wipe();  // the bits that were rounded away are nobody's
  }
  return bytes;
}

Ciphertext ResultSharing::combine(const Ciphertext& ciphertext,
                                  std::span<const std::span<const std::uint8_t>> shares) const {
  check(*context_, ciphertext, "combine");
  require_level(ciphertext.level, "combine");
  const rlwe::ModulusChain& chain = context_->chain();
  const std::size_t n = chain.n(), rows = rlwe::ModulusChain::rows(ciphertext.level);
  const std::array<RoundedCoefficients, 2> sent = forms(ciphertext.level);
  Ciphertext result{.c0 = ring::NttPoly(n, rows),
                    .c1 = ring::NttPoly(n, rows),
                    .level = ciphertext.level,
                    .scale = ciphertext.scale,
                    .parameters = ciphertext.parameters,
                    .log_gap = log_gap_};
  std::array halves{ring::CoefficientPoly(n, rows), ring::CoefficientPoly(n, rows)};
  for (ring::CoefficientPoly& half : halves) half.zero();
  for (const std::span<const std::uint8_t>& share : shares) {
    if (share.size() != share_bytes(ciphertext.level))
      base::refuse("combine: a share has {} bytes, and one of a result at level {} has {}", share.size(),
                   ciphertext.level, share_bytes(ciphertext.level));
    std::size_t at = 0;
    for (std::size_t half = 0; half < 2; ++half) {
      sent[half].add(share.subspan(at, sent[half].bytes()), halves[half]);
      at += sent[half].bytes();
    }
  }
  ring::NttPoly c0 = ciphertext.c0;
  if (ciphertext.log_gap < log_gap_) keep_subring(chain, c0, log_gap_);
  base::parallel_for(0, 2 * rows, [&](std::size_t task) {
    const std::size_t half = task / rows, row = task % rows;
    std::uint64_t* const out = (half == 0 ? result.c0 : result.c1).limb(row);
    std::ranges::copy(halves[half].limb_span(row), out);
    chain.ntt(row).forward(out);
    if (half == 0) limb::add(out, out, c0.limb(row), n, chain.modulus(row));
  });
  return result;
}

}  // namespace tacit::scheme::ckks
