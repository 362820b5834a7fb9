#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ring/rns_poly.h"
#include "scheme/rlwe/modulus_chain.h"
#include "scheme/rlwe/scratch.h"

namespace tacit::scheme::rlwe {

__extension__ using Int128 = __int128;

/// A signed 128-bit number modulo a prime.
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

/// One row of sum over i of left[i] * right[i] + multiplier * combination, made a run of words at a time and reduced
/// once. For one thread.
class RowSum {
 public:
  /// Modulo `q`; `right` are whole rows of n words in [0, q), `row` is the combination's, `longest` the longest run
  /// that will be asked for.
  RowSum(const ring::Modulus& q, std::span<const std::uint64_t* const> right, const Combination& add, std::size_t row,
         std::uint64_t multiplier, std::size_t longest);
  /// Words [at, at + count): left[i] are the `count` words of the left factors there.
  void run(std::size_t at, std::size_t count, std::span<const std::uint64_t* const> left, std::uint64_t* out);

 private:
  const ring::Modulus& q_;
  std::size_t given_;
  std::vector<const std::uint64_t*> right_;    ///< whole rows
  std::vector<const std::uint64_t*> factors_;  ///< whole rows that are weighted first
  ScratchRows scaled_;
  std::vector<const std::uint64_t*> left_now_, right_now_;
  std::uint64_t weight_, constant_;
};

/// One row of a combination.
void evaluate_row(const ModulusChain& chain, const Combination& combination, std::size_t row, std::uint64_t* out);

}  // namespace tacit::scheme::rlwe
