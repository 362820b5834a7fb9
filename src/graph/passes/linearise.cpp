#include "graph/passes/linearise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/naming.h"
#include "graph/attribute.h"
#include "graph/declaration.h"
#include "graph/passes/linear_nodes.h"
#include "graph/passes/operator_kind.h"
#include "graph/reference/broadcast.h"
#include "graph/reference/run.h"
#include "graph/tree_ensemble.h"
#include "layout/operators/combined.h"
#include "layout/operators/movement.h"

namespace tacit::graph::passes {
namespace {

// The mark of moved elements. A marked element is kMark plus its operand's number times kOperandStride plus its flat
// index. It is exact in a double. A constant that a movement brings in must be smaller.
constexpr double kMark = 35184372088832.0;        // 2^45
constexpr double kOperandStride = 68719476736.0;  // 2^36
constexpr std::int64_t kMostFactors = 64;         // of one product

class Lineariser {
 public:
  explicit Lineariser(const Recognised& recognised) : recognised_(recognised), graph_(recognised.graph) {}

  Network run() {
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i)
      define(graph_.inputs[i], Private{i}, graph_.tensors[graph_.inputs[i]].name, "Input");
    for (const Node& node : graph_.nodes) lower_named(node);
    for (const TensorId id : graph_.outputs) {
      if (!values_.contains(id))
        base::refuse(
            "output '{}' does not depend on a private input: there is nothing to encrypt; leave it out of the model, "
            "as it is the same for every input",
            graph_.tensors[id].name);
      network_.outputs.push_back(values_.at(id));
    }
    return std::move(network_);
  }

 private:
  template <class Operation>
  void define(TensorId tensor, Operation operation, const std::string& node, const std::string& op) {
    values_[tensor] = network_.add({std::move(operation), graph_.tensors[tensor].shape, node, op, {}, {}, tensor});
  }

  // Adds a value between a node's inputs and its result.
  template <class Operation>
  ValueId step(const Node& node, Operation operation, const Shape& shape) {
    return network_.add({std::move(operation), shape, node.name, node.op, {}});
  }

  ValueId value(const Node& node, std::size_t input) const {
    const auto found = values_.find(node.inputs.at(input));
    if (found == values_.end()) refuse(node, fmt::format("its input {} is not a value of the network", input));
    return found->second;
  }

  std::vector<std::size_t> private_inputs(const Node& node) const { return passes::private_inputs(graph_, node); }

  // Lowers a node and names it in errors. Operators between layouts refuse shapes and weights without knowing the node.
  void lower_named(const Node& node) {
    base::naming_once("node '", fmt::format("node '{}' ({})", node.name, node.op), [&] { lower(node); });
  }

  void lower(const Node& node) {
    if (node.op == kFunctionOp) {
      const ScalarFunction& function = recognised_.functions.at(node.outputs[0]);
      define(node.outputs[0], Function{value(node, 0), function}, node.name, function.name());
    } else if (node.op == kTreeScoresOp) {
      define(node.outputs[0], Trees{value(node, 0), std::make_shared<const TreeEnsemble>(tree_ensemble(node))},
             node.name, "trees");
    } else if (node.op == "PRelu" && private_inputs(node) == std::vector<std::size_t>{0}) {
      lower_prelu(node);
    } else if (node.op == "Pow") {
      lower_power(node);
    } else if (node.op == "Mul" && private_inputs(node).size() == 2) {
      define(node.outputs[0], Product{expanded(node, 0), expanded(node, 1)}, node.name, node.op);
    } else if (node.op == "ReduceSumSquare") {
      const ValueId input = value(node, 0);
      const ValueId square = step(node, Product{input, input}, network_.values[input].shape);
      define(node.outputs[0], Affine{{{square, linear_operator(graph_, node).op}}}, node.name, node.op);
    } else if (node.op == "ReduceProd") {
      lower_product_of_axes(node);
    } else if (is(node.op, Class::arithmetic)) {
      lower_arithmetic(node);
    } else if (is(node.op, Class::movement)) {
      lower_movement(node);
    } else if (multiplies_private_matrices(graph_, node)) {
      lower_contraction(node);
    } else if (is(node.op, Class::linear)) {
      std::vector<std::size_t> privates = private_inputs(node);
      const bool private_bias = node.op == "Gemm" && privates.size() == 2 && privates[1] == 2;
      if (privates.size() != 1 && !private_bias)
        refuse_operator(node,
                        node.op == "Einsum" ? "a sum of products of two encrypted tensors" : "an encrypted weight");
      LinearNode lowered = linear_operator(graph_, node);
      Affine affine{{{value(node, privates[0]), std::move(lowered.op)}}, std::move(lowered.bias)};
      if (private_bias) {
        const Shape &from = graph_.tensors[node.inputs[2]].shape, &to = graph_.tensors[node.outputs[0]].shape;
        std::vector<double> weights(static_cast<std::size_t>(element_count(to)), real_attribute(node, "beta"));
        affine.terms.push_back({value(node, 2), broadcast(from, to, std::move(weights))});
      }
      define(node.outputs[0], std::move(affine), node.name, node.op);
    } else {
      refuse_operator(node, "", recognised_.tables);
    }
  }

