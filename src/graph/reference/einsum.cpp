#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>

#include "graph/integers.h"
#include "graph/reference/operator_call.h"

namespace tacit::graph::reference {
namespace {

/// The letters of an axis, or kEllipsis plus its distance from the last axis that an ellipsis stands for. On a side of
/// a comma as it is written, kEllipsis stands for all of them.
using Label = int;
using Labels = std::vector<Label>;
constexpr Label kEllipsis = 256;

constexpr double kMostProducts = 0x1p32;  // half a minute of work

struct Equation {
  std::vector<Labels> inputs;
  std::optional<Labels> output;
};

Labels parse_term(const Call& call, std::string_view text) {
  Labels term;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      term.push_back(c);
    } else if (text.substr(i, 3) == "..." && std::ranges::count(term, kEllipsis) == 0) {
      term.push_back(kEllipsis);
      i += 2;
    } else {
      call.refuse(
          fmt::format("the term '{}' of its equation is none of letters with one '...' at most", text.substr(0, 64)));
    }
  }
  return term;
}

Equation parse(const Call& call) {
  std::string text = text_attribute(call.node, "equation");
  std::erase(text, ' ');
  Equation equation;
  std::string_view rest = text;
  if (const auto arrow = rest.find("->"); arrow != std::string_view::npos) {
    equation.output = parse_term(call, rest.substr(arrow + 2));
    rest = rest.substr(0, arrow);
  }
  for (;;) {
    const auto comma = rest.find(',');
    equation.inputs.push_back(parse_term(call, rest.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (equation.inputs.size() != call.inputs.size())
    call.refuse(fmt::format("its equation has {} operands, but the node {} inputs", equation.inputs.size(),
                            call.inputs.size()));
  return equation;
}

/// The labels of all axes, the ellipsis written out as `axes` of them.
Labels written_out(const Labels& term, std::size_t axes) {
  Labels labels;
  for (const Label label : term) {
    if (label != kEllipsis) labels.push_back(label);
    for (std::size_t i = axes; label == kEllipsis && i-- > 0;) labels.push_back(kEllipsis + static_cast<Label>(i));
  }
  return labels;
}

/// A tensor whose axes have names.
struct EinsumOperand {
  const Tensor* tensor;
  Labels labels;
};

using Extents = std::map<Label, std::int64_t>;

/// An axis of extent 1 stretches to what the label has elsewhere.
Extents extents_of(const Call& call, const std::vector<EinsumOperand>& operands) {
  Extents extents;
  for (const EinsumOperand& operand : operands) {
    for (std::size_t i = 0; i < operand.labels.size(); ++i) {
      const std::int64_t extent = operand.tensor->shape[i];
      const auto [found, added] = extents.emplace(operand.labels[i], extent);
      if (added || found->second == extent || extent == 1) continue;
      if (found->second != 1)
        call.refuse(fmt::format("an axis of its equation has extents {} and {}", found->second, extent));
      found->second = extent;
    }
  }
  return extents;
}

/// How far an operand's offset moves along each of `labels`. A label that stands twice moves along the diagonal.
std::vector<std::int64_t> steps_along(const EinsumOperand& operand, const Labels& labels, const Extents& extents) {
  std::map<Label, std::int64_t> of_label;
  const std::vector<std::int64_t> strides = strides_of(operand.tensor->shape);
  for (std::size_t i = 0; i < operand.labels.size(); ++i) {
    const bool stretched = operand.tensor->shape[i] == 1 && extents.at(operand.labels[i]) != 1;
    of_label[operand.labels[i]] += stretched ? 0 : strides[i];
  }
  std::vector<std::int64_t> steps;
  for (const Label label : labels) steps.push_back(of_label.contains(label) ? of_label[label] : 0);
  return steps;
}

/// Of labels in this order and their extents: the sum of products, `summed` at a time. Integers are their 64 bits.
template <typename Number>
std::vector<Number> sums_of_products(const std::vector<EinsumOperand>& operands, const Labels& labels,
                                     const Shape& extents, const Extents& of_labels, std::int64_t results,
                                     std::int64_t summed) {
  std::vector<std::vector<std::int64_t>> steps;
  for (const EinsumOperand& operand : operands) steps.push_back(steps_along(operand, labels, of_labels));
  std::vector<std::int64_t> offsets(operands.size(), 0), position(labels.size(), 0);
  std::vector<Number> sums(static_cast<std::size_t>(results), Number{0});
  for (std::int64_t i = 0; i < results * summed; ++i) {
    Number product = 1;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const double element = operands[k].tensor->data[static_cast<std::size_t>(offsets[k])];
      if constexpr (std::is_same_v<Number, double>)
        product *= element;
      else
        product *= bits_of(element);
    }
    sums[static_cast<std::size_t>(i / summed)] += product;
    for (std::size_t axis = labels.size(); axis-- > 0;) {
      const bool wraps = ++position[axis] == extents[axis];
      if (wraps) position[axis] = 0;
      for (std::size_t k = 0; k < operands.size(); ++k) offsets[k] += steps[k][axis] * (wraps ? 1 - extents[axis] : 1);
      if (!wraps) break;
    }
  }
  return sums;
}

/// The sum, over all labels that `kept` lacks, of the products of the operands' elements.
Tensor contract(const Call& call, const std::vector<EinsumOperand>& operands, const Labels& kept,
                const Extents& extents) {
  std::set<Label> present;
  for (const EinsumOperand& operand : operands) present.insert(operand.labels.begin(), operand.labels.end());
  for (const Label label : kept) present.erase(label);
  Labels labels = kept;  // the summed ones follow and run fastest
  labels.insert(labels.end(), present.begin(), present.end());
  Shape shape, all;
  double products = 1;
  for (const Label label : labels) {
    all.push_back(extents.at(label));
    products *= static_cast<double>(all.back());
    if (shape.size() < kept.size()) shape.push_back(all.back());
  }
  if (products > kMostProducts)
    call.refuse(fmt::format("its equation needs {:.0f} products, more than {:.0f}; split it into several nodes",
                            products, kMostProducts));
  const bool integral = std::all_of(operands.begin(), operands.end(),
                                    [](const EinsumOperand& operand) { return operand.tensor->integral; });
  Tensor result = call.zeros(shape, integral);
  if (products == 0) return result;
  const std::int64_t summed = static_cast<std::int64_t>(products) / result.size();
  if (!integral) {
    result.data = sums_of_products<double>(operands, labels, all, extents, result.size(), summed);
    return result;
  }
  const auto sums = sums_of_products<std::uint64_t>(operands, labels, all, extents, result.size(), summed);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    result.data[i] = wrapped(sums[i], call.integer_type(0));
    if (std::abs(result.data[i]) == kLostInteger) call.refuse("a sum of its integers is beyond 2^53");
  }
  return result;
}

/// Without a stated output: the ellipsis, then the letters that stand once, in alphabetical order.
Labels output_labels(const Call& call, const Equation& equation, const Extents& extents, std::size_t ellipsis) {
  if (equation.output) {
    const Labels labels = written_out(*equation.output, ellipsis);
    Labels sorted = labels;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
      call.refuse("an axis stands twice in the output of its equation");
    for (const Label label : labels) {
      if (!extents.contains(label)) call.refuse("an axis of the output of its equation stands in none of its operands");
    }
    return labels;
  }
  std::map<Label, int> times;
  for (const Labels& term : equation.inputs) {
    for (const Label label : term) ++times[label];
  }
  Labels labels{kEllipsis};
  for (const auto& [label, count] : times) {
    if (count == 1 && label != kEllipsis) labels.push_back(label);
  }
  return written_out(labels, ellipsis);
}

/// Operands are taken in one after another, and what no later one needs is summed at once: the work is that of a chain
/// of products of two, not of all axes at a time.
std::vector<Tensor> einsum(const Call& call) {
  const Equation equation = parse(call);
  std::vector<EinsumOperand> operands;
  std::size_t ellipsis = 0;
  for (std::size_t i = 0; i < equation.inputs.size(); ++i) {
    const Labels& term = equation.inputs[i];
    const Tensor& input = call.input(i);
    const bool open = std::ranges::count(term, kEllipsis) > 0;
    const std::size_t rank = input.shape.size(), letters = term.size() - (open ? 1 : 0);
    if (rank < letters || (!open && rank != letters))
      call.refuse(fmt::format("operand {} of its equation has {} letters, but the input has shape {}", i, letters,
                              to_text(input.shape)));
    ellipsis = std::max(ellipsis, rank - letters);
    operands.push_back({&input, written_out(term, rank - letters)});
  }
  const Extents extents = extents_of(call, operands);
  const Labels output = output_labels(call, equation, extents, ellipsis);
  Tensor result;
  EinsumOperand so_far = operands[0];
  for (std::size_t next = 1; next + 1 < operands.size(); ++next) {
    std::set<Label> needed(output.begin(), output.end());
    for (std::size_t later = next + 1; later < operands.size(); ++later)
      needed.insert(operands[later].labels.begin(), operands[later].labels.end());
    std::set<Label> kept;
    for (const EinsumOperand* operand : {&so_far, &operands[next]}) {
      for (const Label label : operand->labels) {
        if (needed.contains(label)) kept.insert(label);
      }
    }
    const Labels labels(kept.begin(), kept.end());
    Tensor product = contract(call, {so_far, operands[next]}, labels, extents);
    result = std::move(product);
    so_far = {&result, labels};
  }
  std::vector<EinsumOperand> last{so_far};
  if (operands.size() > 1) last.push_back(operands.back());
  return {contract(call, last, output, extents)};
}

constexpr AttributeDeclaration kEinsum[] = {{.name = "equation", .type = AttributeType::text, .required = true}};

constexpr Declaration kEinsumOperators[] = {
    {"Einsum", einsum, 12, "x*", Class::linear, kEinsum, kByRunning | kLayer,
     "one encrypted operand of at most 4096 elements; a matrix"},
};

}  // namespace

std::span<const Declaration> einsum_operators() { return kEinsumOperators; }

}  // namespace tacit::graph::reference
