#pragma once

#include <cstdint>
#include <map>
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
/// Other forms are computed in other ways. `columns_first` is the plan of the product of the transposed operands in
/// reverse order. The shifted forms are in shifted_contraction.h.
///
/// A result may take several ciphertexts. Then i and j count inside a ciphertext. The ciphertexts of one row of blocks
/// read the same copies of the left operand. Those of one column read the same copies of the right operand.
struct ContractionPlan {
  /// One operand: its copies in two steps, or in one.
  struct Operand {
    layout::LinearOperatorPtr skew{};    ///< from the operand to `skewed`; null if `spread` reads the operand itself
    layout::LinearOperatorPtr spread{};  ///< to the copies
    layout::Layout skewed{}, copies{};
  };
  Operand left{}, right{};
  bool swapped = false;  ///< `left` is the plan of the right operand, and `right` of the left one
  SummedProduct sums{};  ///< without the names of its operands
  layout::Layout result{};
  /// The steps after a shifted result, or null: from `result` to `collected`, and to the tensor of the contraction.
  layout::LinearOperatorPtr collect{}, unshift{};
  layout::Layout collected{};
  /// Layouts that are cheap to make and to read, for all tensors of the result's shape.
  std::vector<layout::Layout> offered{};
};

/// The levels that the operands and the result of a contraction take on these slots beside the product: 2, or 1 if T is
/// so small that one step is as cheap. Shifted forms take 2 or 3.
int expansions_of(const Contraction& contraction, layout::Index slots);

/// True if a contraction can take this form on these slots.
bool can_take(const Contraction& contraction, Contraction::Form form, layout::Index slots);

/// Plans a contraction. `left`, `right` and `result` are the shapes of the values. The result may have more dimensions
/// of extent 1 than [stack, rows, columns].
ContractionPlan plan_contraction(const Contraction& contraction, const Shape& left, const Shape& right,
                                 const Shape& result, layout::Index slots);

/// The plans of contractions. Contractions with the same form, extents and operands share a plan, so that plans of its
/// linear maps are shared too. Not thread safe.
class ContractionPlans {
 public:
  /// Returns the plan of a contraction, as plan_contraction. It stays valid.
  const ContractionPlan& of(const Contraction& contraction, const Shape& left, const Shape& right, const Shape& result,
                            layout::Index slots);

 private:
  std::map<std::vector<layout::Index>, ContractionPlan> plans_;
};

}  // namespace tacit::graph::passes
