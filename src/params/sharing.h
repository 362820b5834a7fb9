#pragma once

/// Limits what people without the key may see of a decrypted result. The digits of an exact decryption reveal the noise
/// of the ciphertext, and with the ciphertext the secret key (Li, Micciancio 2021). Noise flooding hides the noise: it
/// adds a Gaussian many times wider and rounds away the digits that the Gaussian covers (Li, Micciancio, Schultz,
/// Sorrell 2022, "Securing Approximate Homomorphic Encryption Using Differential Privacy").
namespace tacit::params {

/// The promise about results that are shared.
struct Sharing {
  int bits = 0;                  ///< bits that remain after the binary point; below zero: whole powers of two
  double statistical_bits = 30;  ///< s: results of n numbers diverge from noiseless ones by at most n / (24 * 2^s)
  double decryptions = 1024;     ///< number of results under one key that are ever shared
  bool operator==(const Sharing&) const = default;
};

/// Throws InputError that names the field unless -1000 <= bits <= 1000, 20 <= statistical_bits <= 80 and
/// 1 <= decryptions <= 2^40.
void check(const Sharing& sharing);

/// Returns the deviation of the flood for noise of deviation `noise`: 2^(s / 2) * sqrt(12 t) * noise. Here s is the
/// number of statistical bits and t the number of decryptions. Two such Gaussians at distance `noise` have the
/// Kullback-Leibler divergence 1 / (24 t 2^s). The divergences add up over the numbers and the decryptions.
double flooding_deviation(double noise, const Sharing& sharing);

/// The number of flood deviations in one step. A shared number is a multiple of the step 2^-bits, and the deviation of
/// its flood is at most a quarter of it. Fewer than one in 20 numbers is wrong by more than one step. One in 10^9 is
/// wrong by more than two.
inline constexpr double kDeviationsAStep = 4;
/// Returns the most bits that a flood of this deviation leaves.
int most_shared_bits(double flooded);
/// Returns the nearest multiple of 2^-bits.
double rounded_to(double value, int bits);

/// Returns the largest noise that leaves the requested bits.
double most_noise(const Sharing& sharing);

}  // namespace tacit::params
