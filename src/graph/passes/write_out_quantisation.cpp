#include "graph/passes/write_out_quantisation.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "graph/attribute.h"
#include "graph/declaration.h"
#include "graph/integers.h"
#include "graph/passes/operator_kind.h"
#include "graph/reference/run.h"

namespace tacit::graph::passes {
namespace {

constexpr std::int64_t kFloat = 1;

TensorId input(const Node& node, std::size_t index) {
  return index < node.inputs.size() ? node.inputs[index] : kNoTensor;
}

bool all_equal(const Tensor& tensor, double number) {
  return std::ranges::all_of(tensor.data, [&](double element) { return element == number; });
}

/// True for wide types. Sums and products stay within them in every meaningful network.
bool holds_sums(IntegerType type) { return type == IntegerType::int32 || type == IntegerType::int64; }

/// The axes with separate scales. In a product of matrices they are the rows of the left one and the columns of the
/// right.
constexpr std::int64_t kRows = -2, kColumns = -1, kOutChannels = 0, kChannels = 1;

}  // namespace

TensorId QuantisationWriter::real(TensorId id) {
  if (id == kNoTensor) return id;
  if (const auto found = twins_.find(id); found != twins_.end()) return found->second;
  if (!graph_.tensors[id].integral) return id;
  const std::string name = graph_.tensors[id].name + ".real";
  TensorId twin = kNoTensor;
  if (graph_.is_constant(id)) {
    Tensor copy = graph_.constant(id);
    copy.integral = false;
    twin = editor_.constant(name, std::move(copy));
  } else {
    twin = editor_.step("Cast", name, {id}, graph_.tensors[id].shape, {{"to", kFloat}});
  }
  return twins_[id] = twin;
}

/// Returns the numbers of a scale or a zero point. Null if there is none.
const Tensor* QuantisationWriter::constant(const Node& node, TensorId id) const {
  if (id == kNoTensor) return nullptr;
  if (!graph_.is_constant(id))
    refuse(
        node,
        "its scale or its zero point depends on private data; quantise the model statically, with constants for both");
  return &graph_.constant(id);
}

/// Adds numbers in the shape in which they broadcast: one for all elements, or one for every index of an axis.
TensorId QuantisationWriter::along(const Node& node, const std::string& what, const Tensor& numbers, std::int64_t axis,
                                   const Shape& shape) {
  Tensor aligned{{}, numbers.data, false};
  if (numbers.size() != 1) {
    if (numbers.shape.size() != 1)
      refuse(node, fmt::format("its {} of shape {} is neither one number nor one for every index of an axis", what,
                               graph::to_text(numbers.shape)));
    const std::size_t at = normal_axis(node, axis, shape.size());
    if (numbers.size() != shape[at])
      refuse(node, fmt::format("its {} holds {} numbers, which do not fit axis {} of shape {}", what, numbers.size(),
                               at, graph::to_text(shape)));
    aligned.shape.assign(shape.size() - at, 1);
    aligned.shape[0] = shape[at];
  }
  return editor_.constant(node.name + "." + what, std::move(aligned));
}

/// Adds the real numbers of a tensor: its integers less its zero point, times its scale if it has one.
TensorId QuantisationWriter::dequantised(const Node& node, const std::string& name, TensorId x,
                                         const Scaling& scaling) {
  const Tensor* scale = constant(node, scaling.scale);
  const Tensor* zero = constant(node, scaling.zero);
  const Shape& shape = graph_.tensors.at(x).shape;
  if (graph_.is_constant(x)) {
    const Tensor one{{}, {1}, false};
    const Tensor* operands[] = {&graph_.constant(x), scale == nullptr ? &one : scale, zero};
    const Node call{"DequantizeLinear", node.name, {}, {0}, {{"axis", scaling.axis}}};
    return editor_.constant(name, std::move(reference::evaluate(graph_, call, operands).front()));
  }
  TensorId made = real(x);
  if (zero != nullptr && !all_equal(*zero, 0))
    made = editor_.step("Sub", name + ".centred", {made, along(node, "zero point", *zero, scaling.axis, shape)}, shape);
  if (scale != nullptr)
    made = editor_.step("Mul", name, {made, along(node, "scale", *scale, scaling.axis, shape)}, shape);
  return made;
}

void QuantisationWriter::join(const Node& node, TensorId twin, TensorId integers) {
  twins_[integers] = twin;
  editor_.node("Cast", node.name + ".integers", {twin}, integers,
               {{"to", number_of(graph_.tensors[integers].integers)}});
}

void QuantisationWriter::quantise(const Node& node, TensorId x, const Scaling& scaling, TensorId output) {
  const TensorInfo& info = graph_.tensors.at(output);
  const Shape& shape = info.shape;
  const Tensor* scale = constant(node, scaling.scale);
  const Tensor* zero = constant(node, scaling.zero);
  if (scale == nullptr) refuse(node, "its scale is missing");
  if (std::ranges::find(scale->data, 0.0) != scale->data.end()) refuse(node, "its scale holds a 0");
  TensorId made =
      editor_.step("Div", node.name + ".steps", {x, along(node, "scale", *scale, scaling.axis, shape)}, shape);
  made = editor_.step("Round", node.name, {made}, shape, {{kQuantises, std::int64_t{1}}});
  if (zero != nullptr && !all_equal(*zero, 0))
    made = editor_.step("Add", node.name + ".shifted", {made, along(node, "zero point", *zero, scaling.axis, shape)},
                        shape);
  const IntegerRange range = range_of(info.integers);
  const TensorId lowest = editor_.constant(node.name + ".lowest", {{}, {range.lowest}, false});
  const TensorId highest = editor_.constant(node.name + ".highest", {{}, {range.highest}, false});
  join(node, editor_.step("Clip", node.name + ".saturated", {made, lowest, highest}, shape), output);
}

/// Writes an operator on integers. Its inputs are two tensors, then the zero points of both.
void QuantisationWriter::write_integer_operator(const Node& node, const char* op, std::int64_t left_axis,
                                                std::int64_t right_axis) {
  const TensorId output = node.outputs.at(0);
  const TensorId left =
      dequantised(node, node.name + ".left", node.inputs.at(0), {kNoTensor, input(node, 2), left_axis});
  const TensorId right =
      dequantised(node, node.name + ".right", node.inputs.at(1), {kNoTensor, input(node, 3), right_axis});
  const TensorId twin = editor_.step(op, node.name, {left, right}, editor_.shape(output), node.attributes);
  join(node, twin, output);
}

/// Writes a quantised operator. Its inputs are two tensors with scale and zero point each, scale and zero point of the
/// result, and a bias. The integer 1 of the bias is worth the product of both scales. Scales of the result are along
/// the axis of the left tensor's scales.
void QuantisationWriter::write_quantised_operator(const Node& node, const char* op, const Scaling& left,
                                                  const Scaling& right) {
  const TensorId output = node.outputs.at(0);
  std::vector<TensorId> operands{dequantised(node, node.name + ".left", node.inputs.at(0), left),
                                 dequantised(node, node.name + ".right", node.inputs.at(3), right)};
  if (const TensorId bias = input(node, 8); bias != kNoTensor) {
    const Tensor *units = constant(node, left.scale), *scales = constant(node, right.scale);
    Tensor scaled = graph_.is_constant(bias) ? graph_.constant(bias) : Tensor{};
    if (!graph_.is_constant(bias)) refuse(node, "its bias depends on private data");
    if (units->size() != 1 || (scales->size() != 1 && scales->size() != scaled.size()))
      refuse(node, fmt::format("{} scales do not fit a bias of {} numbers", scales->size(), scaled.size()));
    scaled.integral = false;
    for (std::size_t i = 0; i < scaled.data.size(); ++i)
      scaled.data[i] *= units->data[0] * scales->data[scales->size() == 1 ? 0 : i];
    operands.push_back(editor_.constant(node.name + ".bias", std::move(scaled)));
  }
  const Shape& shape = graph_.tensors.at(output).shape;
  const TensorId product = editor_.step(op, node.name + ".product", std::move(operands), shape, node.attributes);
  quantise(node, product, {node.inputs.at(6), input(node, 7), left.axis}, output);
}

/// Gives results twins if the node moves, chooses or adds integers which have twins.
bool QuantisationWriter::follow(const Node& node) {
  if (node.op == "Cast" && casts_to_real(node) && twins_.contains(node.inputs.at(0))) {
    Node copy = node;
    copy.inputs[0] = twins_.at(node.inputs[0]);
    editor_.copy(std::move(copy));
    return true;
  }
  static const std::set<std::string> kChoices{"Clip", "Max", "MaxPool", "Min", "Relu"}, kSums{"Add", "Mul", "Sub"};
  const bool one_output = node.outputs.size() == 1 || node.op == "Split";
  const bool moves = is(node.op, Class::movement) && !node.op.starts_with("ai.onnx.ml.");
  if (!one_output || node.outputs[0] == kNoTensor || node.op == "Cast") return false;
  const TensorInfo& first = graph_.tensors.at(node.outputs[0]);
  const bool sums = kSums.contains(node.op) && holds_sums(first.integers);
  if (!first.integral || (!moves && !sums && !kChoices.contains(node.op))) return false;
  const std::vector<std::size_t> privates = private_inputs(graph_, node);
  const auto has_twin = [&](std::size_t i) { return twins_.contains(node.inputs[i]); };
  if (privates.empty() || !std::ranges::all_of(privates, has_twin)) return false;
  Node copy = node;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    // The other inputs of a movement are indices and shapes.
    const bool placed = !moves || i == 0 || node.op == "Concat" || (node.op == "Pad" && i == 2);
    if (placed) copy.inputs[i] = real(node.inputs[i]);
  }
  for (TensorId& output : copy.outputs)
    if (output != kNoTensor)
      output = editor_.tensor(graph_.tensors[output].name + ".real", graph_.tensors[output].shape);
  const std::vector<TensorId> made = copy.outputs;
  editor_.copy(std::move(copy));
  for (std::size_t o = 0; o < made.size(); ++o)
    if (made[o] != kNoTensor) join(node, made[o], node.outputs[o]);
  return true;
}

