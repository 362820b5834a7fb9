#include "scheme/tfhe/key_switch_key.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "ring/torus_products.h"
#include "scheme/tfhe/bounded_noise.h"
#include "scheme/tfhe/check.h"
#include "scheme/tfhe/torus.h"

namespace tacit::scheme::tfhe {
namespace {

constexpr std::size_t kTogether = 64;  // rows that one task makes
// Ciphertexts whose digits are held at once, 16 to 80 KiB each; each time the key is read once.
constexpr std::size_t kCiphertextsTogether = 256;

/// The n words of a row's mask.
void row_mask(base::Csprng& masks, std::size_t row, std::span<std::uint32_t> mask) {
  masks.begin_stream(row);
  for (std::size_t i = 0; i < mask.size(); i += 2) {
    const std::uint64_t word = masks.next();
    mask[i] = static_cast<std::uint32_t>(word);
    if (i + 1 < mask.size()) mask[i + 1] = static_cast<std::uint32_t>(word >> 32);
  }
}

}  // namespace

std::size_t SeededKeySwitchKey::rows(const Context& context) {
  return context.large() * static_cast<std::size_t>(context.parameters().key_switch().levels);
}

void SeededKeySwitchKey::make_bodies(const Context& context, const SecretKey& secret, const base::Seed& seed,
                                     std::size_t first, std::span<std::uint32_t> bodies, base::Csprng& noise) {
  const DigitsOf digits(context.parameters().key_switch());
  const auto levels = static_cast<std::size_t>(context.parameters().key_switch().levels);
  const int noise_bits = context.parameters().literal().lwe_noise_bits;
  base::Csprng masks(seed);
  std::vector<std::uint32_t> mask(context.small());
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const std::size_t row = first + k;
    row_mask(masks, row, mask);
    auto body = static_cast<std::uint32_t>(bounded_noise(noise, noise_bits));
    for (std::size_t i = 0; i < mask.size(); ++i) body += mask[i] & (0 - std::uint32_t{secret.small()[i]});
    const auto weight = static_cast<std::uint32_t>(digits.weight(row % levels) >> 32);
    bodies[k] = body + (weight & (0 - std::uint32_t{secret.large()[row / levels]}));
  }
}

SeededKeySwitchKey SeededKeySwitchKey::generate(const Context& context, const SecretKey& secret) {
  check_parameters(context, secret.parameters(), "make a key switching key", "secret key's bits");
  SeededKeySwitchKey key{.seed = base::public_seed(),
                         .bodies = std::vector<std::uint32_t>(rows(context)),
                         .parameters = context.parameters().hash()};
  base::parallel_for(0, (key.bodies.size() + kTogether - 1) / kTogether, [&](std::size_t task) {
    base::Csprng noise = base::Csprng::from_system();
    const std::size_t first = task * kTogether;
    make_bodies(context, secret, key.seed, first,
                std::span(key.bodies).subspan(first, std::min(kTogether, key.bodies.size() - first)), noise);
  });
  return key;
}

KeySwitchKey::KeySwitchKey(ContextPtr context, const SeededKeySwitchKey& seeded)
    : context_(std::move(context)), rows_(SeededKeySwitchKey::rows(*context_)) {
  check_parameters(*context_, seeded.parameters, "key switching key", "words of the key");
  if (seeded.bodies.size() != rows_)
    base::refuse("key switching key: {} rows, but the parameter set has {}", seeded.bodies.size(), rows_);
  const std::size_t n = context_->small();
  tiles_ = (n + ring::kTorusColumns) / ring::kTorusColumns;
  words_.resize(tiles_ * rows_ * ring::kTorusColumns);
  base::parallel_for(0, (rows_ + kTogether - 1) / kTogether, [&](std::size_t task) {
    base::Csprng masks(seeded.seed);
    std::vector<std::uint32_t> row_words(tiles_ * ring::kTorusColumns, 0);
    const std::size_t end = std::min(rows_, (task + 1) * kTogether);
    for (std::size_t row = task * kTogether; row < end; ++row) {
      row_mask(masks, row, std::span(row_words).first(n));
      row_words[n] = seeded.bodies[row];
      for (std::size_t tile = 0; tile < tiles_; ++tile)
        std::copy_n(row_words.data() + tile * ring::kTorusColumns, ring::kTorusColumns,
                    words_.data() + (tile * rows_ + row) * ring::kTorusColumns);
    }
  });
}

SmallLweCiphertexts KeySwitchKey::switch_keys(const LweCiphertexts& ciphertexts) const {
  check(*context_, ciphertexts, "key switch");
  check_looks_up(*context_, "key switch");
  const std::size_t count = ciphertexts.count(), n = context_->small();
  const DigitsOf cut(context_->parameters().key_switch());
  SmallLweCiphertexts result(context_->parameters().lwe(), count, context_->parameters().hash());
  TACIT_ASSERT(result.stride() == tiles_ * ring::kTorusColumns);
  base::AlignedVector<std::int32_t> digits(std::min(count, kCiphertextsTogether) * rows_);
  for (std::size_t begin = 0; begin < count; begin += kCiphertextsTogether) {
    const std::size_t together = std::min(kCiphertextsTogether, count - begin);
    base::parallel_for(0, together, [&](std::size_t m) {
      const std::span<const Torus> mask = ciphertexts.mask(begin + m);
      std::int32_t* to = digits.data() + m * rows_;
      for (const Torus word : mask) {
        cut.cut(word, to);
        to += cut.levels();
      }
      std::uint32_t* const out = result.data() + (begin + m) * result.stride();
      std::fill_n(out, result.stride(), 0);
      out[n] = static_cast<std::uint32_t>((ciphertexts.body(begin + m) + (Torus{1} << 31)) >> 32);
    });
    base::parallel_for(0, tiles_, [&](std::size_t tile) {
      ring::subtract_digit_products({.key = words_.data() + tile * rows_ * ring::kTorusColumns,
                                     .tile_stride = rows_ * ring::kTorusColumns,
                                     .columns = ring::kTorusColumns,
                                     .rows = rows_,
                                     .digits = digits.data(),
                                     .digit_stride = rows_,
                                     .out = result.data() + begin * result.stride() + tile * ring::kTorusColumns,
                                     .out_stride = result.stride(),
                                     .count = together});
    });
  }
  return result;
}

}  // namespace tacit::scheme::tfhe
