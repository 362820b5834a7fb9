#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "graph/attribute.h"
#include "graph/onnx/attention_form.h"
#include "graph/onnx/einsum_form.h"
#include "graph/onnx/node_change.h"
#include "graph/onnx/recurrent_form.h"
#include "graph/onnx/refuse_node.h"
#include "graph/onnx/tensor_proto.h"

/// Forms that came with opsets 18 to 28. Attributes that the graph's own form keeps (dilations of AveragePool, axes of
/// Resize) need no entry here; see infer.cpp.
namespace tacit::graph::onnx {
namespace {

using ::onnx::NodeProto;

/// From the front. A refusal names the axis that the model states.
std::int64_t normal_axis(const NodeChange& change, std::int64_t axis, std::int64_t rank) {
  if (axis < -rank || axis >= rank)
    refuse_node(change.node, fmt::format("axis {} is outside [{}, {})", axis, -rank, rank));
  return axis < 0 ? axis + rank : axis;
}

/// The axes of reductions became an input in opset 18; ReduceSum had it before.
void axes_to_attribute(NodeChange& change) {
  const bool none_means_all = change.take_integer("noop_with_empty_axes", 0) == 0;
  std::vector<std::int64_t> axes;
  if (change.has_input(1)) axes = change.constant_input(1, "axes");
  change.drop_inputs(1);
  if (!axes.empty()) {
    change.set("axes", axes);
    return;
  }
  if (none_means_all) return;
  // Each of these is the identity on a single element; the others map it.
  constexpr std::string_view kIdentities[] = {"ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd"};
  if (std::find(std::begin(kIdentities), std::end(kIdentities), change.node.op_type()) == std::end(kIdentities))
    refuse_node(change.node, "noop_with_empty_axes without axes is not supported; name the axes");
  change.take("keepdims");
  change.node.set_op_type("Identity");
}

/// Opset 18 pads the axes that an input names.
void pads_of_all_axes(NodeChange& change) {
  if (!change.has_input(3)) {
    change.drop_inputs(3);
    return;
  }
  const auto rank = static_cast<std::int64_t>(change.input(0).shape.size());
  const std::vector<std::int64_t> pads = change.constant_input(1, "pads"), axes = change.constant_input(3, "axes");
  if (pads.size() != 2 * axes.size())
    refuse_node(change.node, fmt::format("it has {} pads for {} axes", pads.size(), axes.size()));
  std::vector<std::int64_t> all(static_cast<std::size_t>(2 * rank), 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t axis = normal_axis(change, axes[i], rank);
    all[static_cast<std::size_t>(axis)] = pads[i];
    all[static_cast<std::size_t>(axis + rank)] = pads[i + axes.size()];
  }
  change.drop_inputs(3);
  change.set_input(1, all);
}

/// Opset 18 states the number of pieces, the last of which may be smaller.
void lengths_of_pieces(NodeChange& change) {
  const std::int64_t pieces = change.take_integer("num_outputs", change.node.output_size());
  if (change.has_input(1)) return;
  if (pieces != change.node.output_size())
    refuse_node(change.node, fmt::format("it has {} outputs and num_outputs is {}", change.node.output_size(), pieces));
  const Shape shape = change.input(0).shape;
  const auto rank = static_cast<std::int64_t>(shape.size());
  std::int64_t axis = 0;
  for (const auto& attribute : change.node.attribute())
    if (attribute.name() == "axis") axis = attribute.i();
  const std::int64_t extent = shape[static_cast<std::size_t>(normal_axis(change, axis, rank))],
                     length = (extent + pieces - 1) / pieces;
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(pieces), length);
  lengths.back() = extent - length * (pieces - 1);
  if (lengths.back() < 0)
    refuse_node(change.node, fmt::format("an axis of extent {} cannot be split into {} pieces", extent, pieces));
  change.set_input(1, lengths);
}

/// Until opset 21 every group had one scale and one bias; since then every channel has.
void scales_by_channel(NodeChange& change) {
  std::int64_t groups = 0;
  for (const auto& attribute : change.node.attribute())
    if (attribute.name() == "num_groups") groups = attribute.i();
  const Shape shape = change.input(0).shape;
  if (groups < 1 || shape.size() < 2 || shape[1] % groups != 0)
    refuse_node(change.node, fmt::format("{} groups do not fit an input of shape {}", groups, to_text(shape)));
  const std::int64_t channels = shape[1], in_group = channels / groups;
  for (const int i : {1, 2}) {
    const KnownInput known = change.input(i);
    if (known.constant == nullptr || known.constant->size() != groups)
      refuse_node(change.node,
                  fmt::format("its input {} must be a constant with a number for each of {} groups", i, groups));
    Tensor repeated{{channels}, {}, false};
    for (std::int64_t c = 0; c < channels; ++c)
      repeated.data.push_back(known.constant->data[static_cast<std::size_t>(c / in_group)]);
    change.set_input(i, change.around.constant(std::move(repeated), known.element_type));
  }
}

/// Swish of one operand times the other.
void gate_written_out(NodeChange& change) {
  if (change.node.input_size() != 2) refuse_node(change.node, "it takes two inputs");
  const std::string gate = change.around.intermediate();
  NodeProto swish = change.step("Swish", change.node.input(0), gate);
  if (auto alpha = change.take("alpha")) *swish.add_attribute() = *alpha;
  change.before.push_back(std::move(swish));
  change.node.set_op_type("Mul");
  change.set_input(0, gate);
}

/// Operators that converters write although ONNX never had them: 1 - erf(x) and exp(x) - 1.
void complement_written_out(NodeChange& change) {
  const std::string error = change.around.intermediate();
  const int type = change.input(0).element_type;
  const bool complement = change.node.op_type() == "Erfc";
  change.before.push_back(change.step(complement ? "Erf" : "Exp", change.node.input(0), error));
  change.node.set_op_type("Sub");
  change.drop_inputs(0);
  change.set_input(complement ? 0 : 1, 1.0, type);
  change.set_input(complement ? 1 : 0, error);
}

/// The type of another tensor, which the importer knows.
void cast_to_known_type(NodeChange& change) {
  if (change.node.input_size() != 2) refuse_node(change.node, "it takes two inputs");
  const std::int64_t type = change.input(1).element_type;
  change.take("saturate");
  change.take("round_mode");
  change.drop_inputs(1);
  change.node.set_op_type("Cast");
  change.set("to", type);
}

/// Details of 8-bit floating-point types, which are refused where they occur.
void drop_saturation(NodeChange& change) {
  change.take("saturate");
  change.take("round_mode");
}

void refuse_blocks(NodeChange& change) {
  if (change.take_integer("block_size", 0) != 0)
    refuse_node(change.node, "scales of blocks (block_size) are not supported; use one scale, or one for each channel");
}

/// Since opset 21 an attribute may say the type of the result in place of a zero point.
void type_of_quantised(NodeChange& change) {
  change.take("saturate");   // of 8-bit floating-point types
  change.take("precision");  // of the division: that of the scale here
  refuse_blocks(change);
  const auto type = static_cast<int>(change.take_integer("output_dtype", 0));
  if (type == 0 || change.has_input(2)) return;
  if (!is_integral(type))
    refuse_node(change.node, fmt::format("it quantises to {}; integers are supported", type_name(type)));
  Tensor zeros{change.input(1).shape, {}, true};
  zeros.data.assign(static_cast<std::size_t>(element_count(zeros.shape)), 0.0);
  change.set_input(2, change.around.constant(std::move(zeros), type));
}

/// The result has the type of the scale.
void type_of_dequantised(NodeChange& change) {
  refuse_blocks(change);
  const std::int64_t type = change.take_integer("output_dtype", 0);
  if (type == 0 || type == change.input(1).element_type) return;
  const std::string real = change.around.intermediate(), result = change.node.output(0);
  change.node.set_output(0, real);
  NodeChange cast{change.step("Cast", real, result), change.version, change.around};
  cast.set("to", type);
  change.after.push_back(std::move(cast.node));
}

/// In which precision to compute: the reference computes in double precision.
void drop_stash_type(NodeChange& change) { change.take("stash_type"); }

/// A model that was exported to be trained on; whoever runs it here wants inference.
void dropout_in_inference(NodeChange& change) {
  if (change.has_input(2)) {
    const KnownInput mode = change.input(2);
    if (mode.constant == nullptr)
      refuse_node(change.node, "training mode depends on an input; export the model in evaluation mode");
    if (!mode.constant->data.empty() && mode.constant->data[0] != 0)
      change.around.note(
          fmt::format("Dropout '{}' was exported in training mode and is run as in inference: it vanishes",
                      node_label(change.node)));
  }
  change.take("seed");
  change.drop_inputs(1);
}

/// ONNX Runtime puts it into ONNX's own domain.
void simplified_normalisation(NodeChange& change) {
  for (int i = 1; i < change.node.output_size(); ++i)
    if (!change.node.output(i).empty())
      refuse_node(change.node, fmt::format("its output {} ('{}') is not supported: only training needs it", i,
                                           change.node.output(i)));
  while (change.node.output_size() > 1) change.node.mutable_output()->RemoveLast();
  change.take("stash_type");
  change.node.set_op_type("RMSNormalization");
}

constexpr std::string_view kReductions =
    "ReduceL1, ReduceL2, ReduceLogSum, ReduceLogSumExp, ReduceMax, ReduceMean, ReduceMin, ReduceProd, ReduceSumSquare";

constexpr FormChange kNewerForms[] = {
    {"Attention", 23, kEver, attention_written_out},
    {"Cast", 19, kEver, drop_saturation},
    {"CastLike", 15, kEver, cast_to_known_type},
    {"DequantizeLinear", 21, kEver, type_of_dequantised},
    {"Dropout", 12, kEver, dropout_in_inference},
    {"Einsum", 12, kEver, einsum_as_product},
    {"Erfc, Expm1", 1, kEver, complement_written_out},
    {"GRU, LSTM, RNN", 1, kEver, recurrence_written_out},
    {"GroupNormalization", 18, 21, scales_by_channel},
    {"GroupNormalization", 21, kEver, drop_stash_type},
    {"Pad", 18, kEver, pads_of_all_axes},
    {"QuantizeLinear", 19, kEver, type_of_quantised},
    {"RMSNormalization", 23, kEver, drop_stash_type},
    {"Range", 27, kEver, drop_stash_type},
    {kReductions, 18, kEver, axes_to_attribute},
    {"SimplifiedLayerNormalization", 1, kEver, simplified_normalisation},
    {"Split", 18, kEver, lengths_of_pieces},
    {"SwiGLU", 28, kEver, gate_written_out},
};

}  // namespace

std::span<const FormChange> newer_forms() { return kNewerForms; }

}  // namespace tacit::graph::onnx
