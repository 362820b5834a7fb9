#include "layout/sharding/operator_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace tacit::layout {
namespace {

using Role = ShardingFactor::Role;

base::Infeasible no_rule(const std::string& op, const std::string& why) {
  return base::infeasible("sharding rule of {}: {}", op, why);
}

/// Factors as they are met.
using Factors = std::vector<ShardingFactor>;

int add(Factors& factors, std::string name, Index extent, Role role = Role::tied) {
  factors.push_back({std::move(name), extent, role});
  return static_cast<int>(factors.size()) - 1;
}

std::string place_name(std::size_t axis, std::size_t axes) {
  static const char* const kNames[] = {"d", "h", "w"};
  return kNames[axis + 3 - axes];
}

/// None where every output position reads the input position of its own number.
std::optional<Halo> halo_of(const WindowAxis& axis, Index in, Index out) {
  const Halo halo{axis.stride, axis.pad_begin, (axis.kernel - 1) * axis.dilation - axis.pad_begin};
  return in == out && halo == Halo{} ? std::nullopt : std::optional(halo);
}

/// Adds places that a window slides over, as dimensions of input and output. Returns the reason if there are none.
std::optional<base::Infeasible> add_places(Factors& factors, const std::string& op, const Shape& in, const Shape& out,
                                           const std::vector<WindowAxis>& axes, ShardingOperand& input,
                                           ShardingOperand& output) {
  if (axes.empty() || axes.size() > Window::kMaxAxes || in.size() != axes.size() + 2 || out.size() != in.size())
    return no_rule(op, "a window of 1 to 3 axes slides over [samples, channels, places]");
  if (in[0] != out[0]) return no_rule(op, "the numbers of samples differ");
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const int place = add(factors, place_name(a, axes.size()), std::min(in[a + 2], out[a + 2]));
    input.push_back({{place}, halo_of(axes[a], in[a + 2], out[a + 2])});
    output.push_back({{place}});
  }
  return std::nullopt;
}

/// The shape that others are broadcast to.
base::Feasible<Shape> broadcast(const std::string& op, const std::vector<Shape>& shapes) {
  Shape result;
  for (const Shape& shape : shapes) {
    if (shape.size() > result.size()) result.insert(result.begin(), shape.size() - result.size(), 1);
    for (std::size_t d = 0; d < shape.size(); ++d) {
      Index& extent = result[result.size() - shape.size() + d];
      if (extent != 1 && shape[d] != 1 && extent != shape[d])
        return no_rule(op, "shapes cannot be broadcast to each other");
      extent = std::max(extent, shape[d]);
    }
  }
  return result;
}

/// Dimensions of an operand that is broadcast to others with these factors: those of extent 1 stay whole.
ShardingOperand broadcast_dims(const Shape& shape, const Shape& full, const std::vector<int>& factors) {
  ShardingOperand dims;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::size_t at = full.size() - shape.size() + d;
    dims.push_back(shape[d] == full[at] ? ShardingDim{{factors[at]}} : ShardingDim{});
  }
  return dims;
}

std::string numbered(std::size_t dim) { return fmt::format("d{}", dim); }

}  // namespace

base::Feasible<ShardingRule> convolution_rule(const Shape& in, const Shape& weight, const Shape& out,
                                              const std::vector<WindowAxis>& axes, Index groups, bool bias) {
  const std::string op = "Conv";
  if (weight.size() != in.size() || in.size() <= 2) return no_rule(op, "input and weight differ in rank");
  if (groups < 1 || weight[0] % groups != 0 || in[1] != weight[1] * groups || out.size() != in.size() ||
      out[1] != weight[0])
    return no_rule(op, "groups and channels do not fit each other");
  Factors factors;
  const int n = add(factors, "n", in[0]);
  ShardingOperand input{{{n}}}, kernel, output{{{n}}}, offset;
  // With one group, g is left out, and channels can be split; otherwise they lie inside g where there are several.
  std::vector<int> group;
  if (groups > 1) group.push_back(add(factors, "g", groups));
  std::vector<int> made = group, read = group, inner;
  if (groups == 1 || weight[0] > groups) made.push_back(add(factors, "f", weight[0] / groups));
  if (groups == 1 || weight[1] > 1) {
    inner.push_back(add(factors, "c", weight[1], Role::reduced));
    read.push_back(inner.back());
  }
  input.push_back({read});
  output.push_back({made});
  kernel = {{made}, {inner}};
  offset = {{made}};
  if (auto why = add_places(factors, op, in, out, axes, input, output)) return *std::move(why);
  kernel.resize(weight.size());
  std::vector<ShardingOperand> inputs{std::move(input), std::move(kernel)};
  if (bias) inputs.push_back(std::move(offset));
  return ShardingRule(op, std::move(factors), std::move(inputs), {std::move(output)});
}

