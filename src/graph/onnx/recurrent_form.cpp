#include "graph/onnx/recurrent_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "graph/attribute.h"
#include "graph/onnx/recurrent_layer.h"
#include "graph/onnx/refuse_node.h"

namespace tacit::graph::onnx {
namespace {

using ::onnx::AttributeProto;
using ::onnx::MakeAttribute;
using ::onnx::NodeProto;

/// Names of the tensors that a node makes. An empty name is a tensor of zeros.
using TensorNames = std::vector<std::string>;

/// A gate in the order in which a step computes it: its place in the weights, and the factor of its sum.
struct Gate {
  std::size_t place;
  double factor = 1;
};

/// Splits a tensor along an axis. One piece is the tensor itself.
TensorNames split_tensor(NodeChange& change, const std::string& tensor, std::int64_t axis,
                         const std::vector<std::int64_t>& lengths) {
  if (lengths.size() == 1) return {tensor};
  Tensor sizes{{static_cast<std::int64_t>(lengths.size())}, {lengths.begin(), lengths.end()}, true};
  NodeProto split = change.step("Split", tensor, change.around.intermediate());
  split.add_input(change.around.constant(std::move(sizes), ::onnx::TensorProto::INT64));
  *split.add_attribute() = MakeAttribute("axis", axis);
  TensorNames pieces{split.output(0)};
  while (pieces.size() < lengths.size()) {
    pieces.push_back(change.around.intermediate());
    split.add_output(pieces.back());
  }
  change.before.push_back(std::move(split));
  return pieces;
}

/// Writes the steps of directions that have the same activations. They are computed side by side: a state holds the
/// units of every direction, one direction after the other. Every tensor of a step has the shape [1, samples, units].
class StepWriter {
 public:
  StepWriter(NodeChange& change, const RecurrentLayer& layer, std::vector<const Direction*> lanes)
      : change_(change), layer_(layer), lanes_(std::move(lanes)), type_(change.input(0).element_type) {}

  /// Writes all steps from a sequence [steps, samples, inputs] and the first states.
  void write(const std::string& sequence, const std::string& first_state, const std::string& first_cell) {
    state_ = first_state;
    cell_ = first_cell;
    read_weights();
    const TensorNames inputs = split(sequence, 0, std::vector<std::int64_t>(static_cast<std::size_t>(layer_.steps), 1));
    for (step_ = 0; step_ < layer_.steps; ++step_) {
      const std::string mask = this->mask();
      if (mask == kNoSample) {
        states_.emplace_back();
        continue;
      }
      const std::string state = state_, cell = cell_;
      input_ = inputs[static_cast<std::size_t>(time_of(*lanes_[0]))];
      if (lanes_.size() > 1) input_ = beside(input_, inputs[static_cast<std::size_t>(time_of(*lanes_[1]))]);
      if (layer_.is("LSTM"))
        step_of_lstm();
      else if (layer_.is("GRU"))
        step_of_gru();
      else
        state_ = activated(0, sum(first_));
      states_.push_back(times(mask, state_));
      state_ = masked(mask, state_, state);
      if (!cell_.empty()) cell_ = masked(mask, cell_, cell);
    }
  }

  /// The states after the last step.
  const std::string& state() const { return state_; }
  const std::string& cell() const { return cell_; }
  /// The results of every step. Zeros where the sequences of all samples have ended.
  const TensorNames& states() const { return states_; }

 private:
  static constexpr const char* kNoSample = "-";

  /// Gates that are summed up together: their weights and their bias. A bias of zeros has no name.
  struct Gates {
    std::string input_weights, recurrent_weights, bias;
  };

  /// Returns the place of this step's input in the sequence. A lane that is reversed reads from the end.
  std::int64_t time_of(const Direction& lane) const { return lane.reversed ? layer_.steps - 1 - step_ : step_; }
  std::int64_t units() const { return static_cast<std::int64_t>(lanes_.size()) * layer_.hidden; }
  const Activation& activation(std::size_t which) const { return lanes_[0]->activations[which]; }

