#pragma once

#include <cstddef>
#include <string_view>

namespace tacit::params {

/// Returns the least b that gives 128-bit security to LWE with a binary secret of this dimension. The noise is uniform
/// on [-2^b, 2^b] (half weight at the ends) on words of `word_bits` bits. The line is published with tfhe-rs, which
/// derives its parameter sets from it: b = ceil(-0.025167785 n + 68.100671) on 64-bit words, at least 3. It is fitted
/// to the lattice estimator's figures for 132 bits under MATZOV's cost model. The tests of tfhe-rs compare its sets
/// with the estimator at commit 352ddaf. The line is for dimensions of kLeastLwe or more.
int least_noise_bits(std::size_t dimension, int word_bits);
/// Returns the least dimension for which noise of this bound is enough.
std::size_t least_dimension(int noise_bits, int word_bits);

inline constexpr std::size_t kLeastLwe = 500;

/// Returns the source of the line, for texts about a set.
std::string_view tfhe_security_source();

}  // namespace tacit::params
