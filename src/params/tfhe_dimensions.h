#pragma once

#include <compare>
#include <cstddef>

/// Sizes of the TFHE scheme. Each is a type of its own, so that arguments cannot be swapped.
namespace tacit::params {

/// Words of an LWE mask.
struct LweDimension {
  std::size_t value = 0;
  explicit constexpr LweDimension(std::size_t n) : value(n) {}
  auto operator<=>(const LweDimension&) const = default;
};
/// Mask polynomials of a GLWE ciphertext.
struct GlweDimension {
  std::size_t value = 0;
  explicit constexpr GlweDimension(std::size_t k) : value(k) {}
  auto operator<=>(const GlweDimension&) const = default;
};
/// Coefficients of a polynomial, a power of two.
struct PolynomialSize {
  std::size_t value = 0;
  explicit constexpr PolynomialSize(std::size_t n) : value(n) {}
  auto operator<=>(const PolynomialSize&) const = default;
};
/// Polynomials of that size that a table is spread over (Lee, Yoon 2023): 2^e of them make a table 2^e times as fine.
struct ExtensionFactor {
  std::size_t value = 1;
  explicit constexpr ExtensionFactor(std::size_t factor) : value(factor) {}
  auto operator<=>(const ExtensionFactor&) const = default;
};

/// How a word of the torus is cut into signed digits: the upper levels * base_log bits of it.
struct Decomposition {
  int base_log = 0;
  int levels = 0;
  bool operator==(const Decomposition&) const = default;
};

}  // namespace tacit::params
