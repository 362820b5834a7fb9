#pragma once

#include <span>

#include "base/random.h"
#include "scheme/tfhe/secret_key.h"
#include "scheme/tfhe/torus.h"

namespace tacit::scheme::tfhe {

/// Rows of keys under the GLWE secret: k mask polynomials, which a seed and the row's number expand to, and a body of N
/// words, which alone is stored. For one thread.
class GlweRows {
 public:
  GlweRows(const Context& context, const base::Seed& seed);
  /// Products with the secret are overwritten.
  ~GlweRows();
  GlweRows(const GlweRows&) = delete;
  GlweRows& operator=(const GlweRows&) = delete;
  /// The k N words of a row's mask.
  void mask(std::size_t row, std::span<Torus> words);
  /// As a matrix of transforms (ring::NegacyclicFft::store) of k + 1 columns: the `count` rows from `first` on, whose
  /// bodies lie among those of all rows.
  void store(std::size_t first, std::size_t count, std::span<const Torus> bodies, std::span<double> matrix);
  /// Adds <mask, secret> + noise to `body`, exactly: an encryption of what was there. The products are taken in halves
  /// of 32 bits, whose sums doubles hold.
  void encrypt(const SecretKey& secret, std::size_t row, std::span<Torus> body, base::Csprng& noise);

 private:
  const Context& context_;
  base::Csprng masks_;
  base::AlignedVector<Torus> mask_, product_;
  base::AlignedVector<double> values_;
};

}  // namespace tacit::scheme::tfhe
