#include "graph/passes/write_out_distances.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/attribute.h"
#include "graph/declaration.h"
#include "graph/links.h"
#include "graph/passes/graph_editor.h"
#include "graph/prune.h"

namespace tacit::graph::passes {
namespace {

/// The distances of `point` from `rows`, [count, features].
struct Distances {
  TensorId point = kNoTensor;
  Tensor rows;
};

class DistanceWriter {
 public:
  explicit DistanceWriter(const Graph& graph) : graph_(graph), links_(graph), result_(graph), editor_(result_) {}

  Graph run() {
    result_.nodes.clear();
    bool wrote = false;
    for (const Node& node : graph_.nodes) {
      const std::optional<Distances> found = distances(node);
      wrote = wrote || found.has_value();
      if (found)
        write(node, *found);
      else
        editor_.copy(node);
    }
    if (wrote) drop_unread(result_);
    return std::move(result_);
  }

 private:
  const Node* maker(TensorId id) const {
    return id != kNoTensor && links_.makers[id] ? &graph_.nodes[*links_.makers[id]] : nullptr;
  }
  const Shape& shape(TensorId id) const { return graph_.tensors[id].shape; }

  /// Returns the tensor whose squares a node adds along the last axis. kNoTensor for other nodes.
  TensorId squared(const Node& node) const {
    std::vector<std::int64_t> axes;
    if (node.op == "ReduceSumSquare" || node.op == "ReduceL2") {
      axes = integers_attribute(node, "axes");
    } else if (node.op == "ReduceSum" && node.inputs.size() > 1 && node.inputs[1] != kNoTensor &&
               graph_.is_constant(node.inputs[1])) {
      for (const double axis : graph_.constant(node.inputs[1]).data) axes.push_back(static_cast<std::int64_t>(axis));
    }
    const auto rank = static_cast<std::int64_t>(node.inputs.empty() ? 0 : shape(node.inputs[0]).size());
    if (axes.size() != 1 || (axes[0] != -1 && axes[0] != rank - 1)) return kNoTensor;
    if (node.op != "ReduceSum") return node.inputs[0];
    const Node* square = maker(node.inputs[0]);
    if (square == nullptr) return kNoTensor;
    if (square->op == "Mul" && square->inputs[0] == square->inputs[1]) return square->inputs[0];
    if (square->op != "Pow" || !graph_.is_constant(square->inputs[1])) return kNoTensor;
    const Tensor& exponent = graph_.constant(square->inputs[1]);
    return exponent.size() == 1 && exponent.data[0] == 2 ? square->inputs[0] : kNoTensor;
  }

  std::optional<Distances> distances(const Node& node) const {
    const TensorId terms = squared(node);
    const Node* difference = maker(terms);
    if (difference == nullptr || difference->op != "Sub" || graph_.tensors[terms].integral) return std::nullopt;
    const bool left = graph_.is_constant(difference->inputs[0]), right = graph_.is_constant(difference->inputs[1]);
    if (left == right) return std::nullopt;
    const TensorId point = difference->inputs[left ? 1 : 0], rows = difference->inputs[left ? 0 : 1];
    const std::int64_t features = shape(terms).empty() ? 0 : shape(terms).back();
    const Tensor& constant = graph_.constant(rows);
    const bool one_point = features > 0 && element_count(shape(point)) == features && shape(point).back() == features;
    if (!one_point || constant.shape.empty() || constant.shape.back() != features) return std::nullopt;
    const std::int64_t count = constant.size() / features;
    if (count < 2 || count * features != element_count(shape(terms))) return std::nullopt;
    return Distances{point, {{count, features}, constant.data, false}};
  }

  /// True if a reader of the distances is not defined below 0.
  bool needs_floor(TensorId id) const {
    return std::ranges::any_of(links_.readers[id], [&](std::size_t n) {
      const Node& reader = graph_.nodes[n];
      if (is(reader.op, Class::movement))
        return std::ranges::any_of(reader.outputs,
                                   [&](TensorId made) { return made != kNoTensor && needs_floor(made); });
      return reader.op == "Sqrt" || reader.op == "Log" || reader.op == "Pow";
    });
  }

  void write(const Node& node, const Distances& found) {
    const std::int64_t count = found.rows.shape[0], features = found.rows.shape[1];
    const auto name = [&](const char* what) { return node.name + "." + what; };
    const auto integers = [&](const char* what, const Shape& numbers) {
      return editor_.constant(name(what),
                              {{static_cast<std::int64_t>(numbers.size())}, {numbers.begin(), numbers.end()}, true});
    };
    TensorId x = found.point;
    if (shape(x).size() != 2)
      x = editor_.step("Reshape", name("point"), {x, integers("row", {1, features})}, {1, features});
    Tensor rows = found.rows;
    const std::vector<double> centre = centre_of(rows);
    if (std::ranges::any_of(centre, [](double c) { return c != 0; })) {
      for (std::size_t i = 0; i < rows.data.size(); ++i) rows.data[i] -= centre[i % centre.size()];
      const TensorId middle = editor_.constant(name("centre"), {{features}, centre, false});
      x = editor_.step("Sub", name("centred"), {x, middle}, {1, features});
    }
    std::vector<double> norms(static_cast<std::size_t>(count), 0.0);
    for (std::size_t i = 0; i < rows.data.size(); ++i)
      norms[i / static_cast<std::size_t>(features)] += rows.data[i] * rows.data[i];
    const TensorId squares = editor_.step("Mul", name("squares"), {x, x}, {1, features});
    const Tensor ones{{features, count}, std::vector<double>(rows.data.size(), 1.0), false};
    const TensorId norm =
        editor_.step("MatMul", name("norm"), {squares, editor_.constant(name("ones"), ones)}, {1, count});
    const TensorId products = editor_.step(
        "Gemm", name("products"),
        {x, editor_.constant(name("rows"), rows), editor_.constant(name("norms"), {{count}, norms, false})}, {1, count},
        {{"transB", std::int64_t{1}}, {"alpha", -2.0}});
    TensorId sum = editor_.step("Add", name("sum"), {norm, products}, {1, count});
    const bool root = node.op == "ReduceL2";
    if (root || needs_floor(node.outputs[0])) sum = editor_.step("Relu", name("floor"), {sum}, {1, count});
    if (root) sum = editor_.step("Sqrt", name("root"), {sum}, {1, count});
    const TensorId result = node.outputs[0];
    editor_.node("Reshape", node.name, {sum, integers("shape", shape(result))}, result);
  }

  /// Returns for every feature the mean of its rows if the mean exceeds their spread, else 0.
  static std::vector<double> centre_of(const Tensor& rows) {
    const auto count = static_cast<std::size_t>(rows.shape[0]), features = static_cast<std::size_t>(rows.shape[1]);
    std::vector<double> centre(features, 0.0);
    for (std::size_t j = 0; j < features; ++j) {
      double sum = 0, squares = 0;
      for (std::size_t i = 0; i < count; ++i) sum += rows.data[i * features + j];
      const double mean = sum / static_cast<double>(count);
      for (std::size_t i = 0; i < count; ++i) squares += std::pow(rows.data[i * features + j] - mean, 2);
      if (mean * mean > squares / static_cast<double>(count)) centre[j] = mean;
    }
    return centre;
  }

  const Graph& graph_;
  const Links links_;
  Graph result_;
  GraphEditor editor_;
};

}  // namespace

Graph write_out_distances(const Graph& graph) { return DistanceWriter(graph).run(); }

}  // namespace tacit::graph::passes
