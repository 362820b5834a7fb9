#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "layout/diagonal_place.h"
#include "layout/linear_operator.h"

namespace tacit::layout {

/// A dimension of an operator's output and one of its input, such that the operator does the same to every line. Line
/// t of the output depends on line t of the input alone. Its entries are at the same places of the line for all t. A
/// layer that reads every token of a text alike has its tokens as lines.
struct AlikeLines {
  int out_dim = 0, in_dim = 0;
};

/// Returns the lines of an operator between tensors of these shapes, with as many elements as its own. If there are
/// several, the result has the most lines. It reads every entry once for every pair of equal extents.
std::optional<AlikeLines> alike_lines(const LinearOperator& op, const Shape& in, const Shape& out);

/// Finds the lines of an operator, or knows that it has none.
using SeekLines = std::function<std::optional<AlikeLines>()>;

/// Lines whose entries are those of one line, moved by equal distances.
struct MovedLines {
  std::vector<Index> rows;           ///< of the first of them
  std::vector<DiagonalPlace> steps;  ///< from its places to those of every line, each once
};

/// Returns the lines of a map in groups. `modulus` is that of the diagonals, a power of two. Lines are in one group
/// unless they read other copies of an input (MapEntries).
std::vector<MovedLines> moved_lines(const LinearMap& map, const AlikeLines& lines, Index modulus);

}  // namespace tacit::layout