  std::string add(const char* op, const TensorNames& inputs, const std::vector<AttributeProto>& attributes = {}) {
    return change_.add_before(op, inputs, attributes);
  }
  std::string number(double value) { return change_.around.constant({{}, {value}, false}, type_); }
  std::string constant(Shape shape, std::vector<double> data) {
    return change_.around.constant({std::move(shape), std::move(data), false}, type_);
  }
  std::string plus(const std::string& left, const std::string& right) {
    return left.empty() ? right : right.empty() ? left : add("Add", {left, right});
  }
  /// A factor without a name is 1.
  std::string times(const std::string& factor, const std::string& value) {
    return factor.empty() ? value : add("Mul", {value, factor});
  }
  TensorNames split(const std::string& tensor, std::int64_t axis, const std::vector<std::int64_t>& lengths) {
    return split_tensor(change_, tensor, axis, lengths);
  }
  TensorNames split_gates(const std::string& tensor, std::size_t count) {
    return split(tensor, 2, std::vector<std::int64_t>(count, units()));
  }

  std::string activated(std::size_t which, std::string x, bool clipped = true) {
    const Activation& f = activation(which);
    const auto real = [](const char* name, double value) { return MakeAttribute(name, static_cast<float>(value)); };
    if (clipped && layer_.clip != 0) x = add("Clip", {x, number(-layer_.clip), number(layer_.clip)});
    if (f.function == "Affine") return add("Add", {add("Mul", {x, number(f.alpha)}), number(f.beta)});
    if (f.function == "ScaledTanh")
      return add("Mul", {add("Tanh", {add("Mul", {x, number(f.beta)})}), number(f.alpha)});
    if (f.function == "HardSigmoid") return add("HardSigmoid", {x}, {real("alpha", f.alpha), real("beta", f.beta)});
    if (f.function == "Elu" || f.function == "LeakyRelu" || f.function == "ThresholdedRelu")
      return add(f.function.c_str(), {x}, {real("alpha", f.alpha)});
    return add(f.function.c_str(), {x});
  }

  /// Returns the weights of gates side by side, from inputs (or units) of every lane to units of every gate and lane.
  std::string weights(Tensor Direction::*of, const std::vector<Gate>& gates) {
    const auto lanes = lanes_.size(), hidden = static_cast<std::size_t>(layer_.hidden),
               from = static_cast<std::size_t>((lanes_[0]->*of).shape[1]), columns = gates.size() * lanes * hidden;
    std::vector<double> matrix(lanes * from * columns, 0.0);
    for (std::size_t g = 0; g < gates.size(); ++g)
      for (std::size_t l = 0; l < lanes; ++l)
        for (std::size_t u = 0; u < hidden; ++u)
          for (std::size_t i = 0; i < from; ++i)
            matrix[(l * from + i) * columns + (g * lanes + l) * hidden + u] =
                gates[g].factor * (lanes_[l]->*of).data[(gates[g].place * hidden + u) * from + i];
    return constant({static_cast<std::int64_t>(lanes * from), static_cast<std::int64_t>(columns)}, std::move(matrix));
  }
  /// Returns numbers by gate, lane and unit.
  std::vector<double> by_gate(std::vector<double> Direction::*of, const std::vector<Gate>& gates) const {
    std::vector<double> numbers;
    for (const Gate& gate : gates)
      for (const Direction* lane : lanes_)
        for (std::int64_t u = 0; u < layer_.hidden; ++u)
          numbers.push_back(
              gate.factor *
              (lane->*of)[gate.place * static_cast<std::size_t>(layer_.hidden) + static_cast<std::size_t>(u)]);
    return numbers;
  }
  std::string vector(std::vector<double> numbers) {
    const bool zero = std::ranges::all_of(numbers, [](double x) { return x == 0; });
    const auto size = static_cast<std::int64_t>(numbers.size());
    return zero ? std::string() : constant({size}, std::move(numbers));
  }
  std::string beside(const std::string& left, const std::string& right) {
    return add("Concat", {left, right}, {MakeAttribute("axis", std::int64_t{2})});
  }

