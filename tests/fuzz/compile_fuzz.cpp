#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "base/error.h"
#include "graph/attribute.h"
#include "graph/compile.h"
#include "graph/onnx/import.h"
#include "graph/reference/run.h"
#include "graph/serialize.h"
#include "onnx_models.h"
#include "program/slots/clear_program.h"
#include "program/slots/serialize.h"

namespace tacit::fuzz {

using graph::Tensor;

namespace {

constexpr std::int64_t kFewElements = 1 << 12;
constexpr std::size_t kFewNodes = 24;

/// A set that carries every seed, on a ring that is compiled for quickly.
params::CkksLiteral small_literal() {
  std::vector<int> q(13, 40);
  q[0] = 50;
  return {.name = "small", .log_n = 8, .q_bits = q, .p_bits = {50, 50}, .log_scale = 40, .insecure = true};
}

/// A sample of every input: numbers that no network has ties at.
std::vector<Tensor> sample_of(const graph::Graph& graph, Random& random) {
  std::vector<Tensor> inputs;
  for (const auto id : graph.inputs) {
    const graph::TensorInfo& info = graph.tensors[id];
    Tensor tensor{info.shape, {}, info.integral};
    if (info.text) tensor.texts.emplace_back();
    for (std::int64_t left = graph::element_count(info.shape); left > 0; --left)
      tensor.data.push_back(info.text       ? 0
                            : info.integral ? static_cast<double>(random.below(4))
                                            : static_cast<double>(random.below(1 << 20)) * 0x1p-19 - 1.0000123);
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

/// ONNX gives no meaning to an operator on integers and reals together, nor to most functions of integers. The importer
/// does not refuse all of them yet, and which of the two their results are is open.
bool is_ill_typed(const graph::Graph& graph) {
  static const std::set<std::string_view> kOneType{"Add", "Sub", "Mul", "Div",  "MatMul",        "Gemm", "Concat",
                                                   "Sum", "Max", "Min", "Conv", "ConvTranspose", "Where"};
  static const std::set<std::string_view> kTakeIntegers{
      "Abs",      "Add",     "Cast", "Concat", "Expand",    "Flatten",  "Gather",    "Gemm",
      "Identity", "MatMul",  "Mul",  "Neg",    "Pad",       "Reshape",  "ReduceSum", "Slice",
      "Split",    "Squeeze", "Sub",  "Tile",   "Transpose", "Unsqueeze"};
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const graph::Node& node) {
    std::set<bool> kinds;
    bool private_integers = false;
    for (const graph::TensorId id : node.inputs) {
      if (id == graph::kNoTensor) continue;
      kinds.insert(graph.tensors[id].integral);
      private_integers = private_integers || (graph.tensors[id].integral && !graph.is_constant(id));
    }
    return (kinds.size() > 1 && kOneType.contains(node.op)) || (private_integers && !kTakeIntegers.contains(node.op));
  });
}

double largest(std::span<const Tensor> tensors) {
  double most = 0;
  for (const Tensor& tensor : tensors)
    for (const double value : tensor.data) most = std::max(most, std::isnan(value) ? HUGE_VAL : std::abs(value));
  return most;
}

/// How far a network's own rounding moves its values: the reference run rounds where the network does, and the program
/// does not.
double rounding_of(const graph::Graph& graph) {
  double most = 1e-4;
  for (const graph::TensorInfo& info : graph.tensors) {
    if (info.rounding == graph::FloatFormat::float16) most = std::max(most, 0x1p-7);
    if (info.rounding == graph::FloatFormat::bfloat16) most = std::max(most, 0x1p-4);
  }
  return most;
}

/// How far an element is from a jump of its operator; infinite for operators without jumps.
double distance_to_jump(std::string_view op, double x) {
  if (op == "Sign") return std::abs(x);
  if (op == "Floor" || op == "Ceil") return std::abs(x - std::round(x));
  if (op == "Round") return std::abs(x - std::floor(x) - 0.5);
  return HUGE_VAL;
}

/// Whether an operand of an operator with jumps is as near to a jump as `error`. The error of a polynomial before it
/// then decides on which side it falls, and the reference does not say what a program gives: a Relu that is 0 may be
/// -0.01 in a program, and its Sign -1.
bool meets_a_jump(const graph::Graph& graph, const std::map<graph::TensorId, Tensor>& made, double error) {
  static const std::set<std::string_view> kCompares{"Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Equal"};
  const auto operand = [&](const graph::Node& node, std::size_t i) -> const Tensor& {
    return graph.is_constant(node.inputs[i]) ? graph.constant(node.inputs[i]) : made.at(node.inputs[i]);
  };
  const auto near = [&](const graph::Node& node) {
    if (kCompares.contains(node.op)) {
      const std::vector<double>&a = operand(node, 0).data, &b = operand(node, 1).data;
      for (std::size_t i = 0; i < std::max(a.size(), b.size()) && !a.empty() && !b.empty(); ++i)
        if (std::abs(a[i % a.size()] - b[i % b.size()]) <= error) return true;
      return false;
    }
    return std::isfinite(distance_to_jump(node.op, 0)) &&
           std::ranges::any_of(operand(node, 0).data, [&](double x) { return distance_to_jump(node.op, x) <= error; });
  };
  return std::ranges::any_of(graph.nodes, near);
}

/// With every operator on ciphertexts, or else with the client's help.
graph::CompiledModel compiled(const graph::Graph& graph, graph::CompileOptions options) {
  options.client_before = options.client_after = false;
  try {
    return graph::compile(graph, options);
  } catch (const base::InputError&) {
    options.client_before = options.client_after = true;
    return graph::compile(graph, options);
  }
}

std::vector<Tensor> compiled_answer(const graph::CompiledModel& model, const std::vector<Tensor>& inputs) {
  std::vector<std::vector<double>> tensors;
  for (Tensor& tensor : run_before(model.parts, inputs)) tensors.push_back(std::move(tensor.data));
  const auto results = slots::ClearProgram(model.program).run(tensors);
  return run_after(model.parts, from_units(model.client, results),
                   kept_tensors(model.parts, std::span<const Tensor>(inputs)));
}

}  // namespace

std::string_view target_name() { return "compile"; }

std::vector<Bytes> seeds() { return small_onnx_models(); }

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) { return mutate_onnx(from, other, random); }

