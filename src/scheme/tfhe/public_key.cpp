#include "scheme/tfhe/public_key.h"

#include <algorithm>

#include "base/error.h"
#include "base/random.h"
#include "base/secret_memory.h"
#include "ring/sampler.h"
#include "scheme/tfhe/bounded_noise.h"
#include "scheme/tfhe/check.h"
#include "scheme/tfhe/glwe_rows.h"

namespace tacit::scheme::tfhe {
namespace {

/// The factors r_i of one GLWE ciphertext, and exact products with them. They are in secret memory.
class MaskedRows {
 public:
  MaskedRows(const Context& context, std::span<const Torus> rows)
      : fft_(context.fft()),
        n_(context.polynomial()),
        k_(context.glwe()),
        rows_(rows),
        ternary_(n_),
        words_(n_),
        spectrum_(n_),
        factors_(fft_.matrix_doubles(k_, 1)),
        values_(k_ * n_) {
    for (std::size_t i = 0; i < k_; ++i) columns_.push_back(values_.data() + i * n_);
  }

  void draw(base::Csprng& random) {
    for (std::size_t i = 0; i < k_; ++i) {
      ring::sample_ternary(ternary_, random);
      std::ranges::transform(ternary_, words_.begin(), [](std::int8_t r) { return static_cast<Torus>(r); });
      fft_.words_to_spectrum(words_, spectrum_);
      fft_.store(spectrum_, i, 0, k_, 1, factors_);
    }
  }
  /// Writes the sum of r_i times polynomial `column` of row i. As in GlweRows::encrypt, halves of 32 bits keep the sums
  /// exact.
  void multiply(std::size_t column, std::span<Torus> sum) {
    std::ranges::fill(sum, 0);
    for (const unsigned shift : {0U, 32U}) {
      for (std::size_t i = 0; i < k_; ++i) {
        const std::span<const Torus> from = rows_.subspan((i * (k_ + 1) + column) * n_, n_);
        for (std::size_t j = 0; j < n_; ++j) columns_[i][j] = static_cast<double>(from[j] >> shift & 0xffffffff);
        fft_.begin_reals({columns_[i], n_});
      }
      fft_.products(columns_, factors_.data(), std::span(columns_).first(1));
      std::ranges::fill(words_, 0);
      fft_.add_words(columns_[0], words_.data());
      for (std::size_t j = 0; j < n_; ++j) sum[j] += words_[j] << shift;
    }
  }

 private:
  const ring::NegacyclicFft& fft_;
  std::size_t n_, k_;
  std::span<const Torus> rows_;
  base::SecretVector<std::int8_t> ternary_;
  base::SecretVector<Torus> words_;
  base::SecretVector<double> spectrum_, factors_, values_;
  std::vector<double*> columns_;
};

}  // namespace

PublicKey PublicKey::generate(const Context& context, const SecretKey& secret) {
  check_parameters(context, secret.parameters(), "public key", "secret key's bits");
  PublicKey key{.seed = base::public_seed(),
                .bodies = std::vector<Torus>(context.large()),
                .parameters = context.parameters().hash()};
  GlweRows rows(context, key.seed);
  base::Csprng noise = base::Csprng::from_system();
  const std::size_t n = context.polynomial();
  for (std::size_t i = 0; i < context.glwe(); ++i)
    rows.encrypt(secret, i, std::span(key.bodies).subspan(i * n, n), noise);
  return key;
}

PublicEncryptor::PublicEncryptor(ContextPtr context, const PublicKey& key) : context_(std::move(context)) {
  check_parameters(*context_, key.parameters, "encrypt", "public key");
  const std::size_t n = context_->polynomial(), k = context_->glwe(), row = (k + 1) * n;
  TACIT_ASSERT(key.bodies.size() == k * n);
  rows_.resize(k * row);
  GlweRows masks(*context_, key.seed);
  for (std::size_t i = 0; i < k; ++i) {
    masks.mask(i, std::span(rows_).subspan(i * row, k * n));
    std::copy_n(key.bodies.begin() + static_cast<std::ptrdiff_t>(i * n), n,
                rows_.begin() + static_cast<std::ptrdiff_t>(i * row + k * n));
  }
}

FreshLweCiphertexts PublicEncryptor::encrypt(std::span<const Torus> messages) const {
  const std::size_t n = context_->polynomial(), k = context_->glwe();
  const int noise_bits = context_->parameters().literal().glwe_noise_bits;
  TACIT_ASSERT(!messages.empty());
  FreshLweCiphertexts result{.parameters = context_->parameters().hash()};
  result.masks.resize((messages.size() + n - 1) / n * k * n);
  result.bodies.assign(messages.size(), 0);
  base::Csprng random = base::Csprng::from_system();
  MaskedRows rows(*context_, rows_);
  base::SecretVector<Torus> sum(n);
  const auto noise = [&] { return static_cast<Torus>(bounded_noise(random, noise_bits)); };
  for (std::size_t first = 0, block = 0; first < messages.size(); first += n, ++block) {
    rows.draw(random);
    for (std::size_t column = 0; column < k; ++column) {
      rows.multiply(column, sum);
      Torus* mask = result.masks.data() + (block * k + column) * n;
      for (std::size_t j = 0; j < n; ++j) mask[j] = sum[j] + noise();
    }
    rows.multiply(k, sum);
    for (std::size_t j = 0; j < std::min(n, messages.size() - first); ++j)
      result.bodies[first + j] = sum[j] + noise() + messages[first + j];
  }
  return result;
}

}  // namespace tacit::scheme::tfhe
