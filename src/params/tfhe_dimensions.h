#pragma once

#include <compare>
#include <cstddef>

/// Sizes of the TFHE scheme. Each is a type of its own, so that arguments cannot be swapped.
namespace tacit::params {

template <class Tag>
struct TfheSize {
  std::size_t value = 0;
  explicit constexpr TfheSize(std::size_t size) : value(size) {}
  auto operator<=>(const TfheSize&) const = default;
};
/// Words of an LWE mask.
using LweDimension = TfheSize<struct LweTag>;
/// Mask polynomials of a GLWE ciphertext.
using GlweDimension = TfheSize<struct GlweTag>;
/// Coefficients of a polynomial, a power of two.
using PolynomialSize = TfheSize<struct PolynomialTag>;
/// Polynomials of that size that a table is spread over (Lee, Yoon 2023): 2^e of them make a table 2^e times as fine.
using ExtensionFactor = TfheSize<struct ExtensionTag>;

/// How a word of the torus is cut into signed digits: the upper levels * base_log bits of it.
struct Decomposition {
  int base_log = 0;
  int levels = 0;
  bool operator==(const Decomposition&) const = default;
};

}  // namespace tacit::params
