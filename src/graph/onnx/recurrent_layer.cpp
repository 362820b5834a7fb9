#include "graph/onnx/recurrent_layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <span>
#include <utility>

#include "graph/attribute.h"
#include "graph/onnx/refuse_node.h"

namespace tacit::graph::onnx {
namespace {

/// A function that an activation may be, and its attributes if the node states none.
struct KnownActivation {
  const char* function;
  bool has_alpha = false, has_beta = false;
  double alpha = 0, beta = 0;
};

constexpr KnownActivation kActivations[] = {
    {"Affine", true, true, 1, 0},
    {"Elu", true, false, 1},
    {"HardSigmoid", true, true, 0.2, 0.5},
    {"LeakyRelu", true, false, 0.01},
    {"Relu"},
    {"ScaledTanh", true, true, 1, 1},
    {"Sigmoid"},
    {"Softplus"},
    {"Softsign"},
    {"Tanh"},
    {"ThresholdedRelu", true, false, 1},
};

/// Exporters write names of functions in any case.
bool same_name(std::string_view left, std::string_view right) {
  return std::ranges::equal(left, right,
                            [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
}

const KnownActivation& known_activation(const NodeChange& change, const std::string& function) {
  std::string names;
  for (const KnownActivation& known : kActivations) {
    if (same_name(known.function, function)) return known;
    names += (names.empty() ? "" : ", ") + std::string(known.function);
  }
  refuse_node(change.node, fmt::format("its activation '{}' is not supported; {} are", function, names));
}

std::vector<double> take_reals(NodeChange& change, const char* name) {
  const auto attribute = change.take(name);
  if (!attribute) return {};
  return {attribute->floats().begin(), attribute->floats().end()};
}

/// Takes the activations of every direction. A function with attributes takes the next alpha and the next beta.
std::vector<std::vector<Activation>> take_activations(NodeChange& change, std::size_t directions,
                                                      const std::vector<std::string>& usual) {
  std::vector<std::string> names;
  if (const auto stated = change.take("activations")) names.assign(stated->strings().begin(), stated->strings().end());
  if (names.empty())
    for (std::size_t d = 0; d < directions; ++d) names.insert(names.end(), usual.begin(), usual.end());
  if (names.size() != directions * usual.size())
    refuse_node(change.node,
                fmt::format("it has {} activations; it takes {} for each direction", names.size(), usual.size()));
  const std::vector<double> alphas = take_reals(change, "activation_alpha"),
                            betas = take_reals(change, "activation_beta");
  std::size_t alpha = 0, beta = 0;
  std::vector<std::vector<Activation>> activations(directions);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const KnownActivation& known = known_activation(change, names[i]);
    Activation made{known.function, known.alpha, known.beta};
    if (known.has_alpha && alpha < alphas.size()) made.alpha = alphas[alpha++];
    if (known.has_beta && beta < betas.size()) made.beta = betas[beta++];
    activations[i / usual.size()].push_back(std::move(made));
  }
  return activations;
}

const Tensor& constant_weights(const NodeChange& change, int index, const char* name, const Shape& shape) {
  const KnownInput known = change.input(index);
  if (known.shape != shape)
    refuse_node(change.node,
                fmt::format("its input {} has the shape {}; it takes {}", name, to_text(known.shape), to_text(shape)));
  if (known.constant == nullptr)
    refuse_node(change.node, fmt::format("its weights {} depend on an input of the model; store them in the model as "
                                         "constants",
                                         name));
  return *known.constant;
}

/// Returns one of the parts of equal size that lie one after another.
std::vector<double> part(const std::vector<double>& whole, std::size_t index, std::size_t parts) {
  const auto size = static_cast<std::ptrdiff_t>(whole.size() / parts);
  const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(index) * size;
  return {begin, begin + size};
}

}  // namespace

RecurrentLayer::RecurrentLayer(NodeChange& change) : operator_(change.node.op_type()) {
  gates = is("LSTM") ? 4 : is("GRU") ? 3 : 1;
  batch_first = change.take_integer("layout", 0) != 0;
  couples_input_and_forget = change.take_integer("input_forget", 0) != 0;
  resets_after_product = change.take_integer("linear_before_reset", 0) != 0;
  change.take("output_sequence");  // until opset 7: whether the first output is made
  if (const auto stated = change.take("clip")) clip = stated->f();
  if (!(clip >= 0) || !std::isfinite(clip))
    refuse_node(change.node, fmt::format("attribute 'clip' holds {}; it must be at least 0", clip));
  read_sizes(change);
  const auto stated = change.take("direction");
  const std::string direction = stated ? stated->s() : "forward";
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    refuse_node(change.node,
                fmt::format("attribute 'direction': '{}' is none of forward, reverse, bidirectional", direction));
  directions.resize(direction == "bidirectional" ? 2 : 1);
  directions.back().reversed = direction != "forward";
  const std::int64_t stated_size = change.take_integer("hidden_size", hidden);
  if (stated_size != hidden)
    refuse_node(change.node, fmt::format("attribute 'hidden_size' holds {}, and its weights R are for {} units",
                                         stated_size, hidden));
  const std::vector<std::string> usual = is("LSTM")  ? std::vector<std::string>{"Sigmoid", "Tanh", "Tanh"}
                                         : is("GRU") ? std::vector<std::string>{"Sigmoid", "Tanh"}
                                                     : std::vector<std::string>{"Tanh"};
  std::vector<std::vector<Activation>> activations = take_activations(change, directions.size(), usual);
  for (std::size_t d = 0; d < directions.size(); ++d) directions[d].activations = std::move(activations[d]);
  read_lengths(change);
  read_weights(change);
}

void RecurrentLayer::read_sizes(const NodeChange& change) {
  const Shape x = change.input(0).shape, r = change.input(2).shape;
  if (x.size() != 3)
    refuse_node(change.node,
                fmt::format("it takes sequences of three dimensions; the shape of its input X is {}", to_text(x)));
  steps = x[batch_first ? 1 : 0];
  batch = x[batch_first ? 0 : 1];
  inputs = x[2];
  if (r.size() != 3)
    refuse_node(change.node, fmt::format("its input R has the shape {}; it takes three dimensions", to_text(r)));
  hidden = r[2];
  if (steps < 1 || batch < 1 || inputs < 1 || hidden < 1)
    refuse_node(change.node,
                fmt::format("its inputs X of shape {} and R of shape {} hold no numbers", to_text(x), to_text(r)));
}

void RecurrentLayer::read_lengths(const NodeChange& change) {
  if (!change.has_input(4)) return;
  if (change.input(4).constant == nullptr)
    refuse_node(change.node,
                "its lengths of sequences (sequence_lens) depend on an input of the model; export the model without "
                "them, and pad every sequence to one length");
  lengths = change.constant_input(4, "lengths of sequences (sequence_lens)");
  if (static_cast<std::int64_t>(lengths.size()) != batch)
    refuse_node(change.node,
                fmt::format("it has {} lengths of sequences (sequence_lens) for {} samples", lengths.size(), batch));
  for (const std::int64_t length : lengths)
    if (length < 1 || length > steps)
      refuse_node(change.node,
                  fmt::format("one of its lengths of sequences (sequence_lens) is {}, outside [1, {}]", length, steps));
  if (std::ranges::all_of(lengths, [&](std::int64_t length) { return length == steps; })) lengths.clear();
}

void RecurrentLayer::read_weights(NodeChange& change) {
  const auto count = static_cast<std::int64_t>(directions.size());
  const Tensor &w = constant_weights(change, 1, "W", {count, gates * hidden, inputs}),
               &r = constant_weights(change, 2, "R", {count, gates * hidden, hidden});
  const Tensor* bias = change.has_input(3) ? &constant_weights(change, 3, "B", {count, 2 * gates * hidden}) : nullptr;
  const Tensor* peepholes =
      is("LSTM") && change.has_input(7) ? &constant_weights(change, 7, "P", {count, 3 * hidden}) : nullptr;
  for (std::size_t d = 0; d < directions.size(); ++d) {
    Direction& direction = directions[d];
    direction.input_weights = {{gates * hidden, inputs}, part(w.data, d, directions.size()), false};
    direction.recurrent_weights = {{gates * hidden, hidden}, part(r.data, d, directions.size()), false};
    direction.input_bias.assign(static_cast<std::size_t>(gates * hidden), 0.0);
    direction.recurrent_bias = direction.input_bias;
    if (bias != nullptr) {
      direction.input_bias = part(bias->data, 2 * d, 2 * directions.size());
      direction.recurrent_bias = part(bias->data, 2 * d + 1, 2 * directions.size());
    }
    if (peepholes != nullptr) direction.peepholes = part(peepholes->data, d, directions.size());
  }
}

}  // namespace tacit::graph::onnx
