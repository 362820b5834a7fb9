#include "graph/passes/value_domains.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <set>
#include <string>

#include "graph/attribute.h"
#include "graph/declaration.h"
#include "graph/integers.h"
#include "graph/passes/distance_forms.h"

namespace tacit::graph::passes {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Range kAll{-kInfinity, kInfinity}, kNotNegative{0, kInfinity}, kShare{0, 1}, kUnit{-1, 1};

Range times(const Range& a, const Range& b) {
  const auto [least, most] = std::minmax({product_of_ends(a.lowest, b.lowest), product_of_ends(a.lowest, b.highest),
                                          product_of_ends(a.highest, b.lowest), product_of_ends(a.highest, b.highest)});
  return {least, most};
}
Range plus(const Range& a, const Range& b) { return {a.lowest + b.lowest, a.highest + b.highest}; }
Range minus(const Range& a) { return {-a.highest, -a.lowest}; }
Range magnitude(const Range& a) {
  if (a.lowest >= 0) return a;
  if (a.highest <= 0) return minus(a);
  return {0, a.bound()};
}
Range square(const Range& a) { return times(magnitude(a), magnitude(a)); }
Range scaled(const Range& a, double factor) { return times(a, {factor, factor}); }
/// Returns the least interval with both.
Range joined(Range a, const Range& b) {
  a.include(b);
  return a;
}
/// Returns the range of 1 / x. It is known if x does not change its sign.
Range inverse(const Range& a) {
  const auto over = [](double x) { return x == 0 ? kInfinity : 1 / x; };
  if (a.lowest >= 0) return {a.highest == kInfinity ? 0 : over(a.highest), over(a.lowest)};
  if (a.highest <= 0) return minus(inverse(minus(a)));
  return kAll;
}
/// Returns the range of a rising function. A NaN end is not known.
template <class Function>
Range rising(const Range& a, Function f) {
  const double low = f(a.lowest), high = f(a.highest);
  return {std::isnan(low) ? -kInfinity : low, std::isnan(high) ? kInfinity : high};
}

class Domains {
 public:
  Domains(const Graph& graph, const std::map<TensorId, Range>& known)
      : graph_(graph), distances_(graph), all_(graph.tensors.size(), kAll) {
    for (TensorId id = 0; id < graph.tensors.size(); ++id) all_[id] = stated(id);
    for (const auto& [id, range] : known) narrow(id, range);
    for (const Node& node : graph.nodes) visit(node);
  }

  std::vector<Range> all() { return std::move(all_); }

 private:
  /// Returns the range by the type of a tensor, or by its numbers.
  Range stated(TensorId id) const {
    const TensorInfo& info = graph_.tensors[id];
    if (info.text) return kAll;
    if (info.constant < 0) {
      if (!info.integral) return kAll;
      const IntegerRange type = range_of(info.integers);
      return {type.lowest, type.highest};
    }
    Range range;
    for (const double x : graph_.constant(id).data)
      if (std::isfinite(x))
        range.include(x);
      else
        return kAll;
    return range.known() ? range : kAll;
  }

  Range of(const Node& node, std::size_t input) const {
    return input < node.inputs.size() && node.inputs[input] != kNoTensor ? all_[node.inputs[input]] : kAll;
  }

  std::int64_t elements(TensorId id) const { return element_count(graph_.tensors[id].shape); }

  void visit(const Node& node) {
    if (node.outputs.empty()) return;
    const TensorId made = node.outputs[0];
    if (made == kNoTensor || graph_.tensors[made].text) return;
    Range range = result(node);
    if (const std::optional<double> least = distances_.least(made)) range.lowest = std::max(range.lowest, *least);
    for (const TensorId id : node.outputs)
      if (id != kNoTensor && (id == made || node.op == "Split")) narrow(id, range);
  }

  /// Narrows a range. A type's range stays if the result is not known to be narrower.
  void narrow(TensorId id, const Range& range) {
    Range& to = all_[id];
    const Range both{std::max(to.lowest, range.lowest), std::min(to.highest, range.highest)};
    if (both.known()) to = both;
  }

  /// Joins the ranges of all operands.
  template <class Function>
  Range over_operands(const Node& node, Function join) const {
    Range range = of(node, 0);
    for (std::size_t i = 1; i < node.inputs.size(); ++i) range = join(range, of(node, i));
    return range;
  }

  /// Returns the range of sums of `count` elements of an interval.
  Range sum(const Range& range, std::int64_t count) const { return scaled(range, static_cast<double>(count)); }

  /// Returns the number of elements of the operand per element of the result.
  std::int64_t reduced(const Node& node) const {
    return elements(node.inputs[0]) / std::max<std::int64_t>(1, elements(node.outputs[0]));
  }

