#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <utility>

#include "graph/attribute.h"
#include "graph/onnx/node_change.h"
#include "graph/onnx/refuse_node.h"

/// Forms of opsets 1 to 16 that opset 17 no longer has.
namespace tacit::graph::onnx {
namespace {

using ::onnx::AttributeProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;

/// Reshapes the right operand before the node.
void reshape_right_operand(NodeChange& change, const Shape& shape) {
  const std::string reshaped = change.around.intermediate();
  NodeChange reshape{change.step("Reshape", change.node.input(1), reshaped), change.version, change.around};
  reshape.set_input(1, shape);
  change.before.push_back(std::move(reshape.node));
  change.set_input(1, reshaped);
}

/// Before opset 7 the right operand was aligned with the left one's axes from `axis` on, not with the last ones.
void align_right_operand(NodeChange& change) {
  const bool broadcast = change.take_integer("broadcast", 0) != 0;
  const auto axis = change.take("axis");
  if (!broadcast || !axis || change.node.input_size() < 2) return;
  const auto left = static_cast<std::int64_t>(change.input(0).shape.size());
  Shape shape = change.input(1).shape;
  const std::int64_t at = axis->i() < 0 ? axis->i() + left : axis->i();
  const std::int64_t trailing = left - at - static_cast<std::int64_t>(shape.size());
  if (at < 0 || trailing < 0)
    refuse_node(change.node, fmt::format("attribute 'axis' holds {}, which does not fit operands of shapes {} and {}",
                                         axis->i(), to_text(change.input(0).shape), to_text(shape)));
  if (trailing == 0) return;
  shape.insert(shape.end(), static_cast<std::size_t>(trailing), 1);
  reshape_right_operand(change, shape);
}

/// Before opset 7 a slope for each channel was a vector.
void slope_by_channel(NodeChange& change) {
  if (change.node.input_size() < 2) return;
  const Shape slope = change.input(1).shape, input = change.input(0).shape;
  if (slope.size() != 1 || slope[0] == 1 || input.size() < 3) return;
  Shape shape(input.size() - 1, 1);
  shape[0] = slope[0];
  reshape_right_operand(change, shape);
}

void normalise_as_in_inference(NodeChange& change) {
  const bool tests = change.take_integer("is_test", change.version < 7 ? 0 : 1) != 0;
  if (change.take_integer("spatial", 1) == 0)
    refuse_node(change.node, "statistics of every position (spatial = 0) are not supported; use one for each channel");
  bool trains = !tests && change.node.output_size() > 1;
  for (int i = 1; i < change.node.output_size(); ++i) trains = trains || !change.node.output(i).empty();
  if (trains) refuse_node(change.node, "training mode is not supported; export the model in evaluation mode");
  while (change.node.output_size() > 1) change.node.mutable_output()->RemoveLast();
}

void drop_broadcast(NodeChange& change) { change.take("broadcast"); }

/// Once the ratio was an attribute; inference does not need it.
void drop_ratio(NodeChange& change) {
  change.take("ratio");
  change.take("is_test");
}

void type_from_its_name(NodeChange& change) {
  const auto to = change.take("to");
  TensorProto::DataType type = TensorProto::UNDEFINED;
  std::string name = to ? to->s() : std::string();
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
  if (!TensorProto::DataType_Parse(name, &type))
    refuse_node(change.node, fmt::format("attribute 'to' names the unknown type '{}'", name));
  change.set("to", static_cast<std::int64_t>(type));
}

void bounds_to_inputs(NodeChange& change) {
  const int type = change.input(0).element_type;
  const auto low = change.take("min"), high = change.take("max");
  change.drop_inputs(1);
  if (low) change.set_input(1, low->f(), type);
  if (!low && high) change.set_input(1, std::string());
  if (high) change.set_input(2, high->f(), type);
}

void first_axis_by_default(NodeChange& change) { change.set("axis", change.take_integer("axis", 1)); }

/// Before opset 13 all axes from `axis` on were one row.
void rows_of_several_axes(NodeChange& change) {
  const std::int64_t axis = change.take_integer("axis", 1);
  const Shape shape = change.input(0).shape;
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (axis < -rank || axis >= std::max<std::int64_t>(rank, 1))
    refuse_node(change.node, fmt::format("axis {} is outside [{}, {})", axis, -rank, rank));
  change.set("axis", std::int64_t{-1});
  const std::int64_t from = axis < 0 ? axis + rank : axis;
  if (from + 1 >= rank) return;
  const std::string rows = change.around.intermediate(), scores = change.around.intermediate();
  NodeChange flatten{change.step("Flatten", change.node.input(0), rows), change.version, change.around};
  flatten.set("axis", from);
  change.before.push_back(std::move(flatten.node));
  NodeChange back{change.step("Reshape", scores, change.node.output(0)), change.version, change.around};
  back.set_input(1, shape);
  change.after.push_back(std::move(back.node));
  change.set_input(0, rows);
  change.node.set_output(0, scores);
}

void pads_to_inputs(NodeChange& change) {
  const int type = change.input(0).element_type;
  auto pads = change.take_integers("pads");
  if (const auto oldest = change.take_integers("paddings")) pads = oldest;
  const auto value = change.take("value");
  change.drop_inputs(1);
  change.set_input(1, pads.value_or(std::vector<std::int64_t>{}));
  if (value) change.set_input(2, value->f(), type);
}

void shape_to_input(NodeChange& change) {
  change.drop_inputs(1);
  change.set_input(1, change.take_integers("shape").value_or(std::vector<std::int64_t>{}));
}

void bounds_of_slice_to_inputs(NodeChange& change) {
  const auto starts = change.take_integers("starts"), ends = change.take_integers("ends");
  if (!starts || !ends) refuse_node(change.node, "attributes 'starts' and 'ends' are missing");
  const auto axes = change.take_integers("axes");
  change.drop_inputs(1);
  change.set_input(1, *starts);
  change.set_input(2, *ends);
  if (axes) change.set_input(3, *axes);
}

void lengths_to_input(NodeChange& change) {
  if (const auto lengths = change.take_integers("split")) change.set_input(1, *lengths);
}

void axes_to_input(NodeChange& change) {
  const auto axes = change.take_integers("axes");
  change.drop_inputs(1);
  if (axes) change.set_input(1, *axes);
}

void count_to_input(NodeChange& change) {
  const auto count = change.take("k");
  if (!count) refuse_node(change.node, "attribute 'k' is missing");
  change.drop_inputs(1);
  change.set_input(1, std::vector<std::int64_t>{count->i()});
}

/// Repetitions of one axis become those of all. Both inputs had the type of the tensor.
void repeats_of_all_axes(NodeChange& change) {
  const auto rank = static_cast<std::int64_t>(change.input(0).shape.size());
  const auto whole = [&](int index, double highest) {
    const Tensor* constant = change.input(index).constant;
    if (constant == nullptr || constant->size() != 1 || constant->data[0] != std::floor(constant->data[0]) ||
        constant->data[0] < 0 || constant->data[0] > highest)
      refuse_node(change.node, "it repeats one axis of its input, once, by constants");
    return static_cast<std::int64_t>(constant->data[0]);
  };
  std::vector<std::int64_t> repeats(static_cast<std::size_t>(rank), 1);
  const std::int64_t tiles = whole(1, 0x1p31), axis = whole(2, static_cast<double>(rank) - 1);
  repeats[static_cast<std::size_t>(axis)] = tiles;
  change.drop_inputs(2);
  change.set_input(1, repeats);
}

void whole_order(NodeChange& change) {
  const auto order = change.take("p");
  if (!order) return;
  const double p = order->type() == AttributeProto::FLOAT ? order->f() : static_cast<double>(order->i());
  if (p != static_cast<double>(static_cast<std::int64_t>(p)))
    refuse_node(change.node, fmt::format("the order {} is not a whole number", p));
  change.set("p", static_cast<std::int64_t>(p));
}

/// The constants of opset 1 had fewer digits.
void constants_of_few_digits(NodeChange& change) {
  for (const auto& [name, value] : {std::pair{"alpha", 1.6732F}, {"gamma", 1.0507F}})
    if (auto given = change.take(name))
      *change.node.add_attribute() = *given;
    else
      change.set(name, value);
}

void scatter_renamed(NodeChange& change) { change.node.set_op_type("ScatterElements"); }

/// Upsample, and Resize before opset 11, place output position o at o / scale, and take the nearest one below; where
/// the tensor shrinks, the nearest one above, as ONNX Runtime and the conformance case of opset 10 do.
void enlarge_by_scales(NodeChange& change) {
  bool nearest = change.node.op_type() == "Resize";
  for (const AttributeProto& attribute : change.node.attribute())
    if (attribute.name() == "mode") nearest = nearest && attribute.s() == "nearest";
  if (change.node.op_type() == "Upsample") {
    const auto scales = change.take("scales");
    const auto width = change.take("width_scale"), height = change.take("height_scale");
    if (scales) change.set_input(1, std::vector<double>(scales->floats().begin(), scales->floats().end()));
    if (!scales && width && height) change.set_input(1, std::vector<double>{1, 1, height->f(), width->f()});
    if (const auto mode = change.take("mode")) change.set("mode", mode->s() == "bilinear" ? "linear" : mode->s());
  }
  if (!change.has_input(1)) refuse_node(change.node, "its scales are missing");
  bool grows = false, shrinks = false;
  if (const Tensor* factors = change.input(1).constant; factors != nullptr && nearest)
    for (const double factor : factors->data) {
      grows = grows || factor > 1;
      shrinks = shrinks || factor < 1;
    }
  if (grows && shrinks) refuse_node(change.node, "it enlarges one axis and shrinks another; resize them one by one");
  change.node.set_op_type("Resize");
  const std::string scales = change.node.input(1);
  change.drop_inputs(1);
  change.set_input(1, std::string());
  change.set_input(2, scales);
  change.set("coordinate_transformation_mode", std::string("asymmetric"));
  change.set("nearest_mode", std::string(shrinks ? "ceil" : "floor"));
}

constexpr FormChange kOlderForms[] = {
    {"Add, And, Div, Equal, Greater, Less, Mul, Or, Pow, Sub, Xor", 1, 7, align_right_operand},
    {"BatchNormalization", 1, 14, normalise_as_in_inference},
    {"Cast", 1, 6, type_from_its_name},
    {"Clip", 1, 11, bounds_to_inputs},
    {"Concat", 1, 4, first_axis_by_default},
    {"Dropout", 1, 12, drop_ratio},
    {"Gemm", 1, 7, drop_broadcast},
    {"GlobalLpPool, LpPool", 1, 2, whole_order},
    {"Hardmax, LogSoftmax, Softmax", 1, 13, rows_of_several_axes},
    {"PRelu", 1, 7, slope_by_channel},
    {"Pad", 1, 11, pads_to_inputs},
    {"ReduceSum, Squeeze, Unsqueeze", 1, 13, axes_to_input},
    {"Reshape", 1, 5, shape_to_input},
    {"Resize", 10, 11, enlarge_by_scales},
    {"Scatter", 9, 11, scatter_renamed},
    {"Selu", 1, 6, constants_of_few_digits},
    {"Slice", 1, 10, bounds_of_slice_to_inputs},
    {"Split", 1, 13, lengths_to_input},
    {"Tile", 1, 6, repeats_of_all_axes},
    {"TopK", 1, 10, count_to_input},
    {"Upsample", 1, kEver, enlarge_by_scales},
};

}  // namespace

std::span<const FormChange> older_forms() { return kOlderForms; }

}  // namespace tacit::graph::onnx
