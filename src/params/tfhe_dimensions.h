#pragma once

#include <compare>
#include <cstddef>

/// Sizes of the TFHE scheme. Each size has a separate type, so that arguments cannot be swapped.
namespace tacit::params {

template <class Tag>
struct TfheSize {
  std::size_t value = 0;
  explicit constexpr TfheSize(std::size_t size) : value(size) {}
  auto operator<=>(const TfheSize&) const = default;
};
/// The number of words of an LWE mask.
using LweDimension = TfheSize<struct LweTag>;
/// The number of mask polynomials of a GLWE ciphertext.
using GlweDimension = TfheSize<struct GlweTag>;
/// The number of coefficients of a polynomial, a power of two.
using PolynomialSize = TfheSize<struct PolynomialTag>;
/// The number of polynomials of that size that a table is spread over (Lee, Yoon 2023). With 2^e of them, the table is
/// 2^e times as fine.
using ExtensionFactor = TfheSize<struct ExtensionTag>;

/// Describes how a word of the torus is cut into signed digits. They cover its upper levels * base_log bits.
struct Decomposition {
  int base_log = 0;
  int levels = 0;
  bool operator==(const Decomposition&) const = default;
};

}  // namespace tacit::params
