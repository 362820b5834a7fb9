#pragma once

#include "params/ckks_parameters.h"

namespace tacit::params {

/// Returns the set of private searches: N = 2^12, one ciphertext prime and one special prime of 50 bits each. log QP is
/// 100 of the 106 bits that the security table allows.
CkksLiteral search_literal();

/// Returns the root mean square of the error of the coefficients of an expanded question (Angel, Chen, Laine, Setty
/// 2018, "PIR with compressed queries and amortized query processing", section 3). Each of the log2(leaves) steps adds
/// a ciphertext to its rotation. The variance V becomes 2 V + K, with K that of a key switch. So a fresh ciphertext of
/// variance F ends with
///   leaves * F + (leaves - 1) * K.
/// The unit is one integer step of a coefficient. `leaves` is a power of two. Thread safe.
double expanded_coefficient_noise(const CkksParameters& parameters, double leaves);

}  // namespace tacit::params
