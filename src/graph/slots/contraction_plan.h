#pragma once

#include <cstdint>
#include <vector>

#include "graph/passes/network.h"
#include "layout/layout.h"
#include "layout/linear_operator.h"

namespace tacit::graph::passes {

/// The computation of a contraction on slots. Every element (b, s, i, j) of the result has a slot. Both operands are
/// copied to T ciphertexts of these slots. In ciphertext t, the slot of (b, s, i, j) holds left[s, i, k] of one operand
/// and right[s, k, j] of the other, with k = (i + j + t) modulo the inner extent. The products of all T ciphertexts are
/// added and then relinearised once. Their sum is the result (Jiang, Kim, Lauter, Song 2018).
///
/// The slots may have room for several copies of the result. Each copy then has another part of the sum, and rotations
/// add the copies.
///
/// A result may take several ciphertexts. Then i and j count inside a ciphertext. The ciphertexts of one row of blocks
/// read the same copies of the left operand. Those of one column read the same copies of the right operand.
struct ContractionPlan {
  /// One operand: its copies in two steps, or in one.
  struct Operand {
    layout::LinearOperatorPtr skew;    ///< from the operand to `skewed`; null if `spread` reads the operand itself
    layout::LinearOperatorPtr spread;  ///< to the copies
    layout::Layout skewed{}, copies{};
  };
  Operand left, right;
  SummedProduct sums{};  ///< without the names of its operands
  layout::Layout result{};
};

/// The levels that the operands of a contraction take on these slots: 2, or 1 if T is so small that one step is as
/// cheap.
int expansions_of(const Contraction& contraction, layout::Index slots);

/// Plans a contraction. `left`, `right` and `result` are the shapes of the values. The result may have more dimensions
/// of extent 1 than [stack, rows, columns].
ContractionPlan plan_contraction(const Contraction& contraction, const Shape& left, const Shape& right,
                                 const Shape& result, layout::Index slots);

}  // namespace tacit::graph::passes