  // Multiplies two private matrices, or stacks of them. What remains is the factor and the addend of a Gemm, and the
  // shape of the result.
  void lower_contraction(const Node& node) {
    const bool is_gemm = node.op == "Gemm";
    const Contraction product = is_gemm ? gemm(node) : matrix_product(node);
    const Shape& shape = graph_.tensors[node.outputs[0]].shape;
    const double alpha = is_gemm ? real_attribute(node, "alpha") : 1;
    const bool added = node.inputs.size() > 2 && node.inputs[2] != kNoTensor;
    if (alpha == 1 && !added && has_shape(product, shape)) return define(node.outputs[0], product, node.name, node.op);
    const Shape stacked{product.stack, product.rows, product.columns};
    const ValueId made = step(node, product, stacked);
    Affine affine{{{made, layout::scaled(std::make_shared<const layout::Identity>(stacked, shape),
                                         layout::RepeatedReals(alpha))}}};
    if (added) {
      const double beta = real_attribute(node, "beta");
      const TensorId bias = node.inputs[2];
      if (graph_.is_constant(bias)) {
        affine.bias = broadcast_values(graph_.constant(bias), shape, beta);
      } else {
        std::vector<double> weights(static_cast<std::size_t>(element_count(shape)), beta);
        affine.terms.push_back({value(node, 2), broadcast(graph_.tensors[bias].shape, shape, std::move(weights))});
      }
    }
    define(node.outputs[0], std::move(affine), node.name, node.op);
  }

  // True if a shape is [stack, rows, columns], apart from extents of 1.
  static bool has_shape(const Contraction& product, const Shape& shape) {
    Shape wanted{product.stack, product.rows, product.columns}, given = shape;
    std::erase(wanted, 1);
    std::erase(given, 1);
    return wanted == given;
  }

  Contraction gemm(const Node& node) const {
    const Shape &a = graph_.tensors[node.inputs[0]].shape, &b = graph_.tensors[node.inputs[1]].shape;
    const bool flip_a = flag_attribute(node, "transA"), flip_b = flag_attribute(node, "transB");
    const auto steps = [](const Shape& shape, bool flipped) {
      return flipped ? Contraction::Steps{0, 1, shape[1]} : Contraction::Steps{0, shape[1], 1};
    };
    return {.left = value(node, 0),
            .right = value(node, 1),
            .rows = a[flip_a ? 1 : 0],
            .inner = a[flip_a ? 0 : 1],
            .columns = b[flip_b ? 0 : 1],
            .left_steps = steps(a, flip_a),
            .right_steps = steps(b, flip_b)};
  }

  Contraction matrix_product(const Node& node) {
    Shape a = graph_.tensors[node.inputs[0]].shape, b = graph_.tensors[node.inputs[1]].shape;
    if (a.size() == 1) a.insert(a.begin(), 1);
    if (b.size() == 1) b.push_back(1);
    const Shape a_stack(a.begin(), a.end() - 2), b_stack(b.begin(), b.end() - 2);
    const Shape stack = reference::broadcast_shape(a_stack, b_stack).value();
    Contraction product{.stack = element_count(stack),
                        .rows = a[a.size() - 2],
                        .inner = a.back(),
                        .columns = b.back(),
                        .left_steps = {a[a.size() - 2] * a.back(), a.back(), 1},
                        .right_steps = {b[b.size() - 2] * b.back(), b.back(), 1}};
    product.left = stacked(node, 0, a, a_stack, stack, product.left_steps);
    product.right = stacked(node, 1, b, b_stack, stack, product.right_steps);
    return product;
  }

