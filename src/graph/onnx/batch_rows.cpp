#include "graph/onnx/batch_rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"
#include "graph/attribute.h"
#include "graph/links.h"
#include "graph/onnx/batch_axes.h"
#include "graph/reference/run.h"
#include "graph/work.h"

namespace tacit::graph::onnx {
namespace {

[[noreturn]] void refuse_mixing(const Node& node) {
  refuse(node,
         "it mixes the rows of a batch, and inputs are run one row at a time; export the model with a fixed batch, "
         "which is then encrypted as a whole");
}

/// All results of a network are kept, to name the first node that mixes rows, up to so many elements.
constexpr std::int64_t kMostCompared = std::int64_t{1} << 22;
/// Multiplications that comparing takes at the most: this, and more for a network with many weights.
constexpr double kMostComparing = 0x1p31, kMostComparingPerWeight = 0x1p12;

/// What the nodes of a graph made of its inputs, by the names of the tensors.
using Results = std::map<std::string, Tensor>;

Results run_nodes(const Graph& graph, const std::vector<Tensor>& inputs) {
  Results results;
  reference::run(graph, inputs, [&](const Node& node, std::span<const Tensor> made) {
    for (std::size_t i = 0; i < node.outputs.size() && i < made.size(); ++i)
      if (node.outputs[i] != kNoTensor) results[graph.tensors[node.outputs[i]].name] = made[i];
  });
  return results;
}

/// The same of a graph's outputs alone.
Results run_outputs(const Graph& graph, const std::vector<Tensor>& inputs) {
  Results results;
  std::vector<Tensor> outputs = reference::run(graph, inputs);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    results[graph.tensors[graph.outputs[i]].name] = std::move(outputs[i]);
  return results;
}

std::int64_t elements_of(const Graph& graph) {
  std::int64_t elements = 0;
  for (const TensorInfo& info : graph.tensors) elements += element_count(info.shape);
  return elements;
}

/// Rows of a tensor on `axis`, of `rows` in all; those of a tensor whose elements lie row by row where there is none.
std::vector<double> row_of(const Tensor& tensor, std::size_t axis, std::size_t row, std::size_t rows) {
  std::size_t outer = 1;
  for (std::size_t k = 0; k < axis; ++k) outer *= static_cast<std::size_t>(tensor.shape[k]);
  const std::size_t run = tensor.data.size() / outer / rows;
  std::vector<double> result;
  for (std::size_t o = 0; o < outer; ++o) {
    const auto begin = tensor.data.begin() + static_cast<std::ptrdiff_t>((o * rows + row) * run);
    result.insert(result.end(), begin, begin + static_cast<std::ptrdiff_t>(run));
  }
  return result;
}

bool alike(const std::vector<double>& a, const std::vector<double>& b) {
  constexpr double kTolerance = 1e-4;  // results are rounded to their element types
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return x == y || std::abs(x - y) <= kTolerance * (1 + std::abs(x)) || (std::isnan(x) && std::isnan(y));
  });
}

class Comparison {
 public:
  Comparison(const Graph& one, const Graph& several, const BatchAxes& axes)
      : axes_(axes), one_(one), several_(several) {}

