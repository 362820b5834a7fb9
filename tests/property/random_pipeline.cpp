#include "random_pipeline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "graph/passes/sketch.h"
#include "graph/reference/run.h"

namespace tacit {
namespace {

using graph::Attribute;
using graph::TensorId;
using Numbers = std::vector<double>;

class Builder {
 public:
  explicit Builder(std::uint64_t seed) : random_(seed) {}

  RandomPipeline run(const PipelineKind& kind) {
    const int features = pick(2, 4);
    for (int i = 0; i < features; ++i) {
      made_.widths.push_back(magnitude());
      made_.middles.push_back(chance(0.5) ? 0 : made_.widths.back() * uniform(-3, 3));
      made_.normal.push_back(chance(0.5) ? 1 : 0);
    }
    sketch_.input({1, features});
    current_ = sketch_.graph.inputs[0];
    probe_ = made_.rows(100, 12345);
    if (chance(0.6)) scale();
    if (kind.trees) {
      trees();
    } else {
      for (int stage = pick(1, 2); stage > 0; --stage) layer();
      targets();
    }
    sketch_.output(current_);
    sketch_.graph.tensors[current_].name = "y";
    made_.graph = sketch_.graph;
    return std::move(made_);
  }

 private:
  double uniform(double lowest, double highest) {
    return std::uniform_real_distribution<double>(lowest, highest)(random_);
  }
  double normal() { return std::normal_distribution<double>()(random_); }
  int pick(int lowest, int highest) { return std::uniform_int_distribution<int>(lowest, highest)(random_); }
  bool chance(double share) { return uniform(0, 1) < share; }
  double magnitude() { return std::pow(10, uniform(-4, 5)); }

  std::int64_t width() const { return sketch_.graph.tensors[current_].shape.at(1); }

  /// Mean and deviation of every element of the current value.
  std::pair<Numbers, Numbers> moments() {
    graph::Graph so_far = sketch_.graph;
    so_far.outputs = {current_};
    const auto n = static_cast<std::size_t>(width());
    Numbers sums(n, 0.0), squares(n, 0.0);
    for (const auto& row : probe_) {
      const Numbers values = so_far.nodes.empty() ? row[0].data : graph::reference::run(so_far, row).at(0).data;
      for (std::size_t e = 0; e < n; ++e) {
        sums[e] += values[e];
        squares[e] += values[e] * values[e];
      }
    }
    const auto count = static_cast<double>(probe_.size());
    Numbers deviations;
    for (std::size_t e = 0; e < n; ++e) {
      sums[e] /= count;
      deviations.push_back(std::sqrt(std::max(0.0, squares[e] / count - sums[e] * sums[e])));
      // A unit that never moves gets no weight.
      if (!(deviations.back() > 1e-9 * std::abs(sums[e]))) deviations.back() = std::numeric_limits<double>::infinity();
    }
    return {sums, deviations};
  }

  TensorId with(const char* op, Numbers numbers) {
    const std::int64_t n = width();
    return sketch_.node(op, {current_, sketch_.constant({1, n}, std::move(numbers))}, {1, n});
  }

  void scale() {
    const auto [means, deviations] = moments();  // finite: features move
    current_ = with("Sub", means);
    current_ = with("Div", deviations);
    made_.text += " scaler";
  }

  /// Units whose deviations are `widths`, times what their operand has.
  TensorId dense(const Numbers& widths) {
    const auto [means, deviations] = moments();
    const std::int64_t in = width(), out = static_cast<std::int64_t>(widths.size());
    Numbers weights(static_cast<std::size_t>(in * out)), bias;
    for (std::size_t j = 0; j < widths.size(); ++j) {
      double shift = 0;
      for (std::size_t i = 0; i < static_cast<std::size_t>(in); ++i) {
        double& weight = weights[i * widths.size() + j];
        weight = normal() / deviations[i] * widths[j] / std::sqrt(static_cast<double>(in));
        shift -= weight * means[i];
      }
      bias.push_back(shift + 0.5 * normal() * widths[j]);
    }
    const TensorId product = sketch_.node("MatMul", {current_, sketch_.constant({in, out}, weights)}, {1, out});
    return sketch_.node("Add", {product, sketch_.constant({1, out}, bias)}, {1, out});
  }

  Numbers some_widths(int count) {
    Numbers widths;
    for (int i = 0; i < count; ++i) widths.push_back(magnitude());
    return widths;
  }

