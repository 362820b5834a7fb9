#include "params/ckks_parameters.h"

namespace tacit::params {
namespace {

constexpr int kFirstLogN = 10;
// Largest log2(QP) for N = 2^10 .. 2^17: uniform ternary secret, sigma 3.19, classical attacks. Security Guidelines for
// Implementing Homomorphic Encryption (Bossuat et al. 2024, ePrint 2024/463), table 5.2. 0 = the table has no entry.
constexpr double kTernary128[] = {26, 53, 106, 214, 430, 868, 1747, 3523};
constexpr double kTernary192[] = {0, 36, 73, 147, 297, 597, 1199, 2411};
constexpr double kTernary256[] = {0, 27, 56, 114, 230, 462, 929, 1866};

// The largest moduli under an ephemeral secret of weight 32 (Bossuat, Troncoso-Pastoriza, Hubaux 2022, ePrint 2022/024)
// that published 128-bit sets use: Lattigo's N15QP880 (40 + 56 bits) for N = 2^15, the lattice estimate that OpenFHE
// published for N = 2^16. A larger ring or weight is not easier to attack. The lattice estimator (27a581b, June 2026,
// MATZOV's cost model, 16 coefficients of each sign) says of the cheapest attack, a dual hybrid with meeting in the
// middle: 147.5 bits at the bound of N = 2^15 and 162 at that of N = 2^16. N15-S5 (93 bits) has 148.7, the other named
// sets (97 bits at N = 2^16) have 171.
constexpr int kEphemeralWeight = 32;
constexpr double kEphemeral15 = 96, kEphemeral16 = 126;

}  // namespace

double max_log_qp_ephemeral(int log_n, int weight) {
  if (weight < kEphemeralWeight || log_n < 15 || log_n > 17) return 0;
  return log_n == 15 ? kEphemeral15 : kEphemeral16;
}

double max_log_qp(int log_n, int security_bits) {
  if (log_n < kFirstLogN || log_n >= kFirstLogN + static_cast<int>(std::size(kTernary128))) return 0;
  const int row = log_n - kFirstLogN;
  switch (security_bits) {
    case 128: return kTernary128[row];
    case 192: return kTernary192[row];
    case 256: return kTernary256[row];
    default: return 0;
  }
}

}  // namespace tacit::params
