#include "graph/passes/probed_operator.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "graph/attribute.h"
#include "graph/limits.h"
#include "graph/passes/operator_kind.h"
#include "graph/reference/operator_call.h"
#include "graph/reference/run.h"
#include "graph/work.h"
#include "layout/sparse_rows.h"

namespace tacit::graph::passes {
namespace {

using layout::Index;
using layout::RowEntries;
using reference::strides_of;

constexpr std::int64_t kMostProbes = 4096;

class Probe {
 public:
  Probe(const Graph& graph, const Node& node) : graph_(graph), node_(node) {
    const std::vector<std::size_t> privates = private_inputs(graph, node);
    if (privates.size() != 1) refuse(node, "a product of two encrypted tensors has no encrypted form here");
    operand_ = privates[0];
    in_ = graph.tensors[node.inputs[operand_]].shape;
    out_ = graph.tensors[node.outputs[0]].shape;
  }

  /// Refuses the node if `runs` runs would take too long.
  void check(std::int64_t runs, const char* advice) const {
    std::vector<const Shape*> inputs;
    for (const TensorId id : node_.inputs) inputs.push_back(id == kNoTensor ? nullptr : &graph_.tensors[id].shape);
    const double work = static_cast<double>(runs) * work_of(node_, inputs, std::span(&out_, 1));
    if (work > kMostProbing)
      refuse(node_, fmt::format("finding its matrix by running it on unit vectors takes {:.3g} multiplications, and "
                                "{:.3g} is the most; {}",
                                work, kMostProbing, advice));
  }

  const Shape& in() const { return in_; }
  const Shape& out() const { return out_; }

  std::vector<double> operator()(const std::vector<double>& elements) const {
    const Tensor tensor{in_, elements, false};
    std::vector<const Tensor*> inputs;
    for (std::size_t i = 0; i < node_.inputs.size(); ++i) {
      const TensorId id = node_.inputs[i];
      inputs.push_back(i == operand_ ? &tensor : id == kNoTensor ? nullptr : &graph_.constant(id));
    }
    return reference::evaluate(graph_, node_, inputs).at(0).data;
  }

 private:
  const Graph& graph_;
  const Node& node_;
  std::size_t operand_ = 0;
  Shape in_, out_;
};

/// Returns the weights of one axis: for every output position, the input positions with weights. The other axes hold
/// ones, and interpolation weights add up to one.
std::vector<RowEntries> axis_weights(const Probe& probe, const Node& node, std::size_t axis) {
  const Shape &in = probe.in(), &out = probe.out();
  const Index in_step = strides_of(in)[axis], out_step = strides_of(out)[axis];
  std::vector<RowEntries> weights(static_cast<std::size_t>(out[axis]));
  if (in[axis] == out[axis]) {
    for (Index i = 0; i < out[axis]; ++i) weights[static_cast<std::size_t>(i)].add(i, 1.0);
    return weights;
  }
  std::vector<double> totals(weights.size(), 0.0);
  for (Index i = 0; i < in[axis]; ++i) {
    std::vector<double> unit(static_cast<std::size_t>(element_count(in)));
    for (std::size_t k = 0; k < unit.size(); ++k) unit[k] = static_cast<Index>(k) / in_step % in[axis] == i ? 1 : 0;
    const std::vector<double> made = probe(unit);
    for (Index o = 0; o < out[axis]; ++o) {
      const double weight = made[static_cast<std::size_t>(o * out_step)];
      totals[static_cast<std::size_t>(o)] += weight;
      if (weight != 0) weights[static_cast<std::size_t>(o)].add(i, weight);
    }
  }
  for (const double total : totals)
    if (!(std::abs(total - 1) < 1e-6))
      refuse(node,
             "it reads beyond the input, which has no encrypted form; use another coordinate_transformation_mode");
  return weights;
}

layout::LinearOperatorPtr resize_matrix(const Probe& probe, const Node& node) {
  const Shape &in = probe.in(), &out = probe.out();
  const std::vector<Index> in_steps = strides_of(in), out_steps = strides_of(out);
  std::int64_t runs = 0;
  for (std::size_t d = 0; d < in.size(); ++d) runs += in[d] == out[d] ? 0 : in[d];
  probe.check(runs, "resize smaller tensors");
  std::vector<std::vector<RowEntries>> axes;
  for (std::size_t d = 0; d < in.size(); ++d) axes.push_back(axis_weights(probe, node, d));
  return std::make_shared<layout::SparseRows>(in, out, [&](Index o, RowEntries& entries) {
    entries.add(0, 1.0);
    for (std::size_t d = 0; d < in.size(); ++d) {
      const RowEntries& more = axes[d][static_cast<std::size_t>(o / out_steps[d] % out[d])];
      RowEntries longer;
      for (std::size_t i = 0; i < entries.size(); ++i)
        for (std::size_t k = 0; k < more.size(); ++k)
          longer.add(entries.columns[i] + more.columns[k] * in_steps[d], entries.weights[i] * more.weights[k]);
      entries = std::move(longer);
    }
  });
}

layout::LinearOperatorPtr matrix_of_unit_vectors(const Probe& probe, const Node& node) {
  const std::int64_t count = element_count(probe.in());
  if (count > kMostProbes)
    refuse(node,
           fmt::format("its private operand has {} elements, more than {}; write it as MatMul", count, kMostProbes));
  probe.check(count, "write it as MatMul");
  std::vector<RowEntries> rows(static_cast<std::size_t>(element_count(probe.out())));
  std::vector<double> unit(static_cast<std::size_t>(count), 0.0);
  for (std::int64_t i = 0; i < count; ++i) {
    unit[static_cast<std::size_t>(i)] = 1;
    const std::vector<double> made = probe(unit);
    unit[static_cast<std::size_t>(i)] = 0;
    for (std::size_t o = 0; o < made.size(); ++o)
      if (made[o] != 0) rows[o].add(i, made[o]);
  }
  const auto append = [&](Index row, RowEntries& entries) { entries = std::move(rows[static_cast<std::size_t>(row)]); };
  return std::make_shared<layout::SparseRows>(probe.in(), probe.out(), append);
}

}  // namespace

layout::LinearOperatorPtr probed_operator(const Graph& graph, const Node& node) {
  const Probe probe(graph, node);
  return node.op == "Resize" ? resize_matrix(probe, node) : matrix_of_unit_vectors(probe, node);
}

}  // namespace tacit::graph::passes
