#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "params/parameter_identity.h"
#include "params/tfhe_dimensions.h"
#include "params/tfhe_noise.h"

namespace tacit::params {

/// A public, unchecked description of a TFHE parameter set. Round-trips through JSON.
struct TfheLiteral {
  std::string name;       ///< for people: "T4"
  int bits = 0;           ///< bits of the messages that tables take; one bit of padding is above them
  double norm2 = 1;       ///< largest 2-norm of the integer weights between bootstrap outputs and a lookup
  int lwe_dimension = 0;  ///< dimension between key switch and bootstrap; 0: sums alone, without lookups and their keys
  int glwe_dimension = 0;      ///< k
  int log_polynomial = 0;      ///< N = 2^log_polynomial
  int log_extension = 0;       ///< a table is spread over 2^log_extension polynomials (Lee, Yoon 2023)
  int lwe_noise_bits = 0;      ///< b: fresh noise is uniform on [-2^b, 2^b] in units of 2^-32
  int glwe_noise_bits = 0;     ///< the same in units of 2^-64
  Decomposition bootstrap;     ///< digits of the blind rotation
  Decomposition key_switch;    ///< digits of the key switch
  int log_tables = 0;          ///< 2^log_tables tables may share a bootstrap
  double log2_failure = -128;  ///< a lookup may fail with probability 2^log2_failure
  bool insecure = false;       ///< true only in tests: skips the security bound, and is printed everywhere
  bool operator==(const TfheLiteral&) const = default;
};

/// The bounds of every set, secure or not, and of the requests to a solver.
struct TfheLimits {
  static constexpr int kMostBits = 10, kMostLogTables = 8;
  /// The bound on the logarithm of N 2^e: the words between key switch and bootstrap have 32 bits.
  static constexpr int kMostLogCoefficients = 17;
  static constexpr double kMostNorm2 = 1 << 20, kLeastLog2Failure = -1000, kMostLog2Failure = -1;
};

std::string to_json(const TfheLiteral& literal);
/// Throws InputError on malformed text, unknown fields or wrong types.
TfheLiteral tfhe_literal_from_json(std::string_view json);
TfheLiteral tfhe_literal_from(const nlohmann::json& json);

/// An immutable, checked parameter set. Constructors of `scheme/tfhe` accept nothing else. It satisfies two bounds:
/// - Fresh noise is at least the least noise of tfhe_security.h for the dimension.
/// - The modelled failure probability of a lookup (tfhe_noise.h) is at most the stated one.
///
/// `insecure` skips the first bound and the least dimensions. Secrets are binary. Ciphertexts between operations are
/// under the large key, of dimension k N, on 64-bit words. A lookup switches them to the small key, on 32-bit words,
/// and bootstraps them back.
///
/// A set without a small key is for sums. Its lwe_dimension and all other fields for lookups are 0, and its evaluation
/// keys are empty. Its failure probability is that of decrypting a sum of fresh ciphertexts.
class TfheParameters {
 public:
  /// Throws InputError naming the bound that was broken and what would satisfy it.
  static TfheParameters check(const TfheLiteral& literal);

  const TfheLiteral& literal() const { return literal_; }
  int bits() const { return literal_.bits; }
  /// Returns true if tables can be looked up.
  bool looks_up() const { return shape_.lwe.value > 0; }
  LweDimension lwe() const { return shape_.lwe; }
  GlweDimension glwe() const { return shape_.glwe; }
  PolynomialSize polynomial() const { return shape_.polynomial; }
  ExtensionFactor extension() const { return shape_.extension; }
  /// Returns k N, the dimension of ciphertexts under the large key.
  LweDimension large_lwe() const { return LweDimension(shape_.glwe.value * shape_.polynomial.value); }
  const Decomposition& bootstrap() const { return literal_.bootstrap; }
  const Decomposition& key_switch() const { return literal_.key_switch; }
  /// Returns the shape for noise formulas.
  const LookupShape& shape() const { return shape_; }
  /// Returns log2 of the modelled probability that a lookup, or the decryption of a sum, fails at the largest 2-norm.
  /// It is at most literal().log2_failure.
  double log2_failure() const { return log2_failure_; }

  /// Return the bytes in memory of the bootstrapping key as transforms, of the key switching key, and of one
  /// ciphertext.
  double bootstrap_key_bytes() const;
  double key_switch_key_bytes() const;
  double ciphertext_bytes() const { return 8.0 * static_cast<double>(large_lwe().value + 1); }

  /// Returns 128 by the line of tfhe_security.h, or 0 for an insecure set.
  int security_bits() const { return literal_.insecure ? 0 : 128; }
  const ParameterHash& hash() const { return hash_; }
  ParameterIdentity identity() const;

 private:
  explicit TfheParameters(const TfheLiteral& literal);
  TfheLiteral literal_;
  LookupShape shape_;
  double log2_failure_ = 0;
  ParameterHash hash_{};
};

/// Returns the shape that a literal describes, unchecked.
LookupShape shape_of(const TfheLiteral& literal);

/// Returns a default set by name. T1 to T8 name the message bits at failure 2^-128; the suffixes -64 and -40 name other
/// failures ("T4-64"). They allow 2-norms of 1, 3, 4, 5, 7, 9, 12 and 17, for 1 to 8 bits. Throws InputError.
TfheLiteral named_tfhe_literal(std::string_view name);
std::vector<std::string> named_tfhe_literals();
/// Returns the set for programs without lookups. A ciphertext has the size and the noise of one of T4.
TfheLiteral sums_literal(double log2_failure);

}  // namespace tacit::params