  // Returns an operand of a product of stacks of matrices. One matrix is repeated by steps of 0. A stack of which some
  // dimensions are repeated is written out.
  ValueId stacked(const Node& node, std::size_t input, const Shape& shape, const Shape& own, const Shape& stack,
                  Contraction::Steps& steps) {
    const ValueId id = value(node, input);
    if (element_count(own) == element_count(stack)) return id;
    if (element_count(own) == 1) {
      steps.matrix = 0;
      return id;
    }
    Shape whole = stack;
    whole.insert(whole.end(), shape.end() - 2, shape.end());
    return step(node, Affine{{{id, broadcast(shape, whole, {})}}}, whole);
  }

  // Returns an operand of an element-wise product, broadcast to the result's shape.
  ValueId expanded(const Node& node, std::size_t input) {
    const ValueId id = value(node, input);
    const Shape& shape = graph_.tensors[node.outputs[0]].shape;
    if (network_.values[id].shape == shape) return id;
    return step(node, Affine{{{id, broadcast(network_.values[id].shape, shape, {})}}}, shape);
  }

  static layout::LinearOperatorPtr broadcast(const Shape& from, const Shape& to, std::vector<double> weights) {
    if (element_count(from) == element_count(to)) {  // nothing is repeated, so that nothing moves
      auto same = std::make_shared<const layout::Identity>(from, to);
      return weights.empty() ? same : layout::scaled(same, layout::RepeatedReals::of(weights));
    }
    std::vector<layout::Index> source(static_cast<std::size_t>(element_count(to)));
    reference::BroadcastIndex index(from, to);
    for (layout::Index& s : source) s = static_cast<layout::Index>(index.next());
    return std::make_shared<layout::Gather>(from, to, std::move(source), std::move(weights));
  }

  // Writes slope * x + (1 - slope) * relu(x), for a slope that differs between elements.
  void lower_prelu(const Node& node) {
    const ValueId input = value(node, 0);
    const Shape shape = network_.values[input].shape;
    const Node alone{"Relu", node.name, {node.inputs[0]}, {node.outputs[0]}, {}};
    const ScalarFunction relu(graph_, std::span(&alone, 1), node.inputs[0], node.outputs[0]);
    const ValueId positive = step(node, Function{input, relu}, shape);
    const Tensor& constant = graph_.constant(node.inputs[1]);
    std::vector<double> slope(static_cast<std::size_t>(element_count(shape))), rest;
    reference::BroadcastIndex index(constant.shape, shape);
    for (double& s : slope) {
      s = constant.data[index.next()];
      rest.push_back(1 - s);
    }
    define(node.outputs[0],
           Affine{{{input, broadcast(shape, shape, std::move(slope))},
                   {positive, broadcast(shape, shape, std::move(rest))}}},
           node.name, node.op);
  }

  void lower_power(const Node& node) {
    if (private_inputs(node) != std::vector<std::size_t>{0})
      refuse(node, "an encrypted exponent has no encrypted form; Pow takes a constant exponent");
    const std::vector<double>& exponents = graph_.constant(node.inputs[1]).data;
    const double exponent = exponents.empty() ? 0 : exponents[0];
    if (std::any_of(exponents.begin(), exponents.end(), [&](double e) { return e != exponent; }))
      refuse(node, "exponents that differ between elements are not supported; Pow takes one constant exponent");
    if (exponent != std::floor(exponent) || exponent < 1 || exponent > 64)
      refuse(node, fmt::format("the exponent {} is not supported here; whole exponents from 1 to 64 are", exponent));
    const ValueId base = value(node, 0);
    if (network_.values[base].shape != graph_.tensors[node.outputs[0]].shape)
      refuse(node, "a base that is broadcast against its exponent is not supported; Pow takes a scalar exponent");
    std::map<int, ValueId> powers{{1, base}};
    const ValueId result = power(node, static_cast<int>(exponent), powers);
    if (result != base) network_.values[result].tensor = node.outputs[0];
    values_[node.outputs[0]] = result;
  }