base::Feasible<ShardingRule> pool_rule(const std::string& op, const Shape& in, const Shape& out,
                                       const std::vector<WindowAxis>& axes) {
  if (in.size() <= 2 || out.size() != in.size() || in[1] != out[1]) return no_rule(op, "the channels differ");
  Factors factors;
  const int n = add(factors, "n", in[0]), c = add(factors, "c", in[1]);
  ShardingOperand input{{{n}}, {{c}}}, output = input;
  if (auto why = add_places(factors, op, in, out, axes, input, output)) return *std::move(why);
  return ShardingRule(op, std::move(factors), {std::move(input)}, {std::move(output)});
}

base::Feasible<ShardingRule> reduction_rule(const std::string& op, const Shape& in, const Shape& out,
                                            const std::vector<Index>& axes) {
  for (const Index axis : axes)
    if (axis < 0 || axis >= static_cast<Index>(in.size())) return no_rule(op, "an axis lies outside the input");
  Factors factors;
  ShardingOperand input, output;
  for (std::size_t d = 0; d < in.size(); ++d) {
    const bool reduced = std::ranges::find(axes, static_cast<Index>(d)) != axes.end();
    input.push_back({{add(factors, numbered(d), in[d], reduced ? Role::reduced : Role::tied)}});
    if (!reduced)
      output.push_back(input.back());
    else if (out.size() == in.size())
      output.emplace_back();
  }
  if (output.size() != out.size()) return no_rule(op, "the output has another rank");
  return ShardingRule(op, std::move(factors), {std::move(input)}, {std::move(output)});
}

base::Feasible<ShardingRule> matmul_rule(const Shape& left, const Shape& right) {
  const std::string op = "MatMul";
  if (left.size() <= 1 || right.size() <= 1 || left.back() != right[right.size() - 2])
    return no_rule(op, "the matrices do not chain");
  const Shape left_batch(left.begin(), left.end() - 2), right_batch(right.begin(), right.end() - 2);
  const base::Feasible<Shape> common = broadcast(op, {left_batch, right_batch});
  if (!common) return common.problem();
  const Shape& batch = *common;
  Factors factors;
  std::vector<int> samples;
  for (std::size_t d = 0; d < batch.size(); ++d) samples.push_back(add(factors, numbered(d), batch[d]));
  const int m = add(factors, "m", left[left.size() - 2]), k = add(factors, "k", left.back(), Role::reduced),
            n = add(factors, "n", right.back());
  const auto with = [](ShardingOperand dims, int a, int b) {
    dims.push_back({{a}});
    dims.push_back({{b}});
    return dims;
  };
  return ShardingRule(
      op, std::move(factors),
      {with(broadcast_dims(left_batch, batch, samples), m, k), with(broadcast_dims(right_batch, batch, samples), k, n)},
      {with(broadcast_dims(batch, batch, samples), m, n)});
}

base::Feasible<ShardingRule> gemm_rule(const Shape& left, const Shape& right, bool left_transposed,
                                       bool right_transposed, const Shape& bias) {
  const std::string op = "Gemm";
  if (left.size() != 2 || right.size() != 2) return no_rule(op, "an operand is no matrix");
  const Index rows = left[left_transposed ? 1 : 0], inner = left[left_transposed ? 0 : 1];
  if (right[right_transposed ? 1 : 0] != inner) return no_rule(op, "the matrices do not chain");
  Factors factors;
  const int m = add(factors, "m", rows), k = add(factors, "k", inner, Role::reduced),
            n = add(factors, "n", right[right_transposed ? 0 : 1]);
  const auto matrix = [](int a, int b, bool transposed) {
    return transposed ? ShardingOperand{{{b}}, {{a}}} : ShardingOperand{{{a}}, {{b}}};
  };
  std::vector<ShardingOperand> inputs{matrix(m, k, left_transposed), matrix(k, n, right_transposed)};
  const Shape full{rows, right[right_transposed ? 0 : 1]};
  if (!bias.empty()) {
    const base::Feasible<Shape> together = broadcast(op, {full, bias});
    if (!together) return together.problem();
    if (*together != full) return no_rule(op, "the bias cannot be broadcast to the result");
    inputs.push_back(broadcast_dims(bias, full, {m, n}));
  }
  return ShardingRule(op, std::move(factors), std::move(inputs), {matrix(m, n, false)});
}

