#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "graph/onnx/run_model_for_test.h"
#include "layout/layout.h"

namespace tacit::graph::onnx {
namespace {

using testing::HasSubstr;

/// A recurrent node, and how a model states it.
struct Recurrence {
  std::string op;
  std::int64_t steps = 3, batch = 1, inputs = 2, hidden = 2;
  std::string direction = "forward";
  std::string attributes{};  ///< others than the sizes, the direction and the layout
  bool batch_first = false, bias = true, states = false, constant_states = false, peepholes = false;
  std::vector<std::int64_t> lengths{};
  /// The activations of both directions, for the reference. Those of the operator if it is empty.
  std::vector<std::function<double(double)>> activations{};
  double clip = 0;
  bool couples = false, resets_after_product = false;

  std::int64_t gates() const { return op == "LSTM" ? 4 : op == "GRU" ? 3 : 1; }
  std::int64_t directions() const { return direction == "bidirectional" ? 2 : 1; }
};

/// Multiples of 1/64, which texts and floats hold exactly.
Tensor drawn_exactly(Shape shape, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> number(-80, 80);
  Tensor tensor{shape, std::vector<double>(static_cast<std::size_t>(layout::element_count(shape))), false};
  for (double& x : tensor.data) x = number(random) / 64.0;
  return tensor;
}

/// The tensors of a recurrence, drawn at random. States are as with the batch second.
struct RecurrenceTensors {
  explicit RecurrenceTensors(const Recurrence& of)
      : x(drawn_exactly({of.steps, of.batch, of.inputs}, 1)),
        w(drawn_exactly({of.directions(), of.gates() * of.hidden, of.inputs}, 2)),
        r(drawn_exactly({of.directions(), of.gates() * of.hidden, of.hidden}, 3)),
        b(drawn_exactly({of.directions(), 2 * of.gates() * of.hidden}, 4)),
        h(drawn_exactly({of.directions(), of.batch, of.hidden}, 5)),
        c(drawn_exactly({of.directions(), of.batch, of.hidden}, 6)),
        p(drawn_exactly({of.directions(), 3 * of.hidden}, 7)) {
    if (!of.bias) std::ranges::fill(b.data, 0.0);
    if (!of.states) std::ranges::fill(h.data, 0.0);
    if (!of.states) std::ranges::fill(c.data, 0.0);
    if (!of.peepholes) std::ranges::fill(p.data, 0.0);
  }
  Tensor x, w, r, b, h, c, p;
};

double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double hyperbolic(double x) { return std::tanh(x); }

/// The formulas of ONNX's operators, unit by unit. Returns Y [steps, directions, batch, hidden], and Y_h and Y_c.
std::vector<Tensor> reference_recurrence(const Recurrence& r, const RecurrenceTensors& of) {
  std::vector<Tensor> made{{{r.steps, r.directions(), r.batch, r.hidden}, {}, false}, of.h, of.c};
  made[0].data.assign(static_cast<std::size_t>(layout::element_count(made[0].shape)), 0.0);
  std::vector<std::function<double(double)>> all = r.activations;
  for (std::int64_t d = 0; d < r.directions() && r.activations.empty(); ++d) {
    if (r.op != "RNN") all.emplace_back(logistic);
    all.emplace_back(hyperbolic);
    if (r.op == "LSTM") all.emplace_back(hyperbolic);
  }
  const auto each = all.size() / static_cast<std::size_t>(r.directions());
  const auto at = [](const Tensor& t, std::int64_t place) { return t.data[static_cast<std::size_t>(place)]; };
  const std::int64_t size = r.hidden, rows = r.gates() * size;
  for (std::int64_t d = 0; d < r.directions(); ++d)
    for (std::int64_t sample = 0; sample < r.batch; ++sample) {
      const bool reversed = r.direction == "reverse" || d == 1;
      const auto f = [&](std::size_t which, double x) { return all[static_cast<std::size_t>(d) * each + which](x); };
      const auto clipped = [&](double x) { return r.clip == 0 ? x : std::clamp(x, -r.clip, r.clip); };
      const std::int64_t length = r.lengths.empty() ? r.steps : r.lengths[static_cast<std::size_t>(sample)],
                         first = (d * r.batch + sample) * size;
      std::vector<double> h, c;
      for (std::int64_t u = 0; u < size; ++u) h.push_back(at(of.h, first + u)), c.push_back(at(of.c, first + u));
      const auto from_input = [&](std::int64_t t, std::int64_t row) {
        double sum = at(of.b, d * 2 * rows + row);
        for (std::int64_t i = 0; i < r.inputs; ++i)
          sum += at(of.w, (d * rows + row) * r.inputs + i) * at(of.x, (t * r.batch + sample) * r.inputs + i);
        return sum;
      };
      const auto from_state = [&](const std::vector<double>& state, std::int64_t row) {
        double sum = at(of.b, d * 2 * rows + rows + row);
        for (std::int64_t i = 0; i < size; ++i)
          sum += at(of.r, (d * rows + row) * size + i) * state[static_cast<std::size_t>(i)];
        return sum;
      };
      for (std::int64_t s = 0; s < length; ++s) {
        const std::int64_t t = reversed ? length - 1 - s : s;
        const std::vector<double> old = h;
        std::vector<double> gate(static_cast<std::size_t>(rows)), reset = h;
        for (std::int64_t row = 0; row < rows; ++row)
          gate[static_cast<std::size_t>(row)] = from_input(t, row) + from_state(old, row);
        const auto sum = [&](std::int64_t g, std::int64_t u) { return gate[static_cast<std::size_t>(g * size + u)]; };
        if (r.op == "GRU")
          for (std::int64_t u = 0; u < size; ++u) reset[static_cast<std::size_t>(u)] *= f(0, clipped(sum(1, u)));
        for (std::int64_t u = 0; u < size; ++u) {
          double& state = h[static_cast<std::size_t>(u)];
          double& cell = c[static_cast<std::size_t>(u)];
          const auto peephole = [&](std::int64_t g) { return at(of.p, (d * 3 + g) * size + u); };
          if (r.op == "LSTM") {
            const double i = f(0, clipped(sum(0, u) + peephole(0) * cell)),
                         forget = r.couples ? 1 - i : f(0, clipped(sum(2, u) + peephole(2) * cell));
            cell = forget * cell + i * f(1, clipped(sum(3, u)));
            state = f(0, clipped(sum(1, u) + peephole(1) * cell)) * f(2, cell);
          } else if (r.op == "GRU") {
            const double z = f(0, clipped(sum(0, u))), of_reset = f(0, clipped(sum(1, u)));
            const std::int64_t row = 2 * size + u;
            const double last = r.resets_after_product ? of_reset * from_state(old, row) : from_state(reset, row);
            state = (1 - z) * f(1, clipped(from_input(t, row) + last)) + z * old[static_cast<std::size_t>(u)];
          } else {
            state = f(0, clipped(sum(0, u)));
          }
          made[0].data[static_cast<std::size_t>(((t * r.directions() + d) * r.batch + sample) * size + u)] = state;
        }
      }
      for (std::int64_t u = 0; u < size; ++u) {
        made[1].data[static_cast<std::size_t>(first + u)] = h[static_cast<std::size_t>(u)];
        made[2].data[static_cast<std::size_t>(first + u)] = c[static_cast<std::size_t>(u)];
      }
    }
  if (r.op != "LSTM") made.pop_back();
  return made;
}

/// Exchanges the first axis with another one: of [a, b, c, ...] and k axes, [b, ..., a, c].
Tensor with_batch_first(const Tensor& x, std::size_t axis) {
  std::int64_t outer = 1, inner = 1;
  for (std::size_t k = 0; k < axis; ++k) outer *= x.shape[k];
  for (std::size_t k = axis + 1; k < x.shape.size(); ++k) inner *= x.shape[k];
  const std::int64_t extent = x.shape[axis];
  Tensor made = x;
  made.shape.erase(made.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  made.shape.insert(made.shape.begin(), extent);
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::int64_t e = 0; e < extent; ++e)
      for (std::int64_t i = 0; i < inner; ++i)
        made.data[static_cast<std::size_t>((e * outer + o) * inner + i)] =
            x.data[static_cast<std::size_t>((o * extent + e) * inner + i)];
  return made;
}

std::string stated(const Tensor& tensor, const std::string& name) {
  return fmt::format("float[{}] {} = {{{}}}", fmt::join(tensor.shape, ", "), name, fmt::join(tensor.data, ", "));
}

std::string recurrent_model(const Recurrence& r, const RecurrenceTensors& of) {
  const auto turned = [&](const Tensor& tensor) { return r.batch_first ? with_batch_first(tensor, 1) : tensor; };
  std::string inputs = fmt::format("float[{}] x", fmt::join(turned(of.x).shape, ", ")),
              weights = stated(of.w, "w") + ", " + stated(of.r, "r"), attributes = r.attributes;
  if (r.bias) weights += ", " + stated(of.b, "b");
  if (r.peepholes) weights += ", " + stated(of.p, "p");
  if (!r.lengths.empty()) weights += fmt::format(", int32[{}] n = {{{}}}", r.batch, fmt::join(r.lengths, ", "));
  const bool lstm = r.op == "LSTM";
  if (r.states && r.constant_states) {
    weights += ", " + stated(turned(of.h), "h");
    if (lstm) weights += ", " + stated(turned(of.c), "c");
  } else if (r.states) {
    inputs += fmt::format(", float[{}] h", fmt::join(turned(of.h).shape, ", "));
    if (lstm) inputs += fmt::format(", float[{}] c", fmt::join(turned(of.c).shape, ", "));
  }
  attributes +=
      fmt::format("{}hidden_size = {}, direction = \"{}\"", attributes.empty() ? "" : ", ", r.hidden, r.direction);
  if (r.batch_first) attributes += ", layout = 1";
  std::string results,
      call = fmt::format("x, w, r, {}, {}, {}", r.bias ? "b" : "", r.lengths.empty() ? "" : "n", r.states ? "h" : "");
  for (const char* output : {"y", "last", "cell"})
    if (lstm || std::string(output) != "cell")
      results += fmt::format("{}float[A{}, B{}, C{}{}] {}", results.empty() ? "" : ", ", output, output, output,
                             *output == 'y' ? ", Dy" : "", output);
  if (lstm) call += fmt::format(", {}{}", r.states ? "c" : "", r.peepholes ? ", p" : "");
  return fmt::format("g ({}) => ({}) <{}> {{ y, last{} = {} <{}> ({}) }}", inputs, results, weights,
                     lstm ? ", cell" : "", r.op, attributes, call);
}

void expect_recurrence(const Recurrence& r, int opset = 17) {
  const RecurrenceTensors of(r);
  const std::string text = recurrent_model(r, of);
  SCOPED_TRACE(text);
  const auto turned = [&](const Tensor& tensor, std::size_t axis) {
    return r.batch_first ? with_batch_first(tensor, axis) : tensor;
  };
  std::vector<Tensor> inputs{turned(of.x, 1)};
  if (r.states && !r.constant_states) {
    inputs.push_back(turned(of.h, 1));
    if (r.op == "LSTM") inputs.push_back(turned(of.c, 1));
  }
  const std::vector<Tensor> made = reference::run(import_text(text, opset), inputs);
  const std::vector<Tensor> wanted = reference_recurrence(r, of);
  ASSERT_EQ(made.size(), wanted.size());
  for (std::size_t o = 0; o < made.size(); ++o) {
    const Tensor right = turned(wanted[o], o == 0 ? 2 : 1);
    EXPECT_EQ(made[o].shape, right.shape) << "output " << o;
    EXPECT_THAT(made[o].data, testing::Pointwise(testing::DoubleNear(1e-6), right.data)) << "output " << o;
  }
}

constexpr const char* kRecurrent[] = {"LSTM", "GRU", "RNN"};

TEST(RecurrentForm, ComputesTheFormulasInEveryDirection) {
  for (const char* op : kRecurrent)
    for (const char* direction : {"forward", "reverse", "bidirectional"})
      for (const bool batch_first : {false, true})
        expect_recurrence({.op = op, .steps = 4, .inputs = 3, .direction = direction, .batch_first = batch_first});
}

TEST(RecurrentForm, TakesStatesOfTheClientAndConstantOnes) {
  for (const char* op : kRecurrent)
    for (const bool constant : {false, true})
      for (const bool batch_first : {false, true})
        expect_recurrence({.op = op,
                           .batch = 2,
                           .direction = "bidirectional",
                           .batch_first = batch_first,
                           .states = true,
                           .constant_states = constant});
}

TEST(RecurrentForm, AGruResetsBeforeOrAfterTheProduct) {
  for (const bool states : {false, true})
    for (const bool bias : {false, true})
      expect_recurrence({.op = "GRU",
                         .direction = "bidirectional",
                         .attributes = "linear_before_reset = 1",
                         .bias = bias,
                         .states = states,
                         .resets_after_product = true});
}

TEST(RecurrentForm, TakesTheSmallestSizesAndSeveralSamples) {
  for (const char* op : kRecurrent) {
    expect_recurrence({.op = op, .steps = 1, .inputs = 1, .hidden = 1});
    expect_recurrence({.op = op, .steps = 1, .hidden = 3, .direction = "bidirectional", .bias = false});
    expect_recurrence({.op = op, .steps = 3, .batch = 3, .hidden = 1, .direction = "reverse", .bias = false});
  }
}

TEST(RecurrentForm, SumsAreClippedBeforeActivations) {
  for (const char* op : kRecurrent)
    expect_recurrence({.op = op, .attributes = "clip = 0.5", .states = true, .clip = 0.5});
}

TEST(RecurrentForm, PeepholesAreProductsWithTheCell) {
  for (const bool states : {false, true})
    expect_recurrence({.op = "LSTM",
                       .direction = "bidirectional",
                       .attributes = "clip = 1.5",
                       .states = states,
                       .peepholes = true,
                       .clip = 1.5});
}

TEST(RecurrentForm, InputAndForgetGatesMayBeCoupled) {
  expect_recurrence({.op = "LSTM", .attributes = "input_forget = 1", .states = true, .couples = true});
  expect_recurrence(
      {.op = "LSTM", .attributes = "input_forget = 1", .states = true, .peepholes = true, .couples = true});
}

TEST(RecurrentForm, EveryActivationTakesItsNumbers) {
  const auto hard = [](double alpha, double beta) {
    return [=](double x) { return std::clamp(alpha * x + beta, 0.0, 1.0); };
  };
  const auto relu = [](double x) { return std::max(x, 0.0); };
  expect_recurrence({.op = "LSTM",
                     .attributes = "activations = [\"HardSigmoid\", \"Affine\", \"scaledtanh\"], "
                                   "activation_alpha = [0.25, 0.5, 2.0], activation_beta = [0.375, 0.25, 0.75]",
                     .states = true,
                     .activations = {hard(0.25, 0.375), [](double x) { return 0.5 * x + 0.25; },
                                     [](double x) { return 2 * std::tanh(0.75 * x); }}});
  // Functions without numbers take none of the list, and the defaults are those of the operators.
  expect_recurrence({.op = "GRU",
                     .direction = "bidirectional",
                     .attributes = "activations = [\"Sigmoid\", \"LeakyRelu\", \"HardSigmoid\", \"Elu\"], "
                                   "activation_alpha = [0.5]",
                     .activations = {logistic, [](double x) { return x < 0 ? 0.5 * x : x; }, hard(0.2, 0.5),
                                     [](double x) { return x < 0 ? std::expm1(x) : x; }}});
  const std::pair<const char*, std::function<double(double)>> others[] = {
      {"Relu", relu},
      {"Softsign", [](double x) { return x / (1 + std::abs(x)); }},
      {"Softplus", [](double x) { return std::log1p(std::exp(x)); }},
      {"ThresholdedRelu", [](double x) { return x > 1 ? x : 0.0; }}};
  for (const auto& [name, function] : others)
    expect_recurrence(
        {.op = "RNN", .attributes = fmt::format("activations = [\"{}\"]", name), .activations = {function}});
}

TEST(RecurrentForm, ConstantLengthsEndSequences) {
  for (const char* op : kRecurrent)
    for (const char* direction : {"forward", "reverse", "bidirectional"})
      for (const bool states : {false, true}) {
        expect_recurrence({.op = op, .batch = 3, .direction = direction, .states = states, .lengths = {2, 3, 1}});
        expect_recurrence({.op = op, .batch = 2, .direction = direction, .states = states, .lengths = {3, 3}});
        expect_recurrence({.op = op, .batch = 2, .direction = direction, .states = states, .lengths = {2, 2}});
      }
}

TEST(RecurrentForm, OlderVersionsAreRead) {
  for (const char* op : kRecurrent)
    for (const int opset : {7, 14, 22}) expect_recurrence({.op = op, .states = true}, opset);
  expect_recurrence({.op = "RNN", .attributes = "output_sequence = 1"}, 6);
}

TEST(RecurrentForm, OneFunctionMakesTheGatesOfAnLstm) {
  const Recurrence r{.op = "LSTM", .steps = 5, .direction = "bidirectional"};
  const Graph graph = import_text(recurrent_model(r, RecurrenceTensors(r)));
  const auto count = [&](const char* op) {
    return std::ranges::count_if(graph.nodes, [&](const Node& node) { return node.op == op; });
  };
  EXPECT_EQ(count("Sigmoid"), 2 * 5) << "of the gates and of the cell, both directions side by side";
  EXPECT_EQ(count("Tanh"), 0);
  EXPECT_EQ(count("MatMul"), 5 + 4) << "the first state is 0";
}

/// The results are those of ONNX Runtime 1.32.
TEST(RecurrentForm, AgreesWithOnnxRuntime) {
  expect_forms({
      {R"(g (float[3, 1, 2] x) => (float[A, B, C, D] y, float[E, F, G] e, float[H, I, J] k) <float[1, 4, 2] w = {0.375, 0.625, -1, 0.625, -0.125, 0, 0.25, -0.5}, float[1, 4, 1] r = {1, -1, -0.5, -0.25}, float[1, 8] b = {0.125, -0.25, -0.75, -1, -1, -1, -0.75, 1}, float[1, 1, 1] h = {-0.625}, float[1, 1, 1] c = {0.375}, float[1, 3] p = {0.5, -0.625, -0.5}> { y, e, k = LSTM <clip = 0.5, hidden_size = 1> (x, w, r, b, , h, c, p) })",
       17,
       reals({3, 1, 2}, {2, 0.5, 0.875, -0.5, 1.25, -1.625}),
       {{0.1135179, 0.1007298, 0.102227}, {0.102227}, {0.2776955}}},
      {R"(g (float[3, 1, 2] x) => (float[A, B, C, D] y, float[E, F, G] e, float[H, I, J] k) <float[1, 4, 2] w = {-0.125, -0.5, 1, -0.625, 0.875, 0.625, 0.75, -0.875}, float[1, 4, 1] r = {-0.25, 0.25, 0, 0.375}, float[1, 8] b = {0.375, 0.375, -0.875, 1, 0.125, 0.875, -0.5, -0.25}, float[1, 1, 1] h = {0.75}, float[1, 1, 1] c = {-0.625}> { y, e, k = LSTM <input_forget = 1, direction = "reverse", hidden_size = 1> (x, w, r, b, , h, c) })",
       17,
       reals({3, 1, 2}, {-1.375, -0.625, 0.875, 0, 1.375, 1.875}),
       {{0.2156056, 0.3442649, -0.2493652}, {0.2156056}, {0.3852794}}},
      {R"(g (float[3, 1, 1] x) => (float[A, B, C, D] y, float[E, F, G] e, float[H, I, J] k) <float[1, 4, 1] w = {-0.875, -0.25, 0.375, -0.75}, float[1, 4, 1] r = {0.75, -0.375, -0.625, 0.125}, float[1, 8] b = {0.875, 0.875, 0.75, -0.375, -1, 0.625, 0.5, 0.625}, float[1, 1, 1] h = {-1}, float[1, 1, 1] c = {-1}> { y, e, k = LSTM <activations = ["HardSigmoid", "ScaledTanh", "LeakyRelu"], activation_alpha = [0.25, 1.5, 0.125], activation_beta = [0.5, 0.75], hidden_size = 1> (x, w, r, b, , h, c) })",
       17,
       reals({3, 1, 1}, {-0.375, -0.375, 0.25}),
       {{-0.09581018, -0.03580347, -0.02578017}, {-0.02578017}, {-0.2390562}}},
      {R"(g (float[3, 2, 1] x) => (float[A, B, C, D] y, float[E, F, G] e) <float[2, 3, 1] w = {0, -0.375, -0.125, 0.875, -0.625, 0}, float[2, 3, 1] r = {-0.375, -0.375, 0.625, -0.75, -0.375, -0.75}, float[2, 6] b = {-0.75, -0.5, 0.375, 0.125, -0.125, -0.75, 0.625, 0.625, -0.5, -0.875, -0.375, -0.75}, float[2, 2, 1] h = {0.625, 0, 0, -0.5}, int32[2] n = {2, 3}> { y, e = GRU <direction = "bidirectional", linear_before_reset = 1, clip = 0.75, hidden_size = 1> (x, w, r, b, n, h) })",
       17,
       reals({3, 2, 1}, {0.625, -0.125, 0.375, 1.875, 1, -0.75}),
       {{0.3225007, 0.07849693, -0.427763, -0.5879394, 0.2061803, -0.02846213, -0.3051756, -0.5703952, 0, 0.0854834, 0,
         -0.5851134},
        {0.2061803, 0.0854834, -0.427763, -0.5879394}}},
      {R"(g (float[3, 1, 1] x) => (float[A, B, C, D] y, float[E, F, G] e) <float[1, 6, 1] w = {0, 1, -0.5, 0.625, -1, -0.375}, float[1, 6, 2] r = {0.875, 0.75, -0.875, 0.75, 0.75, -0.125, -0.25, 1, 1, 0.375, -0.25, -0.625}, float[1, 12] b = {0.875, -0.5, 0.125, 0.375, -0.5, -0.375, 0.5, -0.625, 0.375, 1, 0.375, 0.25}, float[1, 1, 2] h = {-0.125, 1}> { y, e = GRU <activations = ["Sigmoid", "Softsign"], direction = "reverse", hidden_size = 2> (x, w, r, b, , h) })",
       17,
       reals({3, 1, 1}, {-0.25, -0.375, -1.5}),
       {{0.03024456, -0.02498521, 0.008896722, -0.002095813, -0.03816673, 0.1073611}, {0.03024456, -0.02498521}}},
      {R"(g (float[2, 1, 2] x) => (float[A, B, C, D] y, float[E, F, G] e) <float[2, 2, 2] w = {-0.625, -0.25, 0.25, 0.375, -0.875, -0.75, 0.375, 0.75}, float[2, 2, 2] r = {0.25, 0.875, -0.25, -0.375, 0.625, -1, -0.625, -0.625}, float[2, 4] b = {-0.25, -0.75, 0.625, 0.75, -0.25, -1, 0.5, -0.875}, float[2, 1, 2] h = {0.25, -0.75, 0.875, 0.375}> { y, e = RNN <direction = "bidirectional", activations = ["Relu", "Affine"], activation_alpha = [0.5], activation_beta = [0.25], hidden_size = 2> (x, w, r, b, , h) })", 17, reals({2, 1, 2}, {-2, 1.25, -0.375, -0.625}), {{0.71875, 0.1875, 1.741211, -0.4301758, 1.109375, 0, 0.859375, -1.382812}, {1.109375, 0, 1.741211, -0.4301758}}},
  });
}

TEST(RecurrentForm, WeightsAndLengthsOfClientsAreRefused) {
  const auto model = [](const std::string& inputs, const std::string& call, const std::string& attributes = "") {
    return fmt::format(
        "g (float[3, 1, 2] x{}) => (float[3, 1, 1, 1] y) <float[1, 4, 2] w = {{1, 2, 3, 4, 5, 6, 7, 8}}, "
        "float[1, 4, 1] r = {{1, 2, 3, 4}}> {{ y = LSTM <hidden_size = 1{}> ({}) }}",
        inputs, attributes, call);
  };
  const auto refused = [&](const std::string& text, const std::string& why) {
    EXPECT_THAT(import_text_refusal(text), HasSubstr("(LSTM): " + why));
  };
  refused(model(", float[1, 4, 1] q", "x, w, q"), "its weights R depend on an input of the model");
  refused(model(", int32[1] n", "x, w, r, , n"), "its lengths of sequences (sequence_lens) depend on an input");
  refused(model("", "x, w, w"), "attribute 'hidden_size' holds 1, and its weights R are for 2 units");
  refused(model(", float[1, 2, 1] h", "x, w, r, , , h"), "its input initial_h has the shape [1, 2, 1]");
  refused(model("", "x, w, r", ", activations = [\"Sigmoid\", \"Swish\", \"Tanh\"]"),
          "its activation 'Swish' is not supported; Affine, Elu");
  refused(model("", "x, w, r", ", activations = [\"Sigmoid\"]"), "it has 1 activations; it takes 3");
  refused(model("", "x, w, r", ", direction = \"back\""), "attribute 'direction': 'back' is none of forward, ");
  refused(model("", "x, w, r", ", clip = -1.0"), "attribute 'clip' holds -1; it must be at least 0");
}

}  // namespace
}  // namespace tacit::graph::onnx
