#include "graph/slots/hiding_mask.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "graph/attribute.h"
#include "graph/declaration.h"
#include "graph/passes/write_out_softmax.h"
#include "graph/reference/run.h"

namespace tacit::graph::passes {
namespace {

/// The nodes from an input to a tensor that follows from it alone, element by element.
struct Chain {
  std::size_t input = 0;
  std::vector<std::size_t> nodes;  // positions, in order
};

bool keeps_elements_apart(const Node& node) {
  static constexpr const char* kArithmetic[] = {"Add", "Sub", "Mul", "Div", "Neg"};
  const Operator* const op = find_operator(node.op);
  return std::ranges::find(kArithmetic, node.op) != std::end(kArithmetic) ||
         (op != nullptr && (op->is == Class::movement || op->is == Class::cast));
}

std::optional<Chain> chain_to(const Graph& graph, const Links& links, TensorId tensor) {
  Chain chain;
  while (links.makers[tensor]) {
    const std::size_t position = *links.makers[tensor];
    const Node& node = graph.nodes[position];
    if (!keeps_elements_apart(node) || node.outputs.size() != 1) return std::nullopt;
    TensorId from = kNoTensor;
    for (const TensorId id : node.inputs) {
      if (id == kNoTensor || graph.is_constant(id)) continue;
      if (from != kNoTensor) return std::nullopt;
      from = id;
    }
    if (from == kNoTensor) return std::nullopt;
    chain.nodes.insert(chain.nodes.begin(), position);
    tensor = from;
  }
  const auto found = std::ranges::find(graph.inputs, tensor);
  if (found == graph.inputs.end()) return std::nullopt;
  chain.input = static_cast<std::size_t>(found - graph.inputs.begin());
  return chain;
}

/// The mask where every element of the input is `number`.
Tensor mask_of(const Graph& graph, const Chain& chain, double number) {
  const TensorInfo& info = graph.tensors[graph.inputs[chain.input]];
  Tensor at{info.shape, std::vector<double>(static_cast<std::size_t>(element_count(info.shape)), number),
            info.integral};
  for (const std::size_t position : chain.nodes) {
    const Node& node = graph.nodes[position];
    std::vector<const Tensor*> operands;
    for (const TensorId id : node.inputs)
      operands.push_back(id == kNoTensor ? nullptr : graph.is_constant(id) ? &graph.constant(id) : &at);
    at = std::move(reference::evaluate(graph, node, operands).at(0));
  }
  return at;
}

}  // namespace

bool follows_from_one_input(const Graph& graph, const Links& links, TensorId tensor) {
  return chain_to(graph, links, tensor).has_value();
}

std::optional<HidingMask> hiding_mask(const Graph& graph, const Links& links, TensorId mask,
                                      const std::vector<std::vector<Tensor>>& samples) {
  const std::optional<Chain> chain = chain_to(graph, links, mask);
  if (!chain) return std::nullopt;
  std::set<double> numbers;
  for (const std::vector<Tensor>& sample : samples) {
    const Tensor& input = sample.at(chain->input);
    if (!input.texts.empty()) return std::nullopt;
    for (const double x : input.data) {
      if (!std::isfinite(x)) return std::nullopt;
      numbers.insert(x);
      if (numbers.size() > kMostMaskNumbers) return std::nullopt;
    }
  }
  HidingMask result{chain->input, {numbers.begin(), numbers.end()}, 0};
  for (const double number : numbers) {
    const std::vector<double> made = mask_of(graph, *chain, number).data;
    if (std::ranges::all_of(made, [](double x) { return x == 0; })) result.shows.push_back(number);
    for (const double x : made) {
      if (x == 0) continue;
      if (!std::isfinite(x) || x > kHides || (result.hides != 0 && x != result.hides)) return std::nullopt;
      result.hides = x;
    }
  }
  return result.hides != 0 ? std::optional(result) : std::nullopt;
}

}  // namespace tacit::graph::passes
