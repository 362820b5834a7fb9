#pragma once

/// How much of a decrypted result may be shown to people who do not hold the key. The digits of an exact decryption
/// give the ciphertext's noise, and with the ciphertext the secret key (Li, Micciancio 2021). Noise flooding hides it:
/// a Gaussian many times wider than the noise is added, and the digits that it drowns are rounded away (Li, Micciancio,
/// Schultz, Sorrell 2022, "Securing Approximate Homomorphic Encryption Using Differential Privacy").
namespace tacit::params {

/// What is promised about results that are shared.
struct Sharing {
  int bits = 0;                  ///< behind the binary point that are left; below zero: whole powers of two
  double statistical_bits = 30;  ///< s: results of n numbers diverge from noiseless ones by at most n / (24 * 2^s)
  double decryptions = 1024;     ///< of results under one key, that are ever shared
  bool operator==(const Sharing&) const = default;
};

/// Throws InputError that names the field unless -1000 <= bits <= 1000, 20 <= statistical_bits <= 80 and
/// 1 <= decryptions <= 2^40.
void check(const Sharing& sharing);

/// The deviation to flood with where the noise has deviation `noise`: 2^(s / 2) * sqrt(12 t) * noise, with s the
/// statistical bits and t the decryptions. Two Gaussians of this deviation that are `noise` apart have a
/// Kullback-Leibler divergence of 1 / (24 t 2^s), which adds up over the numbers and the decryptions.
double flooding_deviation(double noise, const Sharing& sharing);

/// A shared number is a multiple of 2^-bits, and its flood has at most a quarter of that as its deviation: it is wrong
/// by more than one step in less than one of 20 cases, by more than two steps in one of 10^9.
inline constexpr double kDeviationsAStep = 4;
/// The most bits that a flood of this deviation leaves.
int most_shared_bits(double flooded);
/// The nearest multiple of 2^-bits.
double rounded_to(double value, int bits);

/// The largest noise that leaves the bits that are asked for.
double most_noise(const Sharing& sharing);

}  // namespace tacit::params