  /// The node whose result for several rows is not that for each row; none where both agree.
  const Node* run() {
    std::vector<std::vector<Tensor>> rows(kSeveralRows);
    std::vector<Tensor> together;
    for (std::size_t i = 0; i < one_.inputs.size(); ++i) {
      const TensorInfo& info = one_.tensors[one_.inputs[i]];
      const TensorInfo& all = several_.tensors[several_.inputs[i]];
      const std::size_t count = static_cast<std::size_t>(element_count(info.shape));
      const bool batched = info.shape != all.shape;
      Tensor joined = empty(all);
      for (auto& row : rows) {
        Tensor tensor = empty(info);
        tensor.data = batched || row.data() == rows[0].data() ? numbers(info, count) : rows[0].back().data;
        if (batched || joined.data.empty())
          joined.data.insert(joined.data.end(), tensor.data.begin(), tensor.data.end());
        row.push_back(std::move(tensor));
      }
      together.push_back(std::move(joined));
    }
    several_results_ = run_outputs(several_, together);
    for (const auto& row : rows) row_results_.push_back(run_outputs(one_, row));
    const auto mixed =
        std::find_if(one_.outputs.begin(), one_.outputs.end(), [&](TensorId id) { return differs(id) == true; });
    if (mixed == one_.outputs.end()) return nullptr;
    if (elements_of(several_) > kMostCompared) return maker_of(*mixed);
    several_results_ = run_nodes(several_, together);
    row_results_.clear();
    for (const auto& row : rows) row_results_.push_back(run_nodes(one_, row));
    for (const Node& node : one_.nodes)
      for (const TensorId id : node.outputs)
        if (id != kNoTensor && differs(id) == true) return &node;
    return maker_of(*mixed);
  }

 private:
  const Node* maker_of(TensorId id) const {
    const std::optional<std::size_t> maker = Links(one_).makers[id];
    return maker ? &one_.nodes[*maker] : nullptr;
  }

  static Tensor empty(const TensorInfo& info) {
    Tensor tensor{info.shape, {}, info.integral, {}};
    if (info.text) tensor.texts = {""};
    return tensor;
  }

  std::vector<double> numbers(const TensorInfo& info, std::size_t count) {
    std::vector<double> result(count, 0.0);
    for (double& x : result)
      if (!info.text) x = info.integral ? static_cast<double>(random_() % 2) : normal_(random_);
    return result;
  }

  /// Nothing for a tensor that only one of the graphs makes, or whose rows are not to be found.
  std::optional<bool> differs(TensorId id) const {
    const std::string& name = one_.tensors[id].name;
    const auto several = several_results_.find(name);
    if (several == several_results_.end() || !row_results_[0].contains(name)) return std::nullopt;
    const std::optional<BatchAxes::Axes> axes = axes_.of(id);
    if (axes && axes->size() != 1) return std::nullopt;
    const std::size_t axis = axes ? axes->front() : 0;
    for (std::size_t row = 0; row < row_results_.size(); ++row) {
      const Tensor& alone = row_results_[row].at(name);
      if (several->second.data.size() != alone.data.size() * row_results_.size()) return true;
      if (!alike(row_of(several->second, axis, row, row_results_.size()), alone.data)) return true;
    }
    return false;
  }

  const BatchAxes& axes_;
  const Graph& one_;
  const Graph& several_;
  std::mt19937 random_{20221};
  std::normal_distribution<double> normal_;
  Results several_results_;
  std::vector<Results> row_results_;
};

}  // namespace

void refuse_held_batch() {
  throw base::InputError(
      "the model holds the number of rows of its batch, so that its rows cannot be run one at a time; give rows with "
      "the whole batch, without --shape, or export the model with a symbolic batch axis");
}

void check_rows_are_apart(const Graph& one, const Graph& several, bool must_run) {
  const BatchAxes axes(one, several);
  bool settled = true;
  for (const Node& node : one.nodes) {
    if (axes.mixes(node)) refuse_mixing(node);
    settled = settled && axes.keeps_apart(node);
  }
  if (settled || one.inputs.size() != several.inputs.size()) return;
  double weights = 0;
  for (const Tensor& constant : one.constants) weights += static_cast<double>(constant.size());
  if (work_of(several) + kSeveralRows * work_of(one) > kMostComparing + kMostComparingPerWeight * weights)
    throw base::InputError(
        "whether the network keeps the rows of a batch apart would take too long to find out; export it with a batch "
        "of one in place of the open one");
  const Node* mixing = nullptr;
  try {
    mixing = Comparison(one, several, axes).run();
  } catch (const base::InputError&) {
    if (must_run) refuse_held_batch();
    return;
  }
  if (mixing != nullptr) refuse_mixing(*mixing);
}

}  // namespace tacit::graph::onnx