  Range result(const Node& node) const {
    using Of = Range (*)(const Domains&, const Node&);
    static const std::map<std::string, Of, std::less<>> kResults{
        {"Abs", [](const Domains& d, const Node& n) { return magnitude(d.of(n, 0)); }},
        {"Neg", [](const Domains& d, const Node& n) { return minus(d.of(n, 0)); }},
        {"Reciprocal", [](const Domains& d, const Node& n) { return inverse(d.of(n, 0)); }},
        {"Sqrt",
         [](const Domains& d, const Node& n) {
           return rising(d.of(n, 0), [](double x) { return std::sqrt(std::max(x, 0.0)); });
         }},
        {"Exp",
         [](const Domains& d, const Node& n) { return rising(d.of(n, 0), [](double x) { return std::exp(x); }); }},
        {"Log",
         [](const Domains& d, const Node& n) {
           return rising(d.of(n, 0), [](double x) { return x > 0 ? std::log(x) : -kInfinity; });
         }},
        {"Relu",
         [](const Domains& d, const Node& n) { return rising(d.of(n, 0), [](double x) { return std::max(x, 0.0); }); }},
        {"Tanh",
         [](const Domains& d, const Node& n) { return rising(d.of(n, 0), [](double x) { return std::tanh(x); }); }},
        {"Erf",
         [](const Domains& d, const Node& n) { return rising(d.of(n, 0), [](double x) { return std::erf(x); }); }},
        {"Atan",
         [](const Domains& d, const Node& n) { return rising(d.of(n, 0), [](double x) { return std::atan(x); }); }},
        {"Floor",
         [](const Domains& d, const Node& n) { return rising(d.of(n, 0), [](double x) { return std::floor(x); }); }},
        {"Ceil",
         [](const Domains& d, const Node& n) { return rising(d.of(n, 0), [](double x) { return std::ceil(x); }); }},
        {"Round", [](const Domains& d,
                     const Node& n) { return rising(d.of(n, 0), [](double x) { return std::nearbyint(x); }); }},
        {"Clip", clip},
        {"Sin", [](const Domains&, const Node&) { return kUnit; }},
        {"Cos", [](const Domains&, const Node&) { return kUnit; }},
        {"Softsign", [](const Domains&, const Node&) { return kUnit; }},
        {"Sign",
         [](const Domains& d, const Node& n) {
           return rising(d.of(n, 0), [](double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; });
         }},
        {"Asin",
         [](const Domains&, const Node&) {
           return Range{-std::numbers::pi / 2, std::numbers::pi / 2};
         }},
        {"Acos",
         [](const Domains&, const Node&) {
           return Range{0, std::numbers::pi};
         }},
        {"Acosh", [](const Domains&, const Node&) { return kNotNegative; }},
        {"Cosh",
         [](const Domains&, const Node&) {
           return Range{1, kInfinity};
         }},
        {"Softplus", [](const Domains&, const Node&) { return kNotNegative; }},
        {"Sigmoid", [](const Domains&, const Node&) { return kShare; }},
        {"HardSigmoid", [](const Domains&, const Node&) { return kShare; }},
        {"Softmax", [](const Domains&, const Node&) { return kShare; }},
        {"Hardmax", [](const Domains&, const Node&) { return kShare; }},
        {"LogSoftmax",
         [](const Domains&, const Node&) {
           return Range{-kInfinity, 0};
         }},
        {"LpNormalization", [](const Domains&, const Node&) { return kUnit; }},
        {"ai.onnx.ml.Normalizer", normalised},
        {"Equal", truth},
        {"Less", truth},
        {"Greater", truth},
        {"LessOrEqual", truth},
        {"GreaterOrEqual", truth},
        {"Not", truth},
        {"And", truth},
        {"Or", truth},
        {"Xor", truth},
        {"IsNaN", truth},
        {"IsInf", truth},
        {"ai.onnx.ml.Binarizer", truth},
        {"Cast",
         [](const Domains& d, const Node& n) {
           const Range from = d.of(n, 0);
           return d.is_integral(n) ? Range{std::floor(from.lowest), std::ceil(from.highest)} : from;
         }},
        {"Add", sum_of_operands},
        {"Sum", sum_of_operands},
        {"Mean",
         [](const Domains& d, const Node& n) {
           return scaled(sum_of_operands(d, n), 1.0 / static_cast<double>(std::max<std::size_t>(1, n.inputs.size())));
         }},
        {"Sub",
         [](const Domains& d, const Node& n) {
           return n.inputs[0] == n.inputs[1] ? Range{0, 0} : plus(d.of(n, 0), minus(d.of(n, 1)));
         }},
        {"Mul",
         [](const Domains& d, const Node& n) {
           return n.inputs[0] == n.inputs[1] ? square(d.of(n, 0)) : times(d.of(n, 0), d.of(n, 1));
         }},
        {"Div", [](const Domains& d, const Node& n) { return times(d.of(n, 0), inverse(d.of(n, 1))); }},
        {"Pow", power},
        {"Max",
         [](const Domains& d, const Node& n) {
           return d.over_operands(n, [](const Range& a, const Range& b) {
             return Range{std::max(a.lowest, b.lowest), std::max(a.highest, b.highest)};
           });
         }},
        {"Min",
         [](const Domains& d, const Node& n) {
           return d.over_operands(n, [](const Range& a, const Range& b) {
             return Range{std::min(a.lowest, b.lowest), std::min(a.highest, b.highest)};
           });
         }},
        {"Where", [](const Domains& d, const Node& n) { return joined(d.of(n, 1), d.of(n, 2)); }},
        {"ReduceSum", [](const Domains& d, const Node& n) { return d.sum(d.of(n, 0), d.reduced(n)); }},
        {"ReduceMean", same},
        {"ReduceMax", same},
        {"ReduceMin", same},
        {"GlobalAveragePool", same},
        {"GlobalMaxPool", same},
        {"MaxPool", same},
        {"AveragePool",
         [](const Domains& d, const Node& n) {
           return joined(d.of(n, 0), Range{0, 0});
         }},
        {"ReduceSumSquare", [](const Domains& d, const Node& n) { return d.sum(square(d.of(n, 0)), d.reduced(n)); }},
        {"ReduceL1", [](const Domains& d, const Node& n) { return d.sum(magnitude(d.of(n, 0)), d.reduced(n)); }},
        {"ReduceL2", [](const Domains&, const Node&) { return kNotNegative; }},
        {"LpPool", [](const Domains&, const Node&) { return kNotNegative; }},
        {"GlobalLpPool", [](const Domains&, const Node&) { return kNotNegative; }},
        {"MatMul", [](const Domains& d, const Node& n) { return d.contraction(n, d.inner(n, 0, false)); }},
        {"Gemm", gemm},
        {"Conv",
         [](const Domains& d, const Node& n) {
           const std::int64_t taps =
               d.elements(n.inputs[1]) / std::max<std::int64_t>(1, d.graph_.tensors[n.inputs[1]].shape[0]);
           const Range sum = d.sum(joined(times(d.of(n, 0), d.of(n, 1)), Range{0, 0}), taps);
           return n.inputs.size() > 2 && n.inputs[2] != kNoTensor ? plus(sum, d.of(n, 2)) : sum;
         }},
        {"Einsum", einsum},
        {"com.microsoft.CDist", [](const Domains&, const Node&) { return kNotNegative; }},
    };
    const auto found = kResults.find(node.op);
    if (found != kResults.end()) return found->second(*this, node);
    if (is(node.op, Class::movement)) return moved(node);
    return kAll;
  }