  void layer() {
    const int units = pick(2, 5), kind = pick(0, 3);
    if (kind == 0) {
      const TensorId left = dense(some_widths(units)), right = dense(some_widths(units));
      current_ = sketch_.node("Mul", {left, right}, {1, units});
      made_.text += " product";
    } else if (kind == 1) {
      current_ = dense(some_widths(units));
      current_ = sketch_.node("Mul", {current_, current_}, {1, units});
      made_.text += " squares";
    } else {
      static constexpr std::array kBent{"Sigmoid", "Tanh", "Softplus", "Relu", "Abs"};
      const char* const op = kBent[static_cast<std::size_t>(pick(0, 4))];
      const bool of_any_width = std::string(op) == "Relu" || std::string(op) == "Abs";
      current_ = dense(of_any_width ? some_widths(units) : Numbers(static_cast<std::size_t>(units), 1.0));
      current_ = sketch_.node(op, {current_}, {1, units});
      made_.text += std::string(" ") + op;
    }
    if (chance(0.3)) {
      current_ = with("Mul", some_widths(units));
      made_.text += " factors";
    }
  }

  void targets() {
    const int count = pick(1, 3);
    current_ = dense(some_widths(count));
    made_.text += " targets " + std::to_string(count);
  }

  void trees() {
    const auto [means, deviations] = moments();
    const std::int64_t features = width();
    const int targets = pick(1, 3), count = pick(2, 6);
    const Numbers widths = some_widths(targets);
    std::vector<std::int64_t> tree_ids, node_ids, feature_ids, yes, no, leaf_trees, leaf_nodes, leaf_targets;
    Numbers values, weights;
    std::vector<std::string> modes;
    for (int t = 0; t < count; ++t)
      for (std::int64_t node = 0; node < 7; ++node) {  // depth two, in order of levels
        const bool leaf = node >= 3;
        const auto feature = static_cast<std::size_t>(pick(0, static_cast<int>(features) - 1));
        tree_ids.push_back(t);
        node_ids.push_back(node);
        feature_ids.push_back(leaf ? 0 : static_cast<std::int64_t>(feature));
        values.push_back(leaf ? 0 : static_cast<float>(means[feature] + normal() * deviations[feature]));
        modes.push_back(leaf ? "LEAF" : "BRANCH_LEQ");
        yes.push_back(leaf ? 0 : 2 * node + 1);
        no.push_back(leaf ? 0 : 2 * node + 2);
        for (int target = 0; leaf && target < targets; ++target) {
          leaf_trees.push_back(t);
          leaf_nodes.push_back(node);
          leaf_targets.push_back(target);
          weights.push_back(static_cast<float>(normal() * widths[static_cast<std::size_t>(target)]));
        }
      }
    current_ = sketch_.node("ai.onnx.ml.TreeEnsembleRegressor", {current_}, {1, targets},
                            {{"n_targets", std::int64_t{targets}},
                             {"nodes_treeids", tree_ids},
                             {"nodes_nodeids", node_ids},
                             {"nodes_featureids", feature_ids},
                             {"nodes_values", values},
                             {"nodes_modes", modes},
                             {"nodes_truenodeids", yes},
                             {"nodes_falsenodeids", no},
                             {"target_treeids", leaf_trees},
                             {"target_nodeids", leaf_nodes},
                             {"target_ids", leaf_targets},
                             {"target_weights", weights}});
    made_.text += " trees " + std::to_string(count) + " targets " + std::to_string(targets);
  }

  std::mt19937_64 random_;
  RandomPipeline made_;
  graph::passes::Sketch sketch_;
  TensorId current_ = 0;
  std::vector<std::vector<graph::Tensor>> probe_;
};

}  // namespace

std::vector<std::vector<graph::Tensor>> RandomPipeline::rows(std::size_t count, std::uint64_t seed) const {
  constexpr double kMost = 4;
  std::mt19937_64 random(seed);
  std::normal_distribution<double> of_normal;
  std::uniform_real_distribution<double> of_uniform(-1, 1);
  std::vector<std::vector<graph::Tensor>> result;
  for (std::size_t i = 0; i < count; ++i) {
    graph::Tensor row{{1, static_cast<std::int64_t>(widths.size())}, {}, false};
    for (std::size_t e = 0; e < widths.size(); ++e) {
      const double x = normal[e] != 0 ? std::clamp(of_normal(random), -kMost, kMost) : of_uniform(random);
      row.data.push_back(static_cast<float>(middles[e] + widths[e] * x));
    }
    result.push_back({std::move(row)});
  }
  return result;
}

RandomPipeline random_pipeline(const PipelineKind& kind, std::uint64_t seed) { return Builder(seed).run(kind); }

}  // namespace tacit