/// A model that compiles gives, in the clear reading of its program, what the reference run gives; every other one is
/// refused.
void check(std::span<const std::uint8_t> bytes) {
  const graph::Graph graph = graph::onnx::import_bytes(text_of(bytes), "fuzz");
  std::int64_t elements = 0;
  for (const auto& tensor : graph.tensors) elements += graph::element_count(tensor.shape);
  if (elements > kFewElements || graph.nodes.size() > kFewNodes || is_ill_typed(graph)) return;
  Random random(bytes.size());
  graph::CompileOptions options;
  options.parameters = small_literal();
  for (int i = 0; i < 3; ++i) options.calibration.push_back(sample_of(graph, random));
  const std::vector<Tensor>& inputs = options.calibration[1];

  double within = largest(inputs);
  std::map<graph::TensorId, Tensor> made;
  for (std::size_t i = 0; i < inputs.size(); ++i) made[graph.inputs[i]] = inputs[i];
  const std::vector<Tensor> expected =
      graph::reference::run(graph, inputs, [&](const graph::Node& node, std::span<const Tensor> results) {
        within = std::max(within, largest(results));
        for (std::size_t i = 0; i < results.size(); ++i) made[node.outputs[i]] = results[i];
      });
  const graph::CompiledModel model = compiled(graph, options);
  require(slots::to_bytes(slots::program_from_bytes(slots::to_bytes(model.program))) == slots::to_bytes(model.program),
          "a compiled program survives its file");
  const Bytes parts = graph::to_bytes(model.parts);
  require(graph::to_bytes(graph::client_parts_from_bytes(parts)) == parts, "the client's part survives its file");

  const std::vector<Tensor> answer = compiled_answer(model, inputs);
  require(answer.size() == expected.size(), "there are as many answers as outputs");
  const bool exact = model.approximations.empty();
  const double tolerance = exact ? 1e-3 * largest(expected) + rounding_of(graph) * within : 0.2 * within;
  // The error of a polynomial grows with what follows it.
  if (!std::isfinite(within) || (!exact && std::max(within, largest(graph.constants)) > 16)) return;
  if (!exact && meets_a_jump(graph, made, tolerance)) return;
  for (std::size_t i = 0; i < answer.size(); ++i) {
    require(answer[i].shape == expected[i].shape, "an answer has the shape of its output");
    if (answer[i].integral && !exact) continue;
    for (std::size_t j = 0; j < answer[i].data.size(); ++j) {
      if (std::abs(answer[i].data[j] - expected[i].data[j]) <= tolerance) continue;
      std::fprintf(stderr, "output %zu, element %zu: %.9g where the reference has %.9g\n", i, j, answer[i].data[j],
                   expected[i].data[j]);
      require(false, "a compiled model gives the reference's answer");
    }
  }
}

}  // namespace tacit::fuzz
