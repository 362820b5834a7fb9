#pragma once

#include "base/progress.h"
#include "base/random.h"
#include "scheme/tfhe/secret_key.h"
#include "scheme/tfhe/torus.h"

namespace tacit::scheme::tfhe {

/// The stored form of a bootstrapping key: a seed for the masks and a body of N words for each of n (k + 1) levels
/// rows. The rows of bit i of the small key are a GGSW encryption of the bit (Gentry, Sahai, Waters 2013; over the
/// torus Chillotti et al. 2020). Row (i, u, l) encrypts, under the GLWE secret, the bit times 2^64 / B^(l + 1) times
/// -S_u, or 1 for u = k.
struct SeededBootstrapKey {
  base::Seed seed{};
  base::AlignedVector<Torus> bodies;
  params::ParameterHash parameters{};

  /// Makes a fresh key from the operating system's randomness. Progress has a step for every bit.
  static SeededBootstrapKey generate(const Context& context, const SecretKey& secret,
                                     base::Progress& progress = base::Progress::silent());
  static std::size_t rows(const Context& context);
  /// The words of the bodies of one bit.
  static std::size_t words_of_bit(const Context& context);
  /// Makes the bodies of a bit of the small key under masks of `seed`, with errors from `noise`.
  static void make_bodies(const Context& context, const SecretKey& secret, const base::Seed& seed, std::size_t bit,
                          std::span<Torus> bodies, base::Csprng& noise);
};

/// A bootstrapping key as transforms: for every bit a matrix of (k + 1) levels rows and k + 1 columns. Immutable,
/// thread safe.
class BootstrapKey {
 public:
  /// Throws InputError if the shape does not fit, and KeyMismatch for another set.
  BootstrapKey(const Context& context, const SeededBootstrapKey& seeded);
  const params::ParameterHash& parameters() const { return parameters_; }
  /// Returns the matrix of a bit, as ring::NegacyclicFft::products reads it.
  const double* bit(std::size_t i) const { return matrices_.data() + i * matrix_; }
  std::size_t bytes() const { return matrices_.size() * sizeof(double); }

 private:
  params::ParameterHash parameters_;
  std::size_t matrix_;
  base::AlignedVector<double> matrices_;
};

}  // namespace tacit::scheme::tfhe
