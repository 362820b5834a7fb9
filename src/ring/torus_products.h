#pragma once

#include "ring/simd/fft_kernels.h"

namespace tacit::ring {

using simd::DigitProducts;
using simd::kTorusColumns;

/// Subtracts products of a matrix of 32-bit words with small digits (DigitProducts), modulo 2^32. These are the sums of
/// an LWE key switch, of many ciphertexts at once. Rows of the matrix are read in runs that stay in the nearest caches
/// while all ciphertexts use them. Thread safe.
void subtract_digit_products(const DigitProducts& products);

}  // namespace tacit::ring
