#pragma once

#include "graph/slots/contraction_plan.h"

namespace tacit::graph::passes {

/// True for the forms of this file.
constexpr bool is_shifted(Contraction::Form form) {
  return form == Contraction::Form::shifted_columns || form == Contraction::Form::shifted_inner;
}

/// True if a matrix of products fits one ciphertext with this number of slots.
bool can_shift(const Contraction& contraction, Contraction::Form form, layout::Index slots);

/// The levels that a contraction of a shifted form takes beside the product: two for `shifted_inner`, and two or three
/// for `shifted_columns`.
int shifted_expansions(const Contraction& contraction, layout::Index slots);

/// Plans a contraction by the distances between its indices. Both operands, and the result, may be in the order of
/// matrices (stacks), columns or inner values, and rows, with the rows innermost. None of them is transposed.
///
/// With `shifted_columns`, one product is made per distance t = j - i modulo the number of columns:
///     result'[s, i, t] = sum over k of left[s, i, k] * right[s, k, i + t].
/// The slots of a product are (s, k, i). Rotations add the products over k, and leave unknown numbers where k > 0. If t
/// takes many ciphertexts, the linear map `collect` brings them to the places of k. The linear map `unshift` moves t to
/// the column i + t. This suits the scores of attention.
///
/// With `shifted_inner`, one product is made per distance t = k - i modulo the inner extent:
///     result[s, i, j] = sum over t of left[s, i, i + t] * right[s, i + t, j].
/// The slots of a product are (s, j, i). The first step of the left operand moves k to t, and the second copies the
/// result for all columns. This suits the weighted sum of attention.
///
/// The distances are padded to a power of two. The slots may have room for several distances side by side, and the
/// others take separate ciphertexts. The method is that of diagonals (Halevi, Shoup 2014), for two encrypted matrices.
ContractionPlan plan_shifted(const Contraction& contraction, const Shape& left, const Shape& right, const Shape& result,
                             layout::Index slots);

}  // namespace tacit::graph::passes
