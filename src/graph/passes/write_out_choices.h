#pragma once

#include <cstddef>

#include "graph/links.h"
#include "graph/passes/graph_editor.h"

namespace tacit::graph::passes {

/// Writes Where with a constant condition as what it is, a linear operator: x where the condition holds and y elsewhere
/// are x * condition + y * (1 - condition). Products with constants are left out where both hide: below a Softmax,
/// numbers of at most kHides in place of x are added to it. Leaves other nodes alone, and choices of numbers that are
/// not finite.
class ChoiceWriter {
 public:
  ChoiceWriter(const Graph& graph, GraphEditor& editor) : graph_(graph), links_(graph), editor_(editor) {}

  /// Returns false, and writes nothing, for a node that is left alone.
  bool write(const Node& node);

 private:
  bool only_hides(const Node& node, const Tensor& added, const Tensor& kept) const;

  const Graph& graph_;
  Links links_;
  GraphEditor& editor_;
};

}  // namespace tacit::graph::passes