  ValueId power(const Node& node, int exponent, std::map<int, ValueId>& powers) {
    if (const auto found = powers.find(exponent); found != powers.end()) return found->second;
    const ValueId left = power(node, (exponent + 1) / 2, powers);
    const ValueId right = power(node, exponent / 2, powers);
    return powers[exponent] = step(node, Product{left, right}, network_.values[left].shape);
  }

  // Multiplies the factors pairwise, after moving them out one by one. The products are ceil(log2 of their number)
  // deep.
  void lower_product_of_axes(const Node& node) {
    const ValueId input = value(node, 0);
    const Shape &in = graph_.tensors[node.inputs[0]].shape, &out = graph_.tensors[node.outputs[0]].shape;
    Shape kept = in;  // with extent 1 where factors are multiplied
    const std::vector<std::int64_t> axes = integers_attribute(node, "axes");
    for (const std::int64_t axis : axes) kept[normal_axis(node, axis, in.size())] = 1;
    if (axes.empty() && !flag_attribute(node, "noop_with_empty_axes")) kept.assign(in.size(), 1);
    const std::int64_t results = element_count(out), count = element_count(in) / std::max<std::int64_t>(results, 1);
    if (count < 1 || count > kMostFactors)
      refuse(node,
             fmt::format("a product of {} encrypted factors is not supported; at most {} are", count, kMostFactors));
    std::vector<std::vector<layout::Index>> sources(static_cast<std::size_t>(count));  // by factor and result
    std::vector<std::size_t> found(static_cast<std::size_t>(results), 0);              // factors, by result
    reference::BroadcastIndex result_of(kept, in);
    for (auto& source : sources) source.resize(found.size());
    for (layout::Index at = 0; at < element_count(in); ++at) {
      const std::size_t result = result_of.next();
      sources[found[result]++][result] = at;
    }
    std::vector<ValueId> factors;
    for (std::vector<layout::Index>& source : sources)
      factors.push_back(
          step(node, Affine{{{input, std::make_shared<layout::Gather>(in, out, std::move(source))}}}, out));
    while (factors.size() > 1) {
      std::vector<ValueId> products;
      for (std::size_t i = 0; i + 1 < factors.size(); i += 2)
        products.push_back(step(node, Product{factors[i], factors[i + 1]}, out));
      if (factors.size() % 2 == 1) products.push_back(factors.back());
      factors = std::move(products);
    }
    network_.values[factors[0]].tensor = node.outputs[0];
    values_[node.outputs[0]] = factors[0];
  }

  // Lowers operators that are affine in every element of every private operand. The reference run gives the weights.
  void lower_arithmetic(const Node& node) {
    const std::vector<std::size_t> privates = private_inputs(node);
    if (node.op == "Div" && privates != std::vector<std::size_t>{0})
      refuse(node, "division by an encrypted value has no encrypted form; multiply by a constant instead");
    if (node.op == "Div" && graph_.tensors[node.outputs[0]].integral)
      refuse(node, "integer division rounds, which has no encrypted form; divide floating-point tensors");
    if (node.op == "BatchNormalization" &&
        (flag_attribute(node, "training_mode") || privates != std::vector<std::size_t>{0}))
      refuse(node, "training mode is not supported; export the model for inference with constant statistics");
    const Shape& shape = graph_.tensors[node.outputs[0]].shape;
    std::vector<Tensor> operands(node.inputs.size());
    for (const std::size_t i : privates) {
      const Shape& operand = graph_.tensors[node.inputs[i]].shape;
      operands[i] = {operand, std::vector<double>(static_cast<std::size_t>(element_count(operand)), 0.0), false};
    }
    Affine affine;
    const std::vector<double> at_zero = evaluate(node, operands).front().data;
    affine.bias = layout::RepeatedReals::of(at_zero);
    for (const std::size_t i : privates) {
      if (node.op == "Sum" || node.op == "Mean") {  // each operand counts alike, and there may be many
        const double weight = node.op == "Sum" ? 1 : 1 / static_cast<double>(node.inputs.size());
        affine.terms.push_back(
            {value(node, i), layout::scaled(broadcast(operands[i].shape, shape, {}), layout::RepeatedReals(weight))});
        continue;
      }
      std::fill(operands[i].data.begin(), operands[i].data.end(), 1.0);
      std::vector<double> weights = evaluate(node, operands).front().data;
      std::fill(operands[i].data.begin(), operands[i].data.end(), 0.0);
      for (std::size_t k = 0; k < weights.size(); ++k) weights[k] -= at_zero[k];
      affine.terms.push_back({value(node, i), broadcast(operands[i].shape, shape, std::move(weights))});
    }
    define(node.outputs[0], std::move(affine), node.name, node.op);
  }

