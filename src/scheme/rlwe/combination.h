#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ring/rns_poly.h"
#include "ring/uniform_dot.h"
#include "scheme/rlwe/modulus_chain.h"
#include "scheme/rlwe/scratch.h"

namespace tacit::scheme::rlwe {

__extension__ using Int128 = __int128;

/// Returns a signed 128-bit number modulo a prime.
std::uint64_t residue(Int128 value, const ring::Modulus& q);

/// A linear combination of polynomials in the NTT domain: weight * sum of x * y + sum of factor * x + constant. Only
/// the rows of ciphertext primes are read.
struct Combination {
  struct Product {
    const ring::NttPoly* x;
    const ring::NttPoly* y;
  };
  struct Multiple {
    const ring::NttPoly* x;
    Int128 factor;
  };
  std::vector<Product> products;
  std::vector<Multiple> multiples;
  Int128 constant = 0;
  std::uint64_t weight = 1;
  bool empty() const { return products.empty() && multiples.empty() && constant == 0; }
};

/// The divisor of the sum of a row's products, modulo the prime. The division comes before the constant is added.
enum class RowDivisor { one, two52 };

/// One row of multiplier * combination, a run of words at a time. For one thread.
class RowSum {
 public:
  /// `q` is the modulus, `row` the row of the combination, and `longest` the longest run that will be requested.
  RowSum(const ring::Modulus& q, const Combination& add, std::size_t row, std::uint64_t multiplier, RowDivisor divisor,
         std::size_t longest);
  /// Returns the products at words [at, at + count). Their sum, divided, is the row without its constant. The result is
  /// valid until the next call.
  std::span<const ring::ProductTerm> terms(std::size_t at, std::size_t count);
  void add_constant(std::uint64_t* out, std::size_t count) const;
  /// Adds the addresses that terms(at, …) reads to `rows`, so that they can be fetched before.
  void append_rows(std::size_t at, std::vector<const std::uint64_t*>& rows) const;

 private:
  const ring::Modulus& q_;
  std::vector<const std::uint64_t*> rows_;  ///< rows of the combination: y of every product, then x of every multiple
  std::vector<const std::uint64_t*> factors_;  ///< x of every product, weighted first
  std::vector<std::uint64_t> multiples_;       ///< by multiple
  ScratchRows weighted_;
  std::vector<ring::ProductTerm> now_;
  std::uint64_t weight_, constant_;
};

/// Computes one row of a combination.
void evaluate_row(const ModulusChain& chain, const Combination& combination, std::size_t row, std::uint64_t* out);

}  // namespace tacit::scheme::rlwe
