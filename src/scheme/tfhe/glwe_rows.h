#pragma once

#include <span>

#include "base/random.h"
#include "scheme/tfhe/secret_key.h"
#include "scheme/tfhe/torus.h"

namespace tacit::scheme::tfhe {

/// The rows of keys under the GLWE secret. A row has k mask polynomials and a body of N words. A seed and the row's
/// number expand to the masks; only the body is stored. For one thread.
class GlweRows {
 public:
  GlweRows(const Context& context, const base::Seed& seed);
  /// Overwrites products with the secret.
  ~GlweRows();
  GlweRows(const GlweRows&) = delete;
  GlweRows& operator=(const GlweRows&) = delete;
  /// Writes the k N words of a row's mask.
  void mask(std::size_t row, std::span<Torus> words);
  /// Stores the `count` rows from `first` on as a matrix of transforms (ring::NegacyclicFft::store) of k + 1 columns.
  /// `bodies` holds the bodies of all rows.
  void store(std::size_t first, std::size_t count, std::span<const Torus> bodies, std::span<double> matrix);
  /// Adds <mask, secret> + noise to `body`, exactly, which encrypts its content. The products are taken in halves of 32
  /// bits, because doubles hold their sums.
  void encrypt(const SecretKey& secret, std::size_t row, std::span<Torus> body, base::Csprng& noise);

 private:
  const Context& context_;
  base::Csprng masks_;
  base::AlignedVector<Torus> mask_, product_;
  base::AlignedVector<double> values_;
};

}  // namespace tacit::scheme::tfhe
