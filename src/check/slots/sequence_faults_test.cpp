#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "check/slots/faults_for_test.h"
#include "check/slots/faulty_run_for_test.h"
#include "graph/client_parts.h"
#include "graph/reference/run.h"

/// Faults of a compiler in attention, normalisation and recurrence: the model says one thing, and the program that runs
/// computes another one of the same shape.
namespace tacit::check {
namespace {

using runtime::Bench;

/// What is wrong in a network of one kind.
enum class Wrong {
  nothing,
  heads_swapped,
  mask_dropped,
  scale_forgotten,
  epsilon_forgotten,
  gates_exchanged,
  state_lost
};

/// Draws networks whose weights are the same, whatever is wrong.
class SequenceWriter : public NetworkWriter {
 public:
  SequenceWriter(unsigned seed, Wrong wrong) : NetworkWriter(seed), wrong_(wrong) {}

  bool is(Wrong wrong) const { return wrong_ == wrong; }
  graph::TensorId product(graph::TensorId x, graph::TensorId y, const graph::Shape& shape) {
    return sketch.node("MatMul", {x, y}, shape);
  }
  graph::TensorId integer(std::int64_t number) {
    return graph::passes::GraphEditor(sketch.graph)
        .constant("i" + std::to_string(sketch.graph.tensors.size()), {{}, {static_cast<double>(number)}, true});
  }
  graph::TensorId integers(const graph::Shape& numbers) {
    return graph::passes::GraphEditor(sketch.graph)
        .constant("i" + std::to_string(sketch.graph.tensors.size()), graph::passes::integers(numbers));
  }

