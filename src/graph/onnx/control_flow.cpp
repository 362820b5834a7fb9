#include "graph/onnx/control_flow.h"

#include <fmt/format.h>
#include <onnx/defs/attr_proto_util.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "graph/attribute.h"
#include "graph/declaration.h"
#include "graph/onnx/opsets.h"
#include "graph/onnx/refuse_node.h"
#include "graph/onnx/tensor_proto.h"

namespace tacit::graph::onnx {
namespace {

using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::MakeAttribute;
using ::onnx::NodeProto;
using ::onnx::TensorProto;

/// Nodes that all unrolled rounds of a model may have together.
constexpr std::size_t kMostUnrolled = std::size_t{1} << 14;
constexpr std::int64_t kOldestScan = 9;

/// Operators that are the same for all rows at once, after an axis for the rows was put in front.
constexpr std::string_view kByElement =
    "Abs, Add, Div, Exp, Identity, Log, Max, Min, Mul, Neg, Pow, Reciprocal, Relu, Sqrt, Sub";
constexpr std::string_view kOverAxes =
    "ReduceL1, ReduceL2, ReduceMax, ReduceMean, ReduceMin, ReduceSum, ReduceSumSquare";

std::int64_t integer_of(const NodeProto& node, const std::string& name, std::int64_t fallback) {
  for (const AttributeProto& attribute : node.attribute())
    if (attribute.name() == name) return attribute.i();
  return fallback;
}

bool all_zero(const NodeProto& node, const std::string& name) {
  for (const AttributeProto& attribute : node.attribute())
    if (attribute.name() == name)
      return std::ranges::all_of(attribute.ints(), [](std::int64_t number) { return number == 0; });
  return true;
}

Tensor whole_numbers(std::vector<double> numbers) {
  return {{static_cast<std::int64_t>(numbers.size())}, std::move(numbers), true};
}

/// True if output `o` of the network is its input `i`, unchanged.
bool passes_through(const GraphProto& body, int o, int i) {
  std::map<std::string, std::string> copies;
  for (const NodeProto& node : body.node())
    if (node.op_type() == "Identity" && node.input_size() == 1) copies[node.output(0)] = node.input(0);
  std::string name = body.output(o).name();
  for (int steps = 0; steps <= body.node_size() && copies.contains(name); ++steps) name = copies.at(name);
  return name == body.input(i).name();
}

}  // namespace

void ControlFlow::write(const NodeProto& node, std::int64_t version) {
  if (node.op_type() == "If") return write_choice(node);
  if (node.op_type() == "Loop") return write_loop(node);
  if (version < kOldestScan)
    refuse_node(node, "Scan of opset 8 has batches of its own; export the model for opset 9 or later");
  write_scan(node);
}

Body ControlFlow::open(const NodeProto& node, const std::string& attribute) {
  Body body(body_of(node, attribute), fmt::format("{}.body{}/", node_label(node), ++bodies_));
  for (const auto& [name, weights] : body.weights()) host_.define(name, *weights);
  return body;
}

std::vector<std::string> ControlFlow::run(const NodeProto& node, Body& body, const std::vector<std::string>& inputs) {
  unrolled_ += body.size() + 1;
  if (unrolled_ > kMostUnrolled)
    refuse_node(node, fmt::format("its rounds have more than {} nodes together, and that is the most; compute fewer "
                                  "rounds, or export the model with operators on whole tensors",
                                  kMostUnrolled));
  const Body::Copy copy = body.copy(inputs);
  for (const NodeProto& made : copy.nodes) host_.add(made);
  return copy.outputs;
}

std::string ControlFlow::step(const NodeProto& node, const char* op, const std::vector<std::string>& inputs,
                              const std::vector<AttributeProto>& attributes) {
  NodeProto made;
  made.set_op_type(op);
  made.set_name(node_label(node));
  for (const std::string& input : inputs) made.add_input(input);
  made.add_output(host_.around.intermediate());
  for (const AttributeProto& attribute : attributes) *made.add_attribute() = attribute;
  host_.place(made);
  return made.output(0);
}

void ControlFlow::name(const NodeProto& node, const std::string& tensor, int output) {
  if (output >= node.output_size() || node.output(output).empty()) return;
  NodeProto made;
  made.set_op_type("Identity");
  made.set_name(node_label(node));
  made.add_input(tensor);
  made.add_output(node.output(output));
  host_.place(made);
}

void ControlFlow::stack(const NodeProto& node, const std::vector<std::string>& parts, int output) {
  if (output >= node.output_size() || node.output(output).empty()) return;
  const std::string front = host_.around.constant(whole_numbers({0}), TensorProto::INT64);
  std::vector<std::string> rows;
  for (const std::string& part : parts) rows.push_back(step(node, "Unsqueeze", {part, front}));
  name(node, rows.size() == 1 ? rows[0] : step(node, "Concat", rows, {MakeAttribute("axis", std::int64_t{0})}), output);
}

void ControlFlow::write_choice(const NodeProto& node) {
  if (node.input_size() != 1) refuse_node(node, "it takes a condition");
  const KnownInput condition = host_.around.known(node.input(0));
  if (element_count(condition.shape) != 1)
    refuse_node(node, fmt::format("its condition of shape {} is not one truth value", to_text(condition.shape)));
  if (condition.constant != nullptr) {
    Body body = open(node, condition.constant->data.at(0) != 0 ? "then_branch" : "else_branch");
    const std::vector<std::string> results = run(node, body, {});
    for (std::size_t i = 0; i < results.size(); ++i) name(node, results[i], static_cast<int>(i));
    return;
  }
  Body taken = open(node, "then_branch"), other = open(node, "else_branch");
  const std::vector<std::string> yes = run(node, taken, {}), no = run(node, other, {});
  if (yes.size() != no.size()) refuse_node(node, "its branches do not give as many results as each other");
  std::string flag = node.input(0);
  if (!condition.shape.empty())
    flag = step(node, "Reshape", {flag, host_.around.constant(whole_numbers({}), TensorProto::INT64)});
  for (std::size_t i = 0; i < yes.size(); ++i) {
    const KnownInput a = host_.around.known(yes[i]), b = host_.around.known(no[i]);
    if (a.shape != b.shape || a.element_type != b.element_type)
      refuse_node(node, fmt::format("its condition depends on private data, and its branches give shapes {} and {}; "
                                    "export the model with a constant condition, or with branches of one shape",
                                    to_text(a.shape), to_text(b.shape)));
    name(node, step(node, "Where", {flag, yes[i], no[i]}), static_cast<int>(i));
  }
}

void ControlFlow::write_scan(const NodeProto& node) {
  const GraphProto& proto = body_of(node, "body");
  const auto scanned = static_cast<int>(integer_of(node, "num_scan_inputs", 0));
  const int states = node.input_size() - scanned;
  if (scanned < 1 || states < 0 || proto.input_size() != node.input_size() || proto.output_size() < states)
    refuse_node(node, fmt::format("its network takes {} inputs and it has {}", proto.input_size(), node.input_size()));
  for (const char* attribute :
       {"scan_input_axes", "scan_output_axes", "scan_input_directions", "scan_output_directions"})
    if (!all_zero(node, attribute))
      refuse_node(node, fmt::format("attribute '{}' must be 0: rows are those of the first axis, in their order; "
                                    "transpose in front of it",
                                    attribute));
  std::int64_t rows = -1;
  for (int i = states; i < node.input_size(); ++i) {
    const Shape shape = host_.around.known(node.input(i)).shape;
    if (shape.empty() || shape[0] < 1 || (rows >= 0 && shape[0] != rows))
      refuse_node(node,
                  fmt::format("its input {} of shape {} does not hold as many rows as the others", i, to_text(shape)));
    rows = shape[0];
  }
  if (write_mapped(node, proto, states, rows)) return;
  Body body = open(node, "body");
  std::vector<std::string> state(node.input().begin(), node.input().begin() + states);
  std::vector<std::vector<std::string>> results(static_cast<std::size_t>(proto.output_size() - states));
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::string at = host_.around.constant({{}, {static_cast<double>(row)}, true}, TensorProto::INT64);
    std::vector<std::string> inputs = state;
    for (int i = states; i < node.input_size(); ++i)
      inputs.push_back(step(node, "Gather", {node.input(i), at}, {MakeAttribute("axis", std::int64_t{0})}));
    const std::vector<std::string> made = run(node, body, inputs);
    state.assign(made.begin(), made.begin() + states);
    for (std::size_t k = 0; k < results.size(); ++k) results[k].push_back(made[static_cast<std::size_t>(states) + k]);
  }
  for (int i = 0; i < states; ++i) name(node, state[static_cast<std::size_t>(i)], i);
  for (std::size_t k = 0; k < results.size(); ++k) stack(node, results[k], states + static_cast<int>(k));
}