  Gates gates(const std::vector<Gate>& which) {
    std::vector<double> bias = by_gate(&Direction::input_bias, which);
    const std::vector<double> recurrent_bias = by_gate(&Direction::recurrent_bias, which);
    for (std::size_t i = 0; i < bias.size(); ++i) bias[i] += recurrent_bias[i];
    return {weights(&Direction::input_weights, which), weights(&Direction::recurrent_weights, which),
            vector(std::move(bias))};
  }
  std::string times_input_weights(const Gates& of) { return add("MatMul", {input_, of.input_weights}); }
  std::string times_recurrent_weights(const std::string& state, const Gates& of) {
    return state.empty() ? state : add("MatMul", {state, of.recurrent_weights});
  }
  std::string sum(const Gates& of) {
    return plus(plus(times_input_weights(of), times_recurrent_weights(state_, of)), of.bias);
  }

  /// Gathers gates that one function makes. An LSTM has its gates in the order i, o, f, c in the weights. A step has
  /// them in the order i, f, o, c. A GRU has z, r and h.
  ///
  /// tanh(x) is 2 sigmoid(2 x) - 1. So one function makes all gates of a usual LSTM.
  void read_weights() {
    if (layer_.is("RNN")) {
      first_ = gates({{0}});
    } else if (layer_.is("GRU")) {
      first_ = gates({{0}, {1}});
      last_ = gates({{2}});
      if (!layer_.resets_after_product) return;
      last_.bias = vector(by_gate(&Direction::input_bias, {{2}}));
      reset_bias_ = vector(by_gate(&Direction::recurrent_bias, {{2}}));
    } else {
      if (!lanes_[0]->peepholes.empty()) {
        peepholes_of_first_ = vector(by_gate(&Direction::peepholes, {{0}, {2}}));
        peepholes_of_output_ = vector(by_gate(&Direction::peepholes, {{1}}));
      }
      one_function_ = !has_peepholes() && layer_.clip == 0 && activation(0).function == "Sigmoid" &&
                      activation(1).function == "Tanh";
      if (one_function_) {
        first_ = gates({{0}, {2}, {1}, {3, 2.0}});
        return;
      }
      last_ = gates({{3}});
      if (has_peepholes()) output_ = gates({{1}});
      first_ = has_peepholes() ? gates({{0}, {2}}) : gates({{0}, {2}, {1}});
    }
  }

  bool has_peepholes() const { return !peepholes_of_first_.empty() || !peepholes_of_output_.empty(); }
  /// Adds a product of the cell with constants, if there are any.
  std::string peeped(const std::string& sum, const std::string& cell, const std::string& peepholes) {
    return cell.empty() || peepholes.empty() ? sum : plus(sum, add("Mul", {cell, peepholes}));
  }

  void step_of_lstm() {
    std::string both, output, made;  // the gates i and f side by side, and the others
    if (has_peepholes()) {
      const std::string cells = cell_.empty() ? cell_ : beside(cell_, cell_);
      both = activated(0, peeped(sum(first_), cells, peepholes_of_first_));
      made = activated(1, sum(last_));
    } else {
      std::vector<std::int64_t> lengths{2 * units(), units()};
      if (one_function_) lengths.push_back(units());
      const TensorNames parts = split(activated(0, sum(first_)), 2, lengths);
      both = parts[0];
      output = parts[1];
      made = one_function_ ? of_sigmoid(parts[2]) : activated(1, sum(last_));
    }
    if (layer_.couples_input_and_forget || cell_.empty()) {
      const std::string input = split_gates(both, 2)[0];
      both = cell_.empty() ? input : beside(input, add("Sub", {number(1), input}));
    }
    // One product takes both gates.
    const std::string product = add("Mul", {both, cell_.empty() ? made : beside(made, cell_)});
    if (cell_.empty()) {
      cell_ = product;
    } else {
      const TensorNames terms = split_gates(product, 2);
      cell_ = add("Add", terms);
    }
    if (has_peepholes()) output = activated(0, peeped(sum(output_), cell_, peepholes_of_output_));
    state_ = add("Mul", {output, activated_cell()});
  }