 private:
  Wrong wrong_;
};

/// A layer, LayerNormalization, masked attention of two heads, and what leads back to the width.
SequenceWriter attention(Wrong wrong, unsigned seed = 31, double scale = 0.5) {
  constexpr std::int64_t kTokens = 4, kWidth = 8, kHeads = 2, kEach = kWidth / kHeads;
  SequenceWriter w(seed, wrong);
  auto& s = w.sketch;
  const graph::Shape tokens{1, kTokens, kWidth};
  const graph::TensorId x = w.product(s.input(tokens), w.weights({kWidth, kWidth}, 0.6), tokens);
  const double epsilon = w.is(Wrong::epsilon_forgotten) ? 1e-5 : 0.3;
  const graph::TensorId norm = s.node("LayerNormalization", {x, w.weights({kWidth}, 0.5), w.weights({kWidth}, 0.3)},
                                      {1, kTokens, kWidth}, {{"axis", std::int64_t{-1}}, {"epsilon", epsilon}});
  const auto of_heads = [&](bool swapped, const std::vector<std::int64_t>& order, const graph::Shape& shape) {
    std::vector<double> weights = w.sample(kWidth * kWidth);
    for (double& weight : weights) weight *= 0.7;
    if (swapped)
      for (std::int64_t row = 0; row < kWidth; ++row)
        std::swap_ranges(weights.begin() + row * kWidth, weights.begin() + row * kWidth + kEach,
                         weights.begin() + row * kWidth + kEach);
    const graph::TensorId all = w.product(norm, s.constant({kWidth, kWidth}, weights), {1, kTokens, kWidth});
    const graph::TensorId apart =
        s.node("Reshape", {all, w.integers({1, kTokens, kHeads, kEach})}, {1, kTokens, kHeads, kEach});
    return s.node("Transpose", {apart}, shape, {{"perm", order}});
  };
  const graph::TensorId q = of_heads(false, {0, 2, 1, 3}, {1, kHeads, kTokens, kEach});
  const graph::TensorId k = of_heads(false, {0, 2, 3, 1}, {1, kHeads, kEach, kTokens});
  const graph::TensorId v = of_heads(w.is(Wrong::heads_swapped), {0, 2, 1, 3}, {1, kHeads, kTokens, kEach});
  const graph::Shape square{1, kHeads, kTokens, kTokens};
  const graph::TensorId scores = s.node("Mul", {w.product(q, k, square), s.constant({}, {scale})}, square);
  std::vector<double> mask;
  for (std::int64_t i = 0; i < kTokens; ++i)
    for (std::int64_t j = 0; j < kTokens; ++j) mask.push_back(j > i && !w.is(Wrong::mask_dropped) ? -1e4 : 0);
  const graph::TensorId masked = s.node("Add", {scores, s.constant({1, 1, kTokens, kTokens}, mask)}, square);
  const graph::TensorId shares = s.node("Softmax", {masked}, square, {{"axis", std::int64_t{-1}}});
  const graph::TensorId seen = w.product(shares, v, {1, kHeads, kTokens, kEach});
  const graph::TensorId by_token =
      s.node("Transpose", {seen}, {1, kTokens, kHeads, kEach}, {{"perm", std::vector<std::int64_t>{0, 2, 1, 3}}});
  const graph::TensorId together =
      s.node("Reshape", {by_token, w.integers({1, kTokens, kWidth})}, {1, kTokens, kWidth});
  s.output(w.product(together, w.weights({kWidth, kWidth}, 0.4), {1, kTokens, kWidth}));
  return w;
}

/// Two steps of an LSTM, and a layer that reads its state.
SequenceWriter recurrence(Wrong wrong, unsigned seed = 32) {
  constexpr std::int64_t kSteps = 2, kInputs = 4, kUnits = 4;
  SequenceWriter w(seed, wrong);
  auto& s = w.sketch;
  const graph::Shape state{1, kUnits};
  const graph::TensorId x = s.input({1, kSteps, kInputs});
  std::vector<graph::TensorId> of_input, of_state, bias;
  for (int gate = 0; gate < 4; ++gate) {
    of_input.push_back(w.weights({kInputs, kUnits}, 0.8));
    of_state.push_back(w.weights({kUnits, kUnits}, 0.8));
    bias.push_back(w.weights({kUnits}, 0.5));
  }
  if (w.is(Wrong::gates_exchanged)) {
    std::swap(of_input[0], of_input[2]);
    std::swap(of_state[0], of_state[2]);
    std::swap(bias[0], bias[2]);
  }
  const graph::TensorId nothing = s.constant({kUnits, kUnits}, std::vector<double>(kUnits * kUnits, 0.0));
  std::optional<graph::TensorId> h, c;  // the first state is 0
  std::vector<graph::TensorId> states;
  for (std::int64_t t = 0; t < kSteps; ++t) {
    const graph::TensorId read = s.node("Gather", {x, w.integer(t)}, {1, kInputs}, {{"axis", std::int64_t{1}}});
    const auto gate = [&](std::size_t g, const char* function) {
      graph::TensorId sum = s.node("Add", {w.product(read, of_input[g], state), bias[g]}, state);
      if (h) sum = s.node("Add", {sum, w.product(*h, w.is(Wrong::state_lost) ? nothing : of_state[g], state)}, state);
      return s.node(function, {sum}, state);
    };
    const graph::TensorId in = gate(0, "Sigmoid"), out = gate(1, "Sigmoid"), keep = gate(2, "Sigmoid"),
                          fresh = gate(3, "Tanh");
    const graph::TensorId added = s.node("Mul", {in, fresh}, state);
    c = c ? s.node("Add", {s.node("Mul", {keep, *c}, state), added}, state) : added;
    h = s.node("Mul", {out, s.node("Tanh", {*c}, state)}, state);
    states.push_back(*h);
  }
  // Exporters put all states side by side, and take the last one.
  const graph::TensorId all = s.node("Concat", states, {kSteps, kUnits}, {{"axis", std::int64_t{0}}});
  const graph::TensorId last = s.node("Gather", {all, w.integers({kSteps - 1})}, state, {{"axis", std::int64_t{0}}});
  s.output(w.product(last, w.weights({kUnits, kUnits}, 0.8), state));
  return w;
}

/// Returns the tensors of a graph by name.
std::map<std::string, std::vector<double>> tensors_of(const graph::Graph& graph,
                                                      const std::vector<std::vector<double>>& input) {
  std::map<std::string, std::vector<double>> tensors;
  const std::vector<graph::Tensor> inputs{{graph.tensors[graph.inputs[0]].shape, input.at(0), false}};
  graph::reference::run(graph, inputs, [&](const graph::Node& node, std::span<const graph::Tensor> made) {
    for (std::size_t o = 0; o < made.size() && o < node.outputs.size(); ++o)
      if (node.outputs[o] != graph::kNoTensor) tensors[graph.tensors[node.outputs[o]].name] = made[o].data;
  });
  return tensors;
}

/// The program of the wrong network is run, and compared with the right one. It is expected to be found at the first
/// value that differs.
std::optional<Fault> fault_of(const std::string& name, const TestNetwork& net, const graph::Graph& right,
                              double tolerance) {
  Fault fault{.name = name, .graph = right, .input = net.input};
  const auto are = tensors_of(net.model.encrypted, net.input), should = tensors_of(right, net.input);
  for (program::ValueId id = 0; id < net.model.program.instructions.size(); ++id) {
    const auto found = are.find(net.model.meanings[id].tensor), wanted = should.find(net.model.meanings[id].tensor);
    if (found == are.end() || wanted == should.end()) continue;
    double largest = 0;
    for (std::size_t e = 0; e < wanted->second.size(); ++e)
      largest = std::max(largest, std::abs(wanted->second[e] - found->second.at(e)));
    if (largest < tolerance) continue;
    fault.at = id;
    fault.node = net.model.program.value(id).node;
    return fault;
  }
  return std::nullopt;
}

constexpr double kEpsilon = -2;

/// Compiles a network. Its input is what the client encrypts, because the client may run the first operators.
TestNetwork encrypted_part(SequenceWriter& writer) {
  const graph::Shape& shape = writer.sketch.graph.tensors[writer.sketch.graph.inputs[0]].shape;
  TestNetwork net =
      writer.network(static_cast<std::size_t>(graph::element_count(shape)), deep_insecure_literal(40), 31);
  net.input = {graph::run_before(net.model.parts, std::vector<graph::Tensor>{{shape, net.input[0], false}}).at(0).data};
  return net;
}

void expect_faults_found(const std::function<SequenceWriter(Wrong)>& network,
                         const std::vector<std::pair<std::string, Wrong>>& faults) {
  Tally tally;
  for (const auto& [name, wrong] : faults) {
    SequenceWriter right = network(Wrong::nothing), made = network(wrong);
    const TestNetwork intended = encrypted_part(right), net = encrypted_part(made);
    const Bench bench(net.model.parameters);
    const Request request = parse_request("nn", kEpsilon);
    const FaultyRun clean = run_with_fault(net, bench, request, nullptr);
    for (const OperatorResult& result : clean.report.operators)
      EXPECT_FALSE(result.failed) << name << ": " << failure_text(result);
    const std::optional<Fault> fault = fault_of(name, net, intended.model.encrypted, 4 * std::pow(10.0, kEpsilon));
    ASSERT_TRUE(fault) << name;
    tally.add(*fault, run_with_fault(net, bench, request, &*fault));
  }
  EXPECT_EQ(tally.found, tally.planted) << tally.misses;
  EXPECT_EQ(tally.named, tally.planted) << tally.misses;
}

TEST(SequenceFaults, AreFoundAndNamedInAttention) {
  expect_faults_found([](Wrong wrong) { return attention(wrong); },
                      {{"a head swapped", Wrong::heads_swapped},
                       {"a mask dropped", Wrong::mask_dropped},
                       {"an epsilon forgotten", Wrong::epsilon_forgotten}});
}

TEST(SequenceFaults, AreFoundAndNamedInARecurrence) {
  expect_faults_found([](Wrong wrong) { return recurrence(wrong); },
                      {{"gates exchanged", Wrong::gates_exchanged}, {"a state lost", Wrong::state_lost}});
}

/// The products of a contraction lose the shift of one of their operands.
TEST(SequenceFaults, AShiftThatIsLostIsFoundAtItsProduct) {
  SequenceWriter w = attention(Wrong::nothing);
  const TestNetwork net = encrypted_part(w);
  const Bench bench(net.model.parameters);
  const slots::Program& program = net.model.program;
  int planted = 0;
  for (program::ValueId id = 0; id < program.instructions.size(); ++id) {
    if (program.value(id).node != "MatMul11" && program.value(id).node != "MatMul15") continue;
    Fault fault{.name = "a shift lost", .node = program.value(id).node, .at = id, .program = program};
    slots::Operation& operation = fault.program->instructions[id].operation;
    if (auto* rotate = std::get_if<slots::Rotate>(&operation)) {
      rotate->steps = 0;
    } else if (auto* sum = std::get_if<slots::RotateSum>(&operation)) {
      sum->steps[0] = sum->steps[0] == 1 ? 2 : 1;
    } else {
      continue;
    }
    ++planted;
    const FaultyRun run = run_with_fault(net, bench, parse_request("nn", kEpsilon), &fault);
    const OperatorResult* first = run.report.first_failure();
    ASSERT_NE(first, nullptr) << fault.node << ' ' << id;
    EXPECT_EQ(first->node, fault.node) << failure_text(*first);
    EXPECT_EQ(first->cause, Cause::bug);
  }
  EXPECT_GT(planted, 0);
}

TEST(SequenceFaults, CleanRunsRaiseNoAlarm) {
  const auto expect_quiet = [](SequenceWriter writer, const std::string& what) {
    const TestNetwork net = encrypted_part(writer);
    const Bench bench(net.model.parameters);
    for (const OperatorResult& result :
         run_with_fault(net, bench, parse_request("nn", kEpsilon), nullptr).report.operators)
      EXPECT_FALSE(result.failed) << what << ": " << failure_text(result);
  };
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const std::string what = "seed " + std::to_string(seed);
    for (const double scale : {0.25, 0.7})
      expect_quiet(attention(Wrong::nothing, seed, scale), what + ", scale " + std::to_string(scale));
    expect_quiet(recurrence(Wrong::nothing, seed), what);
  }
}

}  // namespace
}  // namespace tacit::check