  static Range same(const Domains& d, const Node& n) { return d.of(n, 0); }
  static Range truth(const Domains&, const Node&) { return kShare; }
  bool is_integral(const Node& node) const { return graph_.tensors[node.outputs[0]].integral; }

  static Range clip(const Domains& d, const Node& n) {
    Range range = d.of(n, 0);
    const Range low = n.inputs.size() > 1 && n.inputs[1] != kNoTensor ? d.of(n, 1) : Range{-kInfinity, -kInfinity};
    const Range high = n.inputs.size() > 2 && n.inputs[2] != kNoTensor ? d.of(n, 2) : Range{kInfinity, kInfinity};
    range = {std::max(range.lowest, low.lowest), std::max(range.highest, low.highest)};
    return {std::min(range.lowest, high.lowest), std::min(range.highest, high.highest)};
  }

  static Range normalised(const Domains& d, const Node& n) {
    const Range from = d.of(n, 0);
    return {from.lowest >= 0                     ? 0.0
            : text_attribute(n, "norm") == "MAX" ? -kInfinity
                                                 : -1.0,
            text_attribute(n, "norm") == "MAX" && from.lowest < 0 ? kInfinity : 1.0};
  }

  static Range sum_of_operands(const Domains& d, const Node& n) {
    return d.over_operands(n, [](const Range& a, const Range& b) { return plus(a, b); });
  }

