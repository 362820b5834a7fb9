#include "graph/reference/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/error.h"
#include "graph/reference/integer_checks.h"
#include "graph/reference/operator_call.h"
#include "graph/reference/rounding.h"
#include "graph/reference/texts.h"

namespace tacit::graph::reference {
namespace {

/// Positions of texts are no numbers: only what moves or compares elements may read them.
void check_texts(const Node& node, const Operator& op, std::span<const Tensor* const> inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] != nullptr && !inputs[i]->texts.empty() && !op.input(i)->texts)
      refuse(node, fmt::format("its input {} holds texts, where numbers are needed", i));
  }
}

/// For every tensor the last node that reads it: what is not read again is freed, so that a deep network needs the
/// memory of its widest layers only.
std::vector<std::size_t> last_readers(const Graph& graph) {
  std::vector<std::size_t> last(graph.tensors.size(), 0);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const TensorId id : graph.nodes[i].inputs) {
      if (id != kNoTensor) last.at(id) = i;
    }
  }
  for (const TensorId id : graph.outputs) last.at(id) = graph.nodes.size();
  return last;
}

/// What a result may have, by the shapes that the graph states: a file may state small ones and ask for large ones. A
/// result of other size than stated is refused; on the way to it an operator may need somewhat more.
std::int64_t most_elements(const Graph& graph, const Node& node) {
  constexpr std::int64_t kAlways = std::int64_t{1} << 22, kOnTheWay = 4;
  std::int64_t most = kAlways;
  for (const std::vector<TensorId>* ids : {&node.inputs, &node.outputs})
    for (const TensorId id : *ids)
      if (id != kNoTensor) most = std::max(most, kOnTheWay * element_count(graph.tensors.at(id).shape));
  return std::min(most, kMostElements);
}

void check_input(const TensorInfo& expected, const Tensor& given) {
  if (given.shape != expected.shape)
    base::refuse("input '{}' has shape {}; the model takes {}", expected.name, to_text(given.shape),
                 to_text(expected.shape));
  if (element_count(given.shape) != given.size())
    base::refuse("input '{}' of shape {} holds {} elements", expected.name, to_text(given.shape), given.size());
  check_integer_input(expected, given);
}

}  // namespace

std::vector<Tensor> evaluate(const Graph& graph, const Node& node, std::span<const Tensor* const> inputs,
                             std::int64_t most_elements) {
  const Operator* op = find_operator(node.op);
  if (op == nullptr) refuse(node, "this operator is not supported");
  std::vector<bool> given;
  for (const Tensor* input : inputs) given.push_back(input != nullptr);
  check_declared(node, *op, given);
  check_texts(node, *op, inputs);
  refuse_lost_integers(node, inputs);
  std::vector<const Tensor*> operands(inputs.begin(), inputs.end());
  const Call call{node, operands, graph, most_elements};
  const std::vector<Tensor> texts = in_one_dictionary(call, *op, operands);
  std::vector<Tensor> outputs = op->run(call);
  if (std::ranges::any_of(op->inputs, &Operand::texts)) {
    for (Tensor& output : outputs) drop_unread_texts(call, output);
  }
  return outputs;
}

void as_stated(const Node& node, const TensorInfo& info, Tensor& result) {
  round_to(info.rounding, result);
  check_integers(node, result, info.integers);
}

std::vector<Tensor> run(const Graph& graph, std::span<const Tensor> inputs, const NodeObserver& observer) {
  if (inputs.size() != graph.inputs.size())
    base::refuse("the model takes {} inputs, not {}", graph.inputs.size(), inputs.size());
  const std::vector<std::size_t> last = last_readers(graph);
  std::vector<Tensor> made(graph.tensors.size());
  std::vector<const Tensor*> values(graph.tensors.size(), nullptr);
  for (std::size_t id = 0; id < graph.tensors.size(); ++id) {
    if (graph.is_constant(static_cast<TensorId>(id))) values[id] = &graph.constant(static_cast<TensorId>(id));
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    check_input(graph.tensors.at(graph.inputs[i]), inputs[i]);
    values.at(graph.inputs[i]) = &inputs[i];
  }
  std::vector<const Tensor*> arguments;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    arguments.clear();
    for (const TensorId id : node.inputs) arguments.push_back(id == kNoTensor ? nullptr : values.at(id));
    std::vector<Tensor> outputs = evaluate(graph, node, arguments, most_elements(graph, node));
    for (std::size_t k = 0; k < node.outputs.size() && k < outputs.size(); ++k) {
      if (node.outputs[k] != kNoTensor) as_stated(node, graph.tensors.at(node.outputs[k]), outputs[k]);
    }
    if (observer) observer(node, outputs);
    for (std::size_t k = 0; k < node.outputs.size() && k < outputs.size(); ++k) {
      const TensorId id = node.outputs[k];
      if (id == kNoTensor) continue;
      if (outputs[k].shape != graph.tensors.at(id).shape)
        throw base::InternalError(fmt::format("node '{}' ({}) made a tensor of shape {}, not {}", node.name, node.op,
                                              to_text(outputs[k].shape), to_text(graph.tensors[id].shape)));
      made[id] = std::move(outputs[k]);
      values[id] = &made[id];
    }
    for (const TensorId id : node.inputs) {
      if (id != kNoTensor && last[id] == i) made[id] = Tensor{};
    }
  }
  std::vector<Tensor> results;
  for (const TensorId id : graph.outputs) {
    if (values.at(id) == nullptr)
      throw base::InternalError(fmt::format("nothing computes output '{}'", graph.tensors[id].name));
    results.push_back(*values[id]);
  }
  return results;
}

}  // namespace tacit::graph::reference