base::Feasible<ShardingRule> elementwise_rule(const std::string& op, const std::vector<Shape>& inputs) {
  if (inputs.empty()) return no_rule(op, "it has no inputs");
  const base::Feasible<Shape> together = broadcast(op, inputs);
  if (!together) return together.problem();
  const Shape& full = *together;
  Factors factors;
  std::vector<int> dims;
  for (std::size_t d = 0; d < full.size(); ++d) dims.push_back(add(factors, numbered(d), full[d]));
  std::vector<ShardingOperand> operands;
  for (const Shape& shape : inputs) operands.push_back(broadcast_dims(shape, full, dims));
  return ShardingRule(op, std::move(factors), std::move(operands), {broadcast_dims(full, full, dims)});
}

base::Feasible<ShardingRule> concat_rule(const std::vector<Shape>& inputs, Index axis) {
  const std::string op = "Concat";
  if (inputs.empty() || axis < 0 || axis >= static_cast<Index>(inputs[0].size()))
    return no_rule(op, "it joins no dimension");
  Factors factors;
  ShardingOperand dims;
  for (std::size_t d = 0; d < inputs[0].size(); ++d) {
    for (const Shape& shape : inputs)
      if (shape.size() != inputs[0].size() || (static_cast<Index>(d) != axis && shape[d] != inputs[0][d]))
        return no_rule(op, "pieces differ beside the dimension that is joined");
    dims.push_back(static_cast<Index>(d) == axis ? ShardingDim{}
                                                 : ShardingDim{{add(factors, numbered(d), inputs[0][d])}});
  }
  return ShardingRule(op, std::move(factors), std::vector<ShardingOperand>(inputs.size(), dims), {dims});
}

base::Feasible<ShardingRule> transpose_rule(const Shape& in, const std::vector<Index>& permutation) {
  const std::string op = "Transpose";
  std::vector<Index> sorted = permutation;
  std::ranges::sort(sorted);
  for (std::size_t d = 0; d < sorted.size(); ++d)
    if (sorted[d] != static_cast<Index>(d))
      return no_rule(op, "the permutation names a dimension twice, or not at all");
  if (sorted.size() != in.size()) return no_rule(op, "the permutation has another rank");
  Factors factors;
  ShardingOperand input, output;
  for (std::size_t d = 0; d < in.size(); ++d) input.push_back({{add(factors, numbered(d), in[d])}});
  for (const Index from : permutation) output.push_back(input[static_cast<std::size_t>(from)]);
  return ShardingRule(op, std::move(factors), {std::move(input)}, {std::move(output)});
}

base::Feasible<ShardingRule> reshape_rule(const Shape& in, const Shape& out) {
  const std::string op = "Reshape";
  if (element_count(in) != element_count(out) || element_count(in) <= 0)
    return no_rule(op, "the shapes have different numbers of elements");
  Factors factors;
  ShardingOperand input(in.size()), output(out.size());
  Index left = 1, right = 1;  // of the dimensions at i and j, what is not taken apart yet
  std::size_t i = 0, j = 0;
  while (true) {
    while (left == 1 && i < in.size()) left = in[i++];
    while (right == 1 && j < out.size()) right = out[j++];
    const Index common = std::gcd(left, right);
    if (common == 1) break;  // the end, or dimensions that no block of one matches a block of the other in
    const std::size_t inside = input[i - 1].factors.size();  // d1, and what lies inside it: d1.1, d1.2, …
    const int factor = add(factors, inside == 0 ? numbered(i - 1) : fmt::format("d{}.{}", i - 1, inside), common);
    input[i - 1].factors.push_back(factor);
    output[j - 1].factors.push_back(factor);
    left /= common;
    right /= common;
  }
  // What is left of a dimension lies inside its factors, and a split must divide these.
  const int rest = left > 1 ? add(factors, "rest", left) : 0;
  if (left > 1 && !input[i - 1].factors.empty()) input[i - 1].factors.push_back(rest);
  if (right > 1 && !output[j - 1].factors.empty()) output[j - 1].factors.push_back(rest);
  return ShardingRule(op, std::move(factors), {std::move(input)}, {std::move(output)});
}

}  // namespace tacit::layout