  /// Returns the range of a power with constant exponents.
  static Range power(const Domains& d, const Node& n) {
    if (!d.graph_.is_constant(n.inputs[1])) return d.of(n, 0).lowest >= 0 ? kNotNegative : kAll;
    const std::vector<double>& exponents = d.graph_.constant(n.inputs[1]).data;
    if (exponents.empty()) return kAll;
    const double e = exponents[0];
    if (std::ranges::any_of(exponents, [&](double other) { return other != e; })) return kAll;
    const bool whole = e == std::floor(e), even = whole && std::fmod(e, 2) == 0;
    const auto raise = [&](double x) { return x == 0 && e < 0 ? kInfinity : std::pow(x, e); };
    Range base = d.of(n, 0);
    if (even) base = magnitude(base);
    if (!whole) base.lowest = std::max(base.lowest, 0.0);
    if (base.highest < 0) return kAll;
    if (e == 0) return {1, 1};
    if (base.lowest >= 0) return e > 0 ? rising(base, raise) : Range{raise(base.highest), raise(base.lowest)};
    return e > 0 ? rising(base, raise) : kAll;
  }

  /// Returns the length of the sums of a product of matrices.
  std::int64_t inner(const Node& node, std::size_t operand, bool transposed) const {
    const Shape& shape = graph_.tensors[node.inputs[operand]].shape;
    if (shape.empty()) return 1;
    return transposed && shape.size() > 1 ? shape[shape.size() - 2] : shape.back();
  }
  Range contraction(const Node& node, std::int64_t length) const {
    return sum(times(of(node, 0), of(node, 1)), length);
  }

  static Range gemm(const Domains& d, const Node& n) {
    const Range sum = scaled(d.contraction(n, d.inner(n, 0, flag_attribute(n, "transA"))), real_attribute(n, "alpha"));
    if (n.inputs.size() < 3 || n.inputs[2] == kNoTensor) return sum;
    return plus(sum, scaled(d.of(n, 2), real_attribute(n, "beta")));
  }

  /// Returns the range of an Einsum. A product of a tensor with itself under the same letters is a sum of squares.
  /// Factors of known signs give a known sign.
  static Range einsum(const Domains& d, const Node& n) {
    const std::string equation = text_attribute(n, "equation");
    const std::size_t comma = equation.find(','), arrow = equation.find("->");
    if (n.inputs.size() == 2 && n.inputs[0] == n.inputs[1] && comma != std::string::npos &&
        arrow != std::string::npos) {
      const auto letters = [](std::string text) {
        std::erase(text, ' ');
        return text;
      };
      if (letters(equation.substr(0, comma)) == letters(equation.substr(comma + 1, arrow - comma - 1)))
        return kNotNegative;
    }
    for (std::size_t i = 0; i < n.inputs.size(); ++i)
      if (d.of(n, i).lowest < 0) return kAll;
    return kNotNegative;
  }

  /// Returns the range of a movement. Results hold elements of the operands, and zeros if an operator fills.
  Range moved(const Node& node) const {
    static const std::set<std::string, std::less<>> kFills{"Pad", "Trilu", "MaxUnpool", "ai.onnx.ml.FeatureVectorizer"};
    Range range = kFills.contains(node.op) ? Range{0, 0} : Range{};
    const bool integral = is_integral(node);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const TensorId id = node.inputs[i];
      if (id == kNoTensor || graph_.tensors[id].text || (graph_.tensors[id].integral && !integral)) continue;
      range.include(all_[id]);
    }
    return range.known() ? range : kAll;
  }

  const Graph& graph_;
  DistanceForms distances_;
  std::vector<Range> all_;
};

}  // namespace

std::vector<Range> value_domains(const Graph& graph, const std::map<TensorId, Range>& known) {
  return Domains(graph, known).all();
}

FunctionDomain domain_of(const Graph& graph, const Node& node, std::size_t input) {
  if (node.op == "Pow") {
    if (input != 0 || node.inputs.size() < 2 || !graph.is_constant(node.inputs[1])) return {kAll};
    FunctionDomain domain{kAll};
    for (const double e : graph.constant(node.inputs[1]).data) {
      if (e != std::floor(e)) domain.operand = kNotNegative;
      domain.off_zero = domain.off_zero || e < 0;
    }
    return domain;
  }
  if (node.op == "Div") return {kAll, input == 1};
  if (input != 0) return {kAll};
  if (node.op == "LpNormalization") return {kAll, true, integer_attribute(node, "axis")};
  if (node.op == "ai.onnx.ml.Normalizer") return {kAll, true, -1};
  if (node.op == "Sqrt") return {kNotNegative};
  if (node.op == "Log") return {kNotNegative, true};
  if (node.op == "Reciprocal") return {kAll, true};
  if (node.op == "Asin" || node.op == "Acos" || node.op == "Atanh") return {kUnit};
  if (node.op == "Acosh") return {{1, kInfinity}};
  return {kAll};
}

}  // namespace tacit::graph::passes
