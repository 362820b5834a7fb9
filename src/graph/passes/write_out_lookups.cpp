#include "graph/passes/write_out_lookups.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "graph/attribute.h"
#include "graph/declaration.h"
#include "graph/passes/graph_editor.h"
#include "graph/prune.h"
#include "graph/tree_ensemble.h"

namespace tacit::graph::passes {
namespace {

/// The most rows of a table, and the most encrypted zeros and ones of all indices together.
constexpr std::int64_t kMostRows = 4096, kMostOnes = std::int64_t{1} << 18;

class LookupWriter {
 public:
  LookupWriter(const Graph& graph, const std::set<std::string>& keep_private, bool before)
      : graph_(graph), keep_private_(keep_private), before_(before), result_(graph), editor_(result_) {}

  Graph run() {
    note_layers();
    result_.nodes.clear();
    bool wrote = false;
    for (const Node& node : graph_.nodes) {
      const bool written = is_private_lookup(node) && write(node);
      wrote = wrote || written;
      if (!written) editor_.copy(node);
    }
    if (wrote) drop_unread(result_);
    return std::move(result_);
  }

 private:
  /// Notes which tensors depend on a layer's result.
  void note_layers() {
    layered_.assign(graph_.tensors.size(), 0);
    for (const Node& node : graph_.nodes) {
      bool layer = has_trait(node.op, kLayer) || node.op == kTreeScoresOp;
      for (const TensorId id : node.inputs) layer = layer || (id != kNoTensor && layered_[id] != 0);
      for (const TensorId id : node.outputs)
        if (id != kNoTensor) layered_[id] = layer ? 1 : 0;
    }
  }

  bool is_private_lookup(const Node& node) const {
    if (node.op != "Gather" || node.inputs.size() != 2) return false;
    const TensorId table = node.inputs[0], indices = node.inputs[1];
    return graph_.is_constant(table) && !graph_.is_constant(indices) && layered_[indices] == 0 &&
           !graph_.tensors[table].text && graph_.tensors[indices].integral;
  }

  bool write(const Node& node) {
    const Tensor& table = graph_.constant(node.inputs[0]);
    const TensorId indices = node.inputs[1], result = node.outputs[0];
    const bool kept = keep_private_.contains(node.name);
    const bool weights = !table.integral && table.size() > kSmallTable;
    if (!before_)
      refuse(
          node,
          "its indices are private, and --client-before off forbids the client to prepare them, which encrypted "
          "indices need; leave --client-before on: with --keep-private the client writes the indices as rows of zeros "
          "and ones, and the table stays with the server");
    if (!weights && !kept) return false;  // the client looks up
    const std::size_t axis = normal_axis(node, integer_attribute(node, "axis"), table.shape.size());
    const std::int64_t rows = table.shape[axis], count = element_count(graph_.tensors[indices].shape);
    if (axis != 0)
      refuse(node, fmt::format("its private indices are those of axis {} of a table that stays with the server, and "
                               "only rows can be looked up; transpose the table and gather on axis 0",
                               axis));
    if (rows > kMostRows || count > kMostOnes / std::max<std::int64_t>(rows, 1))
      refuse(node,
             fmt::format("its indices are private, so that each of {} is encrypted as a row of {} zeros and ones; "
                         "{} in a row and {} together are the most. Take fewer rows, or cut the model behind this "
                         "node and give what it looks up as the input",
                         count, rows, kMostRows, kMostOnes));
    const std::int64_t width = rows == 0 ? 0 : table.size() / rows;
    const TensorId ones =
        editor_.step("tacit.IndexRows", node.name + ".indices", {indices}, {count, rows}, {{"rows", rows}});
    const TensorId weights_of_rows = editor_.constant(node.name + ".table", {{rows, width}, table.data, false});
    const TensorId looked_up = editor_.step("MatMul", node.name, {ones, weights_of_rows}, {count, width});
    const TensorId shape = editor_.constant(node.name + ".shape", integers(graph_.tensors[result].shape));
    editor_.node("Reshape", node.name + ".shaped", {looked_up, shape}, result);
    return true;
  }

  const Graph& graph_;
  const std::set<std::string>& keep_private_;
  const bool before_;
  Graph result_;
  GraphEditor editor_;
  std::vector<char> layered_;
};

}  // namespace

Graph write_out_lookups(const Graph& graph, const std::set<std::string>& keep_private, bool before) {
  return LookupWriter(graph, keep_private, before).run();
}

}  // namespace tacit::graph::passes