bool QuantisationWriter::write(const Node& node) {
  static const std::set<std::string> kOperators{"ConvInteger", "DequantizeLinear", "MatMulInteger",
                                                "QLinearConv", "QLinearMatMul",    "QuantizeLinear"};
  if (!kOperators.contains(node.op)) return wrote_ && follow(node);
  check_declared(node);
  if (node.outputs.empty() || node.outputs[0] == kNoTensor) return true;  // nobody reads it
  wrote_ = true;
  const auto matrix_axis = [&](std::size_t i) {
    return graph_.tensors.at(node.inputs.at(i)).shape.size() > 1 ? kRows : kColumns;
  };
  const auto axis = [&] { return integer_attribute(node, "axis"); };
  if (node.op == "QuantizeLinear") {
    quantise(node, real(node.inputs.at(0)), {input(node, 1), input(node, 2), axis()}, node.outputs.at(0));
  } else if (node.op == "DequantizeLinear") {
    const TensorId made =
        dequantised(node, node.name + ".real", node.inputs.at(0), {input(node, 1), input(node, 2), axis()});
    editor_.node("Identity", node.name, {made}, node.outputs.at(0));
  } else if (node.op == "MatMulInteger") {
    write_integer_operator(node, "MatMul", matrix_axis(0), kColumns);
  } else if (node.op == "ConvInteger") {
    write_integer_operator(node, "Conv", kChannels, kOutChannels);
  } else if (node.op == "QLinearMatMul") {
    write_quantised_operator(node, "MatMul", {input(node, 1), input(node, 2), matrix_axis(0)},
                             {input(node, 4), input(node, 5), kColumns});
  } else {
    write_quantised_operator(node, "Conv", {input(node, 1), input(node, 2), kChannels},
                             {input(node, 4), input(node, 5), kOutChannels});
  }
  return true;
}

}  // namespace tacit::graph::passes