  // Lowers operators that only move elements. The reference run on marked elements shows the source of each.
  void lower_movement(const Node& node) {
    const std::vector<std::size_t> privates = private_inputs(node);
    check_moved_constants(node);
    std::vector<Tensor> operands(node.inputs.size());
    for (const std::size_t i : privates) {
      const Shape& shape = graph_.tensors[node.inputs[i]].shape;
      Tensor& marked = operands[i];
      marked.shape = shape;
      marked.data.resize(static_cast<std::size_t>(element_count(shape)));
      for (std::size_t k = 0; k < marked.data.size(); ++k)
        marked.data[k] = kMark + static_cast<double>(i) * kOperandStride + static_cast<double>(k);
    }
    const std::vector<Tensor> results = evaluate(node, operands);
    for (std::size_t o = 0; o < node.outputs.size(); ++o) {
      if (node.outputs[o] == kNoTensor) continue;
      const std::vector<double>& moved = results.at(o).data;
      Affine affine;
      std::vector<double> constants(moved.size(), 0.0);
      std::map<std::size_t, std::vector<layout::Index>> sources;
      for (std::size_t k = 0; k < moved.size(); ++k) {
        if (moved[k] < kMark) {
          constants[k] = moved[k];
          continue;
        }
        const double mark = moved[k] - kMark;
        const auto operand = static_cast<std::size_t>(mark / kOperandStride);
        auto& source = sources.try_emplace(operand, moved.size(), layout::Gather::kNothing).first->second;
        source[k] = static_cast<layout::Index>(mark - static_cast<double>(operand) * kOperandStride);
      }
      for (auto& [operand, source] : sources)
        affine.terms.push_back(
            {value(node, operand), moved_by(operands[operand].shape, results[o].shape, std::move(source))});
      if (affine.terms.empty()) refuse(node, "its output holds no element of an encrypted input");
      affine.bias = layout::RepeatedReals::of(constants);
      define(node.outputs[o], std::move(affine), node.name, node.op);
    }
  }

  static layout::LinearOperatorPtr moved_by(const Shape& from, const Shape& to, std::vector<layout::Index> source) {
    bool stays = element_count(from) == element_count(to);
    for (std::size_t k = 0; stays && k < source.size(); ++k) stays = source[k] == static_cast<layout::Index>(k);
    if (stays) return std::make_shared<layout::Identity>(from, to);
    return std::make_shared<layout::Gather>(from, to, std::move(source));
  }

  // Checks Concat and Pad, the movements whose results hold elements of constants.
  void check_moved_constants(const Node& node) const {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const TensorId id = node.inputs[i];
      const bool placed = node.op == "Concat" || (node.op == "Pad" && i == 2);
      if (!placed || id == kNoTensor || !graph_.is_constant(id)) continue;
      for (const double x : graph_.constant(id).data)
        if (!(x < kMark))
          refuse(node, fmt::format("it places the constant {} beside encrypted values; at most 2^45 fits", x));
    }
  }

  // Runs one node on the given private operands. Constants come from the graph.
  std::vector<Tensor> evaluate(const Node& node, const std::vector<Tensor>& privates) const {
    std::vector<const Tensor*> operands;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const TensorId id = node.inputs[i];
      operands.push_back(id == kNoTensor ? nullptr : graph_.is_constant(id) ? &graph_.constant(id) : &privates[i]);
    }
    return reference::evaluate(graph_, node, operands);
  }

  const Recognised& recognised_;
  const Graph& graph_;
  Network network_;
  std::map<TensorId, ValueId> values_;
};

}  // namespace

Network linearise(const Recognised& recognised) { return Lineariser(recognised).run(); }

}  // namespace tacit::graph::passes
