#include "scheme/tfhe/glwe_rows.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/wipe.h"
#include "scheme/tfhe/bounded_noise.h"

namespace tacit::scheme::tfhe {

GlweRows::GlweRows(const Context& context, const base::Seed& seed)
    : context_(context),
      masks_(seed),
      mask_(context.large()),
      product_(context.polynomial()),
      values_(context.large()) {}

GlweRows::~GlweRows() {
  base::wipe(product_);
  base::wipe(values_);
}

void GlweRows::mask(std::size_t row, std::span<Torus> words) {
  masks_.begin_stream(row);
  masks_.fill(words);
}

void GlweRows::store(std::size_t first, std::size_t count, std::span<const Torus> bodies, std::span<double> matrix) {
  const std::size_t n = context_.polynomial(), k = context_.glwe();
  const std::span<double> spectrum = std::span(values_).first(n);
  for (std::size_t row = 0; row < count; ++row) {
    mask(first + row, mask_);
    for (std::size_t column = 0; column <= k; ++column) {
      const std::span<const Torus> words =
          column < k ? std::span<const Torus>(mask_).subspan(column * n, n) : bodies.subspan((first + row) * n, n);
      context_.fft().words_to_spectrum(words, spectrum);
      context_.fft().store(spectrum, row, column, count, k + 1, matrix);
    }
  }
}

void GlweRows::encrypt(const SecretKey& secret, std::size_t row, std::span<Torus> body, base::Csprng& noise) {
  const std::size_t n = context_.polynomial(), k = context_.glwe();
  TACIT_ASSERT(body.size() == n);
  mask(row, mask_);
  std::vector<double*> rows;
  for (std::size_t i = 0; i < k; ++i) rows.push_back(values_.data() + i * n);
  for (const unsigned shift : {0U, 32U}) {
    for (std::size_t i = 0; i < k * n; ++i) values_[i] = static_cast<double>(mask_[i] >> shift & 0xffffffff);
    for (double* values : rows) context_.fft().begin_reals({values, n});
    context_.fft().products(rows, secret.spectra().data(), std::span(rows).first(1));
    std::ranges::fill(product_, 0);
    context_.fft().add_words(rows[0], product_.data());
    for (std::size_t i = 0; i < n; ++i) body[i] += product_[i] << shift;
  }
  const int bits = context_.parameters().literal().glwe_noise_bits;
  for (Torus& word : body) word += static_cast<Torus>(bounded_noise(noise, bits));
}

}  // namespace tacit::scheme::tfhe
