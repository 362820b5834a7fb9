#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::params {

/// SHA-256 over the canonical text of a parameter set: one comparison finds every mismatch.
using ParameterHash = std::array<std::uint8_t, 32>;

/// A public, unchecked description of a CKKS parameter set. Round-trips through JSON.
struct CkksLiteral {
  std::string name;          ///< for people: "N14-d7"
  int log_n = 0;             ///< ring degree N = 2^log_n, slots = N / 2
  std::vector<int> q_bits;   ///< bits of the ciphertext primes from q_0 upwards; 20 to 50 each
  std::vector<int> p_bits;   ///< bits of the special primes; their number is the digit size of a key switch
  int log_scale = 0;         ///< every value sits at scale 2^log_scale between instructions
  bool insecure = false;     ///< true only in tests: skips the security bound, and is printed everywhere
  bool operator==(const CkksLiteral&) const = default;
};

std::string to_json(const CkksLiteral& literal);
/// Throws InputError on malformed text, unknown fields or wrong types.
CkksLiteral literal_from_json(std::string_view json);

/// An immutable, checked parameter set; the only thing that constructors of `scheme` accept.
/// Every prime is NTT friendly (1 mod 2N), below 2^50 and distinct: the largest ones below 2^bits; log2(QP) is at most
/// the bound of the security table (2024 guideline, ePrint 2024/463 table 5.2, uniform ternary secret, sigma 3.19) and P
/// is at least every digit of a key switch. `insecure` skips the table and allows rings down to N = 2^4.
class CkksParameters {
 public:
  /// Throws InputError naming the bound that was broken and what would satisfy it.
  static CkksParameters check(const CkksLiteral& literal);

  const CkksLiteral& literal() const { return literal_; }
  int log_n() const { return literal_.log_n; }
  std::size_t n() const { return std::size_t{1} << literal_.log_n; }
  std::size_t slots() const { return n() / 2; }
  /// Ciphertext primes; a ciphertext at level l uses the first l + 1 of them.
  const std::vector<std::uint64_t>& q() const { return q_; }
  /// Special primes of key switching.
  const std::vector<std::uint64_t>& p() const { return p_; }
  int max_level() const { return static_cast<int>(q_.size()) - 1; }
  double scale() const { return static_cast<double>(std::uint64_t{1} << literal_.log_scale); }
  double log_qp() const { return log_qp_; }
  /// 128, 192 or 256 by the table; 0 for an insecure set.
  int security_bits() const { return security_bits_; }
  const ParameterHash& hash() const { return hash_; }

 private:
  CkksParameters() = default;
  CkksLiteral literal_;
  std::vector<std::uint64_t> q_, p_;
  double log_qp_ = 0;
  int security_bits_ = 0;
  ParameterHash hash_{};
};

/// Largest log2(QP) at this degree for the security level (128, 192, 256); 0 where the table has no entry.
double max_log_qp(int log_n, int security_bits);

/// The leveled default sets by name: N13-d4, N13-d5, N14-d7, N14-d9, N15-d14, N15-d15, N16-d32. Throws InputError.
CkksLiteral named_literal(std::string_view name);
std::vector<std::string> named_literals();

}  // namespace tacit::params