bool ControlFlow::write_mapped(const NodeProto& node, const GraphProto& proto, int states, std::int64_t rows) {
  for (int i = 0; i < states; ++i)
    if (!passes_through(proto, i, i)) return false;
  // A tensor whose rows are taken is not read as a whole beside them.
  std::set<std::string> whole(node.input().begin(), node.input().begin() + states);
  for_each_captured(node, [&](const std::string& tensor) { whole.insert(tensor); });
  for (int i = states; i < node.input_size(); ++i)
    if (whole.contains(node.input(i))) return false;
  std::set<std::string> by_row;  // tensors with an axis for the rows
  for (int i = states; i < proto.input_size(); ++i) by_row.insert(proto.input(i).name());
  for (const NodeProto& inside : proto.node()) {
    const bool known = is_default_domain(inside.domain()) && inside.output_size() == 1 &&
                       (choice_of(kByElement, inside.op_type()) || choice_of(kOverAxes, inside.op_type()));
    if (!known) return false;
    if (std::ranges::any_of(inside.input(), [&](const std::string& input) { return by_row.contains(input); }))
      by_row.insert(inside.output(0));
  }
  for (int o = states; o < proto.output_size(); ++o)
    if (!by_row.contains(proto.output(o).name())) return false;

  Body body = open(node, "body");
  const Body::Copy copy = body.copy({node.input().begin(), node.input().end()});
  std::set<std::string> tall;  // as by_row, by the new names
  for (int i = states; i < node.input_size(); ++i) tall.insert(node.input(i));
  const auto rank_in_body = [&](const std::string& tensor) {
    return host_.around.known(tensor).shape.size() - (tall.contains(tensor) ? 1 : 0);
  };
  const auto shifted = [&](NodeProto& made) {
    const auto rank = static_cast<std::int64_t>(rank_in_body(made.input(0)));
    std::vector<std::int64_t> axes;
    for (int a = 0; a < made.attribute_size(); ++a)
      if (made.attribute(a).name() == "axes") {
        axes.assign(made.attribute(a).ints().begin(), made.attribute(a).ints().end());
        made.mutable_attribute()->DeleteSubrange(a, 1);
        break;
      }
    const bool sums = made.op_type() == "ReduceSum";
    if (sums && made.input_size() > 1 && !made.input(1).empty()) {
      const KnownInput list = host_.around.known(made.input(1));
      if (list.constant == nullptr) refuse_node(node, "axes of a sum in its network depend on private data");
      axes.assign(list.constant->data.begin(), list.constant->data.end());
    }
    if (axes.empty())
      for (std::int64_t axis = 0; axis < rank; ++axis) axes.push_back(axis);
    for (std::int64_t& axis : axes) axis = axis < 0 ? axis : axis + 1;
    if (!sums) return void(*made.add_attribute() = MakeAttribute("axes", axes));
    while (made.input_size() > 1) made.mutable_input()->RemoveLast();
    made.add_input(host_.around.constant(whole_numbers({axes.begin(), axes.end()}), TensorProto::INT64));
  };
  for (const NodeProto& inside : copy.nodes)
    for (NodeProto made : host_.adapted(inside)) {
      if (std::ranges::any_of(made.input(), [&](const std::string& input) { return tall.contains(input); })) {
        if (choice_of(kOverAxes, made.op_type())) {
          shifted(made);
        } else {
          std::size_t rank = 0;
          for (const std::string& input : made.input()) rank = std::max(rank, rank_in_body(input));
          for (std::string& input : *made.mutable_input()) {
            const std::size_t own = rank_in_body(input);
            if (!tall.contains(input) || own == rank) continue;
            const Shape shape = host_.around.known(input).shape;
            std::vector<double> taller(1 + rank - own, 1);
            taller[0] = static_cast<double>(rows);
            taller.insert(taller.end(), shape.begin() + 1, shape.end());
            input = step(node, "Reshape",
                         {input, host_.around.constant(whole_numbers(std::move(taller)), TensorProto::INT64)});
          }
        }
        tall.insert(made.output(0));
      }
      host_.place(made);
    }
  for (int o = 0; o < proto.output_size(); ++o)
    name(node, o < states ? node.input(o) : copy.outputs[static_cast<std::size_t>(o)], o);
  return true;
}