  /// Returns tanh(x) from sigmoid(2 x).
  std::string of_sigmoid(const std::string& value) { return add("Sub", {add("Mul", {value, number(2)}), number(1)}); }
  /// Returns the activation of the cell, which is not clipped. tanh(x) is 2 sigmoid(2 x) - 1. The factor 2 keeps the
  /// argument of the function apart from the cell. So one bootstrap of the cell serves this step and the next.
  std::string activated_cell() {
    if (activation(2).function != "Tanh") return activated(2, cell_, false);
    return of_sigmoid(add("Sigmoid", {add("Mul", {cell_, number(2)})}));
  }

  void step_of_gru() {
    const TensorNames parts = split_gates(activated(0, sum(first_)), 2);
    const std::string &update = parts[0], &reset = parts[1];
    std::string held = state_;
    if (layer_.resets_after_product) held = plus(times_recurrent_weights(state_, last_), reset_bias_);
    if (!held.empty()) held = add("Mul", {reset, held});
    if (!layer_.resets_after_product) held = times_recurrent_weights(held, last_);
    const std::string made = activated(1, plus(plus(times_input_weights(last_), held), last_.bias));
    const std::string change = state_.empty() ? add("Neg", {made}) : add("Sub", {state_, made});
    state_ = add("Add", {made, add("Mul", {update, change})});
  }

  /// Returns 1 for every sample and unit whose sequence has not ended at this step, and 0 for others. Without a name
  /// if all are 1, and kNoSample if all are 0.
  std::string mask() {
    if (layer_.is_full()) return {};
    std::vector<double> ones;
    for (const std::int64_t length : layer_.lengths)
      for (const Direction* lane : lanes_) {
        ones.insert(ones.end(), static_cast<std::size_t>(layer_.hidden), time_of(*lane) < length ? 1.0 : 0.0);
      }
    if (std::ranges::all_of(ones, [](double x) { return x == 1; })) return {};
    if (std::ranges::all_of(ones, [](double x) { return x == 0; })) return kNoSample;
    return constant({1, layer_.batch, units()}, std::move(ones));
  }
  /// Returns the new state of samples whose sequence has not ended, and the old state of others.
  std::string masked(const std::string& mask, const std::string& made, const std::string& old) {
    if (mask.empty()) return made;
    if (old.empty()) return times(mask, made);
    return add("Add", {old, times(mask, add("Sub", {made, old}))});
  }

  NodeChange& change_;
  const RecurrentLayer& layer_;
  const std::vector<const Direction*> lanes_;
  const int type_;
  std::int64_t step_ = 0;
  bool one_function_ = false;
  Gates first_, last_, output_;
  std::string reset_bias_, peepholes_of_first_, peepholes_of_output_, input_, state_, cell_;
  TensorNames states_;
};

/// Writes a recurrent layer out: the steps of its directions, and the outputs that the node has.
class RecurrenceWriter {
 public:
  explicit RecurrenceWriter(NodeChange& change) : change_(change), layer_(change) {
    std::vector<const Direction*> all;
    for (const Direction& direction : layer_.directions) all.push_back(&direction);
    const bool alike = all.front()->activations == all.back()->activations;
    for (const Direction* direction : all)
      if (alike && !groups_.empty())
        groups_.front().push_back(direction);
      else
        groups_.push_back({direction});
  }

  void write() {
    const std::string x = change_.node.input(0);
    const std::string sequence = layer_.batch_first ? turned(x, {1, 0, 2}) : x;
    TensorNames states = first_states(5);
    TensorNames cells = layer_.is("LSTM") ? first_states(6) : TensorNames(groups_.size());
    std::vector<StepWriter> writers;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      writers.emplace_back(change_, layer_, groups_[g]);
      writers.back().write(sequence, states[g], cells[g]);
      states[g] = writers.back().state();
      cells[g] = writers.back().cell();
    }
    if (wants(0)) make(0, all_states(writers));
    if (wants(1)) make(1, last_states(states));
    if (wants(2)) make(2, last_states(cells));
    // The node becomes the last one that was added.
    change_.node = std::move(change_.before.back());
    change_.before.pop_back();
  }

