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
  std::string name;            ///< for people: "T4"
  int bits = 0;                ///< of the messages that tables take; one bit of padding lies above
  double norm2 = 1;            ///< largest 2-norm of the integer weights between bootstrap outputs and a lookup
  int lwe_dimension = 0;       ///< between key switch and bootstrap; 0: sums alone, without lookups and their keys
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

/// Bounds of every set, secure or not, and of what a solver is asked for.
struct TfheLimits {
  static constexpr int kMostBits = 10, kMostLogTables = 8;
  /// Of N 2^e: the words between key switch and bootstrap have 32 bits.
  static constexpr int kMostLogCoefficients = 17;
  static constexpr double kMostNorm2 = 1 << 20, kLeastLog2Failure = -1000, kMostLog2Failure = -1;
};

std::string to_json(const TfheLiteral& literal);
/// Throws InputError on malformed text, unknown fields or wrong types.
TfheLiteral tfhe_literal_from_json(std::string_view json);
TfheLiteral tfhe_literal_from(const nlohmann::json& json);

/// An immutable, checked parameter set; the only thing that constructors of `scheme/tfhe` accept. Fresh noise is at
/// least what tfhe_security.h asks for the dimension, and the modelled failure probability of a lookup (tfhe_noise.h)
/// at most the one stated. Secrets are binary. Ciphertexts between operations are under the large key, of dimension k
/// N, on 64-bit words; a lookup switches them to the small key, on 32-bit words, and bootstraps them back. `insecure`
/// skips the first bound, and the least dimensions. A set without a small key (lwe_dimension 0, and with it all that
/// lookups alone need) is for sums: its evaluation keys hold nothing, and what may fail is the decryption of a sum of
/// fresh ciphertexts.
class TfheParameters {
 public:
  /// Throws InputError naming the bound that was broken and what would satisfy it.
  static TfheParameters check(const TfheLiteral& literal);

  const TfheLiteral& literal() const { return literal_; }
  int bits() const { return literal_.bits; }
  /// Whether tables can be looked up.
  bool looks_up() const { return shape_.lwe.value > 0; }
  LweDimension lwe() const { return shape_.lwe; }
  GlweDimension glwe() const { return shape_.glwe; }
  PolynomialSize polynomial() const { return shape_.polynomial; }
  ExtensionFactor extension() const { return shape_.extension; }
  /// k N: of ciphertexts under the large key.
  LweDimension large_lwe() const { return LweDimension(shape_.glwe.value * shape_.polynomial.value); }
  const Decomposition& bootstrap() const { return literal_.bootstrap; }
  const Decomposition& key_switch() const { return literal_.key_switch; }
  /// What noise formulas take.
  const LookupShape& shape() const { return shape_; }
  /// log2 of the modelled probability that a lookup, or a sum's decryption, fails at the largest 2-norm, at most
  /// literal().log2_failure.
  double log2_failure() const { return log2_failure_; }

  /// Bytes in memory: of the bootstrapping key as transforms, of the key switching key, and of one ciphertext.
  double bootstrap_key_bytes() const;
  double key_switch_key_bytes() const;
  double ciphertext_bytes() const { return 8.0 * static_cast<double>(large_lwe().value + 1); }

  /// 128 by the line of tfhe_security.h; 0 for an insecure set.
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

/// The shape that a literal describes, unchecked.
LookupShape shape_of(const TfheLiteral& literal);

/// The default sets by name: T1 to T8, by message bits, at failure 2^-128, and the same with -64 and -40 behind
/// ("T4-64"). They allow 2-norms of 1, 3, 4, 5, 7, 9, 12 and 17, for 1 to 8 bits. Throws InputError.
TfheLiteral named_tfhe_literal(std::string_view name);
std::vector<std::string> named_tfhe_literals();
/// The set for programs without lookups: a ciphertext has the size and the noise of those of T4.
TfheLiteral sums_literal(double log2_failure);

}  // namespace tacit::params
