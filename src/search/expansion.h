#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/aligned.h"
#include "params/key_manifest.h"
#include "scheme/ckks/ciphertext.h"
#include "scheme/ckks/context.h"
#include "scheme/ckks/keys.h"
#include "search/leaf_rotation.h"

namespace tacit::search {

/// Returns the context of the search set (params::search_literal). It is made once. Thread safe.
scheme::ckks::ContextPtr search_context();

/// Returns the factor 1 / leaves modulo q. A question holds its coefficients times this factor, because each step of an
/// expansion doubles them. `leaves` is the power of two at or above `dimensions`.
std::uint64_t expansion_factor(const scheme::ckks::Context& context, std::size_t dimensions);

/// Returns the keys that expand questions of up to so many dimensions: one ordinary rotation for each step, and the
/// conjugation for the last step of 4,096.
params::KeyManifest expansion_keys(std::size_t dimensions);

/// Returns the bytes in memory of these keys, and of one expanded question.
std::uint64_t expansion_key_bytes(std::size_t dimensions);
std::uint64_t expanded_bytes(std::size_t dimensions);

/// The coefficients of one question, each as a ciphertext of a constant: rows of c0 and c1 in the NTT domain.
class ExpandedQuestion {
 public:
  ExpandedQuestion() = default;
  ExpandedQuestion(std::size_t n, std::size_t dimensions);
  std::size_t dimensions() const { return dimensions_; }
  /// Returns the row of c0 (half 0) or c1 (half 1) of a dimension.
  std::uint64_t* row(std::size_t half, std::size_t dimension) {
    return words_.data() + (half * dimensions_ + dimension) * stride_;
  }
  const std::uint64_t* row(std::size_t half, std::size_t dimension) const {
    return words_.data() + (half * dimensions_ + dimension) * stride_;
  }

 private:
  std::size_t dimensions_ = 0, stride_ = 0;
  base::AlignedVector<std::uint64_t> words_;
};

/// Expands questions (Angel, Chen, Laine, Setty 2018, figure 3). Step j turns a ciphertext c into c + r(c) and
/// (c - r(c)) X^-(2^j). The automorphism r changes the sign of the odd powers of X^(2^j): it is the rotation by N /
/// 2^(j + 2) slots, whose element is an odd multiple of N / 2^j plus 1. Leaves beyond the dimensions are never made.
/// Thread safe.
class Expander {
 public:
  /// Throws InputError naming the missing key if `keys` do not reach so many dimensions.
  Expander(scheme::ckks::ContextPtr context, std::shared_ptr<const scheme::ckks::EvaluationKeys> keys,
           std::size_t dimensions);
  /// Returns one ciphertext for each dimension. Threads share the work.
  ExpandedQuestion expand(const scheme::ckks::Ciphertext& question, std::size_t dimensions) const;

 private:
  scheme::ckks::ContextPtr context_;
  std::shared_ptr<const scheme::ckks::EvaluationKeys> keys_;
  std::vector<LeafRotation> rotations_;   ///< by step
  std::vector<ring::NttPoly> monomials_;  ///< X^-(2^j) by step
};

}  // namespace tacit::search