 private:
  bool wants(int output) const { return output < change_.node.output_size() && !change_.node.output(output).empty(); }
  void make(int output, const std::string& tensor) {
    change_.before.push_back(change_.step("Identity", tensor, change_.node.output(output)));
  }
  std::string turned(const std::string& tensor, const Shape& order) {
    return change_.add_before("Transpose", {tensor}, {MakeAttribute("perm", order)});
  }
  std::string joined(const TensorNames& parts, std::int64_t axis) {
    return parts.size() == 1 ? parts[0] : change_.add_before("Concat", parts, {MakeAttribute("axis", axis)});
  }
  std::string zeros(const Shape& shape) {
    const int type = change_.input(0).element_type;
    return change_.around.constant(
        Tensor{shape, std::vector<double>(static_cast<std::size_t>(element_count(shape)), 0.0), false}, type);
  }

  /// Returns the first states of every group, from an input that may be absent. No name if they are zeros.
  TensorNames first_states(int input) {
    if (!change_.has_input(input)) return TensorNames(groups_.size());
    const KnownInput known = change_.input(input);
    const auto count = static_cast<std::int64_t>(layer_.directions.size());
    const Shape wanted =
        layer_.batch_first ? Shape{layer_.batch, count, layer_.hidden} : Shape{count, layer_.batch, layer_.hidden};
    if (known.shape != wanted)
      refuse_node(change_.node,
                  fmt::format("its input {} has the shape {}; it takes {}", input == 5 ? "initial_h" : "initial_c",
                              to_text(known.shape), to_text(wanted)));
    if (known.constant != nullptr && std::ranges::all_of(known.constant->data, [](double x) { return x == 0; }))
      return TensorNames(groups_.size());
    const std::string given = change_.node.input(input);
    const TensorNames states = split_tensor(change_, layer_.batch_first ? turned(given, {1, 0, 2}) : given, 0,
                                            std::vector<std::int64_t>(layer_.directions.size(), 1));
    return groups_.size() == states.size() ? states : TensorNames{joined(states, 2)};
  }

  /// Returns the states of all groups as [directions, samples, units], or with the samples first.
  std::string last_states(const TensorNames& states) {
    TensorNames all;
    for (std::size_t g = 0; g < groups_.size(); ++g)
      for (const std::string& state :
           split_tensor(change_, states[g], 2, std::vector<std::int64_t>(groups_[g].size(), layer_.hidden)))
        all.push_back(state);
    const std::string last = joined(all, 0);
    return layer_.batch_first ? turned(last, {1, 0, 2}) : last;
  }

  /// Returns the states of all steps as [steps, directions, samples, units], or with the samples first.
  std::string all_states(const std::vector<StepWriter>& writers) {
    TensorNames all;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const auto lanes = static_cast<std::int64_t>(groups_[g].size());
      TensorNames states = writers[g].states();
      for (std::string& state : states)
        if (state.empty()) state = zeros({1, layer_.batch, lanes * layer_.hidden});
      const bool both = lanes > 1;
      if (!both && groups_[g][0]->reversed) std::ranges::reverse(states);
      all.push_back(joined(states, 0));
      if (!both) continue;
      const TensorNames forward = split_tensor(change_, all.back(), 2, {layer_.hidden, layer_.hidden});
      std::ranges::reverse(states);
      const TensorNames backward = split_tensor(change_, joined(states, 0), 2, {layer_.hidden, layer_.hidden});
      all = {forward[0], backward[1]};
    }
    for (std::string& direction : all)
      direction = change_.add_before(
          "Unsqueeze", {direction, change_.around.constant({{1}, {1}, true}, ::onnx::TensorProto::INT64)});
    const std::string made = joined(all, 1);
    return layer_.batch_first ? turned(made, {2, 0, 1, 3}) : made;
  }

  NodeChange& change_;
  RecurrentLayer layer_;
  std::vector<std::vector<const Direction*>> groups_;
};

}  // namespace

void recurrence_written_out(NodeChange& change) { RecurrenceWriter(change).write(); }

}  // namespace tacit::graph::onnx
