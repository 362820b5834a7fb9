#include "scheme/tfhe/packing_key.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "scheme/tfhe/check.h"
#include "scheme/tfhe/glwe_rows.h"

namespace tacit::scheme::tfhe {
namespace {

constexpr std::size_t kRowsTogether = 32;

void check_cut(const params::Decomposition& cut) {
  constexpr int kMostBits = 30;
  if (cut.base_log < 1 || cut.levels < 1 || cut.levels > kMostBits || cut.base_log > kMostBits ||
      cut.base_log * cut.levels > kMostBits)
    base::refuse("packing key: {} levels of {} bits; all levels have 1 to {} bits", cut.levels, cut.base_log,
                 kMostBits);
}

std::size_t level_count(const params::Decomposition& cut) { return static_cast<std::size_t>(cut.levels); }

}  // namespace

SeededPackingKey SeededPackingKey::generate(const Context& context, const SecretKey& secret,
                                            params::Decomposition cut) {
  check_parameters(context, secret.parameters(), "make a packing key", "secret key's bits");
  check_cut(cut);
  const std::size_t n = context.polynomial(), levels = level_count(cut);
  const DigitsOf digits(cut);
  SeededPackingKey key{
      .cut = cut, .seed = base::public_seed(), .bodies = {}, .parameters = context.parameters().hash()};
  key.bodies.resize(context.large() * levels * n);
  base::parallel_for(0, context.large(), [&](std::size_t j) {
    base::Csprng noise = base::Csprng::from_system();
    GlweRows glwe(context, key.seed);
    for (std::size_t level = 0; level < levels; ++level) {
      const std::span<Torus> body(key.bodies.data() + (j * levels + level) * n, n);
      std::ranges::fill(body, 0);
      body[0] = digits.weight(level) & (Torus{0} - Torus{secret.large()[j]});
      glwe.encrypt(secret, j * levels + level, body, noise);
    }
  });
  return key;
}

PackingKey::PackingKey(ContextPtr context, const SeededPackingKey& seeded)
    : context_(std::move(context)), cut_(seeded.cut) {
  check_parameters(*context_, seeded.parameters, "packing key", "words of the key");
  check_cut(cut_);
  const std::size_t n = context_->polynomial(), k = context_->glwe(), levels = level_count(cut_);
  if (seeded.bodies.size() != context_->large() * levels * n)
    base::refuse("packing key: {} words, but the parameter set has {}", seeded.bodies.size(),
                 context_->large() * levels * n);
  // A power of two divides k N evenly, for N is one of at least 2^8.
  bits_together_ = 1;
  while (2 * bits_together_ * levels <= kRowsTogether) bits_together_ *= 2;
  const std::size_t rows = bits_together_ * levels, matrix = context_->fft().matrix_doubles(rows, k + 1);
  const std::size_t groups = context_->large() / bits_together_;
  matrices_.resize(groups * matrix);
  base::parallel_for(0, groups, [&](std::size_t group) {
    GlweRows(*context_, seeded.seed)
        .store(group * rows, rows, seeded.bodies, {matrices_.data() + group * matrix, matrix});
  });
}

GlweCiphertext PackingKey::pack(const LweCiphertexts& ciphertexts) const {
  check(*context_, ciphertexts, "pack");
  const std::size_t n = context_->polynomial(), k = context_->glwe(), levels = level_count(cut_);
  if (ciphertexts.count() > n)
    base::refuse("pack: {} ciphertexts, but a polynomial of parameter set '{}' has {} coefficients",
                 ciphertexts.count(), context_->parameters().literal().name, n);
  GlweCiphertext result{.words = {}, .parameters = context_->parameters().hash()};
  result.words.resize((k + 1) * n);
  std::ranges::fill(result.words, 0);
  for (std::size_t i = 0; i < ciphertexts.count(); ++i) result.words[k * n + i] = ciphertexts.body(i);
  const DigitsOf digits(cut_);
  const std::size_t rows = bits_together_ * levels, matrix = context_->fft().matrix_doubles(rows, k + 1);
  base::AlignedVector<double> values(std::max(rows, k + 1) * n);
  std::vector<std::int32_t> cut(levels);
  std::vector<double*> at;
  for (std::size_t row = 0; row < std::max(rows, k + 1); ++row) at.push_back(values.data() + row * n);
  for (std::size_t group = 0; group < context_->large() / bits_together_; ++group) {
    std::ranges::fill(values, 0.0);
    for (std::size_t bit = 0; bit < bits_together_; ++bit)
      for (std::size_t i = 0; i < ciphertexts.count(); ++i) {
        digits.cut(ciphertexts.mask(i)[group * bits_together_ + bit], cut.data());
        for (std::size_t level = 0; level < levels; ++level)
          at[bit * levels + level][i] = -static_cast<double>(cut[level]);
      }
    for (std::size_t row = 0; row < rows; ++row) context_->fft().begin_reals({at[row], n});
    context_->fft().products(std::span(at).first(rows), matrices_.data() + group * matrix, std::span(at).first(k + 1));
    for (std::size_t column = 0; column <= k; ++column)
      context_->fft().add_words(at[column], result.words.data() + column * n);
  }
  return result;
}

std::vector<Torus> phases(const Context& context, const SecretKey& secret, const GlweCiphertext& ciphertext) {
  check_parameters(context, secret.parameters(), "decrypt", "secret key's bits");
  check_parameters(context, ciphertext.parameters, "decrypt", "ciphertext's words");
  const std::size_t n = context.polynomial(), k = context.glwe();
  if (ciphertext.words.size() != (k + 1) * n)
    base::refuse("decrypt: a ciphertext of {} words; expected {}", ciphertext.words.size(), (k + 1) * n);
  std::vector<Torus> result(ciphertext.words.end() - static_cast<std::ptrdiff_t>(n), ciphertext.words.end());
  for (std::size_t u = 0; u < k; ++u)
    for (std::size_t i = 0; i < n; ++i) {
      const Torus bit = Torus{0} - Torus{secret.large()[u * n + i]};  // all ones or none
      const Torus* const mask = ciphertext.words.data() + u * n;
      for (std::size_t j = 0; j < n - i; ++j) result[i + j] -= mask[j] & bit;
      for (std::size_t j = n - i; j < n; ++j) result[i + j - n] += mask[j] & bit;
    }
  return result;
}

}  // namespace tacit::scheme::tfhe
