#pragma once

#include "graph/calibration.h"
#include "graph/passes/graph_editor.h"

namespace tacit::graph::passes {

/// Numbers of a mask at or below this hide the elements to which they are added. An exponential with it is below 1e-200
/// of one without, for all scores whose Softmax can be written out.
inline constexpr double kHides = -1e3;

/// True for a Softmax along the last of two or more axes, as attention has them.
bool is_along_last_axis(const Graph& graph, const Node& softmax);

/// Returns true if exporters' masks are added to the scores of a Softmax: the sum of scores and constants that hide
/// elements.
bool has_constant_mask(const GraphEditor& editor, TensorId scores);

/// Writes a Softmax along an axis as exponentials times the reciprocal of their sum. The sum is spread to all elements
/// before its reciprocal is taken, because spread and sum are one linear operator. The largest element is not
/// subtracted: the samples show how large the exponentials are. Elements that a mask hides are multiplied by 0.
///
/// With halvings (`form.halvings`), exponentials of smaller numbers are normalised and squared as many times:
/// exp(x) = exp(x / 2)^2. The result does not depend on the factors of the normalisations before the last one, which
/// may therefore be coarse.
void write_out_softmax(GraphEditor& editor, const Node& node, std::size_t axis, const SoftmaxForm& form);

}  // namespace tacit::graph::passes