void ControlFlow::write_loop(const NodeProto& node) {
  const GraphProto& proto = body_of(node, "body");
  const int states = node.input_size() - 2;
  if (states < 0 || proto.input_size() != node.input_size() || proto.output_size() < states + 1)
    refuse_node(node, fmt::format("its network takes {} inputs and it has {}", proto.input_size(), node.input_size()));
  const auto constant = [&](const std::string& tensor, const char* what) -> std::optional<double> {
    if (tensor.empty()) return std::nullopt;
    const KnownInput known = host_.around.known(tensor);
    if (known.constant == nullptr)
      refuse_node(node, fmt::format("its {} depends on private data, which would show in how long it takes; export the "
                                    "model with a constant number of rounds",
                                    what));
    if (known.constant->size() != 1) refuse_node(node, fmt::format("its {} is not one value", what));
    return known.constant->data[0];
  };
  const std::optional<double> rounds = constant(node.input(0), "number of rounds");
  bool goes_on = constant(node.input(1), "condition").value_or(1) != 0;
  std::string condition = node.input(1);
  if (condition.empty()) condition = host_.around.constant({{}, {1}, true}, TensorProto::BOOL);
  Body body = open(node, "body");
  std::vector<std::string> state(node.input().begin() + 2, node.input().end());
  std::vector<std::vector<std::string>> results(static_cast<std::size_t>(proto.output_size() - 1 - states));
  for (double round = 0; goes_on && (!rounds || round < *rounds); ++round) {
    std::vector<std::string> inputs{host_.around.constant({{}, {round}, true}, TensorProto::INT64), condition};
    inputs.insert(inputs.end(), state.begin(), state.end());
    const std::vector<std::string> made = run(node, body, inputs);
    condition = made[0];
    state.assign(made.begin() + 1, made.begin() + 1 + states);
    for (std::size_t k = 0; k < results.size(); ++k)
      results[k].push_back(made[static_cast<std::size_t>(states) + 1 + k]);
    goes_on = constant(condition, "condition").value_or(1) != 0;
  }
  for (int i = 0; i < states; ++i) name(node, state[static_cast<std::size_t>(i)], i);
  for (std::size_t k = 0; k < results.size(); ++k) {
    const int output = states + static_cast<int>(k);
    if (results[k].empty() && output < node.output_size() && !node.output(output).empty())
      refuse_node(node, fmt::format("it runs no round, so that its output '{}' is empty", node.output(output)));
    stack(node, results[k], output);
  }
}

}  // namespace tacit::graph::onnx
