#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/feasible.h"
#include "params/gadget.h"
#include "params/parameter_identity.h"

namespace tacit::params {

/// Describes how the primes of a set serve bootstrapping. The chain has these parts from q_0 upwards: q_0, slots to
/// coefficients, message levels, sine, coefficients to slots (chain_of in bootstrap_chain.h).
struct BootstrapLiteral {
  int slots_to_coefficients = 3;  ///< levels of one prime each
  std::vector<int> sine;  ///< primes of each level of the sine, from the top down: 5 for the cosine, 3 to double it
  int coefficients_to_slots = 4;  ///< levels of one prime each
  int ephemeral_weight = 32;      ///< non-zero coefficients of the secret that is used at modulus q_0 p_0 alone
  bool operator==(const BootstrapLiteral&) const = default;
};

/// A public, unchecked description of a CKKS parameter set. Round-trips through JSON.
struct CkksLiteral {
  std::string name;           ///< for people: "N14-d7"
  int log_n = 0;              ///< ring degree N = 2^log_n, slots = N / 2 (or N: real_slots)
  std::vector<int> q_bits;    ///< bits of the ciphertext primes from q_0 upwards; 20 to 50 each
  std::vector<int> p_bits;    ///< bits of the special primes
  int log_scale = 0;          ///< every value has the scale 2^log_scale between instructions
  bool insecure = false;      ///< true only in tests: skips the security bound, and is printed everywhere
  std::vector<int> digits{};  ///< ciphertext primes in each digit of a key switch, from q_0; empty: as many as p_bits
  std::optional<BootstrapLiteral> bootstrap{};  ///< absent: a leveled set
  /// Selects the conjugate-invariant ring (Kim, Song 2018): N real slots instead of N / 2 complex ones. Leveled sets
  /// only.
  bool real_slots = false;
  int parts = 1;  ///< ternary secrets whose sum is the secret key: above 1 for several owners. Leveled sets only.
  bool operator==(const CkksLiteral&) const = default;
};

/// The most special primes of a set. A division converts from these and one more prime at once.
inline constexpr std::size_t kMaxSpecialPrimes = 12;

/// The most secrets whose sum is a secret key. It allows 5 of 9 owners, and 126 of 126.
inline constexpr int kMostParts = 126;

/// Returns the set without the `count` primes from q_first on. `digits` are those of the whole set. The result keeps
/// the remaining primes of each digit, and drops empty digits.
CkksLiteral without_primes(CkksLiteral literal, const std::vector<std::size_t>& digits, int first, int count);

std::string to_json(const CkksLiteral& literal);
/// Throws InputError on malformed text, unknown fields or wrong types.
CkksLiteral literal_from_json(std::string_view json);
/// Reads JSON that is already parsed. Throws as above.
CkksLiteral literal_from(const nlohmann::json& json);

/// An immutable, checked parameter set. Constructors of `scheme` accept nothing else. It satisfies these bounds:
/// - Every prime is NTT friendly (1 mod 2N, with real slots 1 mod 4N), below 2^50 and distinct: the largest ones below
///   2^bits.
/// - log2(QP) is at most the bound of the security table for N (2024 guideline, ePrint 2024/463 table 5.2, uniform
///   ternary secret, sigma 3.19). N is the dimension of the lattice in both rings.
/// - P is at least every digit of a key switch.
///
/// `insecure` skips the table and allows rings down to N = 2^4.
class CkksParameters {
 public:
  /// Throws InputError naming the bound that was broken and what would satisfy it.
  static CkksParameters check(const CkksLiteral& literal);
  /// Returns the set, or the bound that it breaks. Searches ask this of candidates that may not exist.
  static base::Feasible<CkksParameters> possible(const CkksLiteral& literal);

  /// Returns the leveled set without the `count` ciphertext primes from q_first on, under the same secret. Its digits
  /// keep their remaining primes. Its keys are the keys of this set without the rows of the missing primes. The missing
  /// primes are between 1 and the top level.
  CkksParameters without(int first, int count) const;

  /// Returns the primes as keys of rotations up to level `top` use them (params/rotation_primes.h), under the same
  /// secret. It is this set if no prime above `top` serves. Throws InputError on a level out of range.
  CkksParameters for_rotations(int top) const;

  const CkksLiteral& literal() const { return literal_; }
  int log_n() const { return literal_.log_n; }
  int parts() const { return literal_.parts; }
  std::size_t n() const { return std::size_t{1} << literal_.log_n; }
  bool real_slots() const { return literal_.real_slots; }
  std::size_t slots() const { return real_slots() ? n() : n() / 2; }
  /// Returns the ciphertext primes. A ciphertext at level l uses the first l + 1 of them.
  const std::vector<std::uint64_t>& q() const { return q_; }
  /// Returns the last prime of a level; scales are divided by it.
  double prime(int level) const { return static_cast<double>(q_[static_cast<std::size_t>(level)]); }
  /// Returns log2 of the modulus of a level.
  double log2_q(int level) const;
  /// Returns the special primes of key switching.
  const std::vector<std::uint64_t>& p() const { return p_; }
  /// Returns the use of the primes in key switches of rotations and conjugations.
  const Gadget& gadget() const { return gadget_; }
  /// Returns the same for relinearisation. Its digits may be larger (params/key_switch_primes.h).
  const Gadget& product_gadget() const { return product_gadget_; }
  int max_level() const { return static_cast<int>(q_.size()) - 1; }
  double scale() const { return static_cast<double>(std::uint64_t{1} << literal_.log_scale); }
  double log_qp() const { return log_qp_; }
  /// Returns 128, 192 or 256 by the table, or 0 for an insecure set.
  int security_bits() const { return security_bits_; }
  const ParameterHash& hash() const { return hash_; }
  ParameterIdentity identity() const;

 private:
  CkksParameters() = default;
  CkksLiteral literal_;
  std::vector<std::uint64_t> q_, p_;
  Gadget gadget_, product_gadget_;
  double log_qp_ = 0;
  int security_bits_ = 0;
  ParameterHash hash_{};
};

/// Returns the largest log2(QP) at this degree for the security level (128, 192, 256), or 0 without an entry in the
/// table.
double max_log_qp(int log_n, int security_bits);
/// Returns the largest log2(q_0 p_0) of a key under an ephemeral secret of this weight at 128 bits, or 0 if no figure
/// is published.
double max_log_qp_ephemeral(int log_n, int weight);

/// Returns a default set by name: leveled N13-d4, N13-d5, N14-d7, N14-d9, N15-d14, N15-d15, N16-d32, and those of
/// bootstrapping_literals(). Throws InputError.
CkksLiteral named_literal(std::string_view name);
/// Returns the names of the leveled sets.
std::vector<std::string> named_literals();
/// Returns the names of the sets that can bootstrap: N15-S5 (N = 2^15), and S8, S11, S14, S15 and P30 (N = 2^16). The
/// number after S counts message levels. P30 has precise bootstraps and seven message levels.
std::vector<std::string> bootstrapping_literals();

}  // namespace tacit::params
