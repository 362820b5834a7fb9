#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <numeric>

#include "graph/attribute.h"
#include "graph/onnx/node_change.h"
#include "graph/onnx/refuse_node.h"
#include "graph/onnx/tensor_proto.h"

/// Operators that ONNX Runtime adds to ONNX (domain com.microsoft), written out as operators of ONNX. Its quantiser and
/// its optimiser write them.
namespace tacit::graph::onnx {
namespace {

using ::onnx::AttributeProto;
using ::onnx::MakeAttribute;
using ::onnx::NodeProto;
using ::onnx::TensorProto;

constexpr std::int64_t kChannels = 1;

std::string text_attribute(NodeChange& change, const std::string& name) {
  const auto attribute = change.take(name);
  return attribute ? attribute->s() : std::string();
}

double real_attribute(NodeChange& change, const std::string& name, float fallback) {
  const auto attribute = change.take(name);
  return attribute ? attribute->f() : fallback;
}

/// The name of input `index`; empty where it is absent.
std::string operand(const NodeChange& change, int index) {
  return change.has_input(index) ? change.node.input(index) : std::string();
}

/// The real numbers that input `index` stands for. Its scale and its zero point follow it.
std::string dequantised(NodeChange& change, int index, std::int64_t axis = kChannels) {
  if (!change.has_input(index) || !change.has_input(index + 1))
    refuse_node(change.node,
                fmt::format("its inputs {} and {}, a tensor and its scale, are missing", index, index + 1));
  std::vector<std::string> inputs{operand(change, index), operand(change, index + 1)};
  if (change.has_input(index + 2)) inputs.push_back(operand(change, index + 2));
  return change.add_before("DequantizeLinear", inputs, {MakeAttribute("axis", axis)});
}

/// The node's result becomes real; a node after it quantises it with the scale and the zero point that are inputs
/// `scale` and `scale + 1`. Without a zero point, it has the element type of input `like`. Call it before `becomes`.
void quantise_result(NodeChange& change, int scale, int like = 0) {
  if (!change.has_input(scale)) refuse_node(change.node, "the scale of its result is missing");
  const std::string real = change.around.intermediate(), result = change.node.output(0);
  std::string zero = operand(change, scale + 1);
  if (zero.empty()) zero = change.around.constant({{}, {0}, true}, change.input(like).element_type);
  NodeProto made = change.step("QuantizeLinear", real, result);
  made.add_input(operand(change, scale));
  made.add_input(zero);
  change.node.set_output(0, real);
  change.after.insert(change.after.begin(), std::move(made));
}

void refuse_more_outputs(const NodeChange& change, int most) {
  for (int i = most; i < change.node.output_size(); ++i)
    if (!change.node.output(i).empty())
      refuse_node(change.node, fmt::format("its output {} ('{}') is not supported: only training needs it", i,
                                           change.node.output(i)));
}

void keep_outputs(NodeChange& change, int count) {
  while (change.node.output_size() > count) change.node.mutable_output()->RemoveLast();
}

/// QLinearAdd and QLinearMul.
template <const char* const* Op>
void quantised_pair(NodeChange& change) {
  const std::string left = dequantised(change, 0), right = dequantised(change, 3);
  quantise_result(change, 6);
  change.become(*Op, {left, right});
}

constexpr const char* kAdd = "Add";
constexpr const char* kMul = "Mul";

/// A function of one quantised tensor: QLinearSigmoid, QLinearLeakyRelu.
void quantised_function(NodeChange& change) {
  const bool leaky = change.node.op_type() == "QLinearLeakyRelu";
  const auto alpha = static_cast<float>(real_attribute(change, "alpha", 0.01F));
  const std::string x = dequantised(change, 0);
  quantise_result(change, 3);
  if (leaky)
    change.become("LeakyRelu", {x}, {MakeAttribute("alpha", alpha)});
  else
    change.become("Sigmoid", {x});
}

void quantised_softmax(NodeChange& change) {
  const std::int64_t axis = change.take_integer("axis", -1), opset = change.take_integer("opset", 13);
  const auto rank = static_cast<std::int64_t>(change.input(0).shape.size());
  constexpr std::int64_t kAlongOneAxis = 13;
  if (opset < kAlongOneAxis && axis != -1 && axis != rank - 1)
    refuse_node(change.node,
                "it works on several axes at once, as before opset 13; export the model for opset 13 or later");
  const std::string x = dequantised(change, 0);
  quantise_result(change, 3);
  change.become("Softmax", {x}, {MakeAttribute("axis", axis)});
}

/// Pooling of quantised tensors, whose channels may be last.
void quantised_pool(NodeChange& change) {
  const bool global = change.node.op_type() == "QLinearGlobalAveragePool";
  const bool last = change.take_integer("channels_last", 0) != 0;
  const auto rank = static_cast<std::int64_t>(change.input(0).shape.size());
  std::string x = dequantised(change, 0);
  quantise_result(change, 3);
  const std::vector<AttributeProto> attributes(change.node.attribute().begin(), change.node.attribute().end());
  const char* pool = global ? "GlobalAveragePool" : "AveragePool";
  if (!last) return change.become(pool, {x}, attributes);
  std::vector<std::int64_t> first{0, rank - 1}, back{0};
  for (std::int64_t axis = 1; axis + 1 < rank; ++axis) first.push_back(axis);
  for (std::int64_t axis = 2; axis < rank; ++axis) back.push_back(axis);
  back.push_back(1);
  x = change.add_before("Transpose", {x}, {MakeAttribute("perm", first)});
  x = change.add_before(pool, {x}, attributes);
  change.become("Transpose", {x}, {MakeAttribute("perm", back)});
}

void quantised_mean(NodeChange& change) {
  const auto axes = change.take_integers("axes");
  const std::int64_t keep = change.take_integer("keepdims", 1);
  const std::string x = dequantised(change, 0);
  quantise_result(change, 3);
  std::vector<AttributeProto> attributes{MakeAttribute("keepdims", keep)};
  if (axes) attributes.push_back(MakeAttribute("axes", *axes));
  change.become("ReduceMean", {x}, attributes);
}

/// Scale and zero point of the result come first, then three inputs for every tensor.
void quantised_concat(NodeChange& change) {
  constexpr int kFirst = 2, kOfEach = 3;
  const std::int64_t axis = change.take_integer("axis", 1);
  std::vector<std::string> parts;
  for (int i = kFirst; i < change.node.input_size(); i += kOfEach) parts.push_back(dequantised(change, i));
  if (parts.empty()) refuse_node(change.node, "it joins no tensors");
  quantise_result(change, 0, kFirst);
  change.become("Concat", parts, {MakeAttribute("axis", axis)});
}

void quantised_choice(NodeChange& change) {
  const std::string condition = operand(change, 0), x = dequantised(change, 1), y = dequantised(change, 4);
  quantise_result(change, 7, 1);
  change.become("Where", {condition, x, y});
}

/// The bias of QGemm holds whole numbers, of which 1 is worth alpha times both scales.
std::string bias_of_product(NodeChange& change, double alpha) {
  const KnownInput bias = change.input(6), left = change.input(1), right = change.input(4);
  if (bias.constant == nullptr || left.constant == nullptr || right.constant == nullptr)
    refuse_node(change.node, "its bias or a scale depends on private data; quantise the model statically");
  const std::vector<double>&units = left.constant->data, &scales = right.constant->data;
  const std::vector<double>& whole = bias.constant->data;
  if (units.size() != 1 || scales.empty() || whole.empty() ||
      (scales.size() != 1 && whole.size() != 1 && whole.size() % scales.size() != 0))
    refuse_node(change.node,
                fmt::format("a bias of {} numbers does not fit {} scales of its columns", whole.size(), scales.size()));
  Tensor real{bias.shape, {}, false};
  if (scales.size() > whole.size()) real.shape = {static_cast<std::int64_t>(scales.size())};
  for (std::size_t i = 0; i < std::max(whole.size(), scales.size()); ++i)
    real.data.push_back(alpha * units[0] * scales[i % scales.size()] * whole[i % whole.size()]);
  return change.around.constant(std::move(real), TensorProto::FLOAT);
}

void quantised_gemm(NodeChange& change) {
  constexpr int kScaleOfResult = 7;
  const auto alpha = static_cast<float>(real_attribute(change, "alpha", 1));
  const std::int64_t left = change.take_integer("transA", 0), right = change.take_integer("transB", 0);
  std::vector<std::string> inputs{dequantised(change, 0), dequantised(change, 3, right != 0 ? 0 : 1)};
  if (change.has_input(6)) inputs.push_back(bias_of_product(change, alpha));
  if (change.has_input(kScaleOfResult)) quantise_result(change, kScaleOfResult);
  change.become("Gemm", inputs,
                {MakeAttribute("alpha", alpha), MakeAttribute("transA", left), MakeAttribute("transB", right)});
}

/// The function that a fused layer ends with, as a node after this one. `parameters` are in the order of ONNX's
/// attributes, or the bounds of a Clip.
void activate(NodeChange& change, const std::string& name, const std::vector<float>& parameters) {
  if (name.empty()) return;
  const std::string real = change.around.intermediate(), result = change.node.output(0);
  NodeProto made = change.step(name.c_str(), real, result);
  const auto parameter = [&](std::size_t i, const char* attribute) {
    if (i < parameters.size()) *made.add_attribute() = MakeAttribute(attribute, parameters[i]);
  };
  if (name == "LeakyRelu") {
    parameter(0, "alpha");
  } else if (name == "HardSigmoid") {
    parameter(0, "alpha");
    parameter(1, "beta");
  } else if (name == "Clip") {
    if (parameters.size() != 2) refuse_node(change.node, "its activation Clip needs two bounds");
    for (const float bound : parameters)
      made.add_input(change.around.constant({{}, {bound}, false}, TensorProto::FLOAT));
  } else if (name != "Relu" && name != "Sigmoid" && name != "Tanh") {
    refuse_node(change.node, fmt::format("its activation '{}' is not supported; save the model before it is optimised "
                                         "(graph_optimization_level = ORT_ENABLE_BASIC)",
                                         name));
  }
  change.node.set_output(0, real);
  change.after.insert(change.after.begin(), std::move(made));
}

void fused_gemm(NodeChange& change) {
  const std::string activation = text_attribute(change, "activation");
  std::vector<float> parameters;
  for (const char* name : {"activation_alpha", "activation_beta", "activation_gamma"})
    if (const auto parameter = change.take(name)) parameters.push_back(parameter->f());
  change.node.set_op_type("Gemm");
  change.node.clear_domain();
  activate(change, activation, parameters);
}

/// A fourth input is added before the activation.
void fused_convolution(NodeChange& change) {
  constexpr int kSummand = 3;
  const std::string activation = text_attribute(change, "activation"), summand = operand(change, kSummand);
  std::vector<float> parameters;
  if (const auto given = change.take("activation_params"))
    parameters.assign(given->floats().begin(), given->floats().end());
  activate(change, activation, parameters);
  const std::vector<AttributeProto> attributes(change.node.attribute().begin(), change.node.attribute().end());
  std::vector<std::string> inputs{operand(change, 0), operand(change, 1)};
  if (change.has_input(2)) inputs.push_back(operand(change, 2));
  if (summand.empty()) return change.become("Conv", inputs, attributes);
  const std::string sum = change.add_before("Conv", inputs, attributes);
  change.become("Add", {sum, summand});
}

/// Matrices that may be transposed, times a number.
void fused_product(NodeChange& change) {
  const auto alpha = static_cast<float>(real_attribute(change, "alpha", 1));
  const bool transposed[] = {change.take_integer("transA", 0) != 0, change.take_integer("transB", 0) != 0};
  if (change.take_integer("transBatchA", 0) != 0 || change.take_integer("transBatchB", 0) != 0)
    refuse_node(change.node,
                "it moves the axes of a batch (transBatchA, transBatchB); save the model before it is "
                "optimised (graph_optimization_level = ORT_ENABLE_BASIC)");
  std::vector<std::string> operands;
  for (const int i : {0, 1}) {
    operands.push_back(operand(change, i));
    const std::size_t rank = change.input(i).shape.size();
    if (!transposed[i] || rank < 2) continue;
    std::vector<std::int64_t> order(rank);
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[rank - 1], order[rank - 2]);
    operands.back() = change.add_before("Transpose", {operands.back()}, {MakeAttribute("perm", order)});
  }
  if (alpha == 1) return change.become("MatMul", operands);
  const std::string product = change.add_before("MatMul", operands);
  const std::string factor = change.around.constant({{}, {alpha}, false}, change.input(0).element_type);
  change.become("Mul", {product, factor});
}

/// Gelu, FastGelu and BiasGelu; the two last ones may add a bias first.
void gelu(NodeChange& change) {
  const bool fast = change.node.op_type() == "FastGelu";
  std::string x = operand(change, 0);
  if (change.has_input(1)) x = change.add_before("Add", {x, operand(change, 1)});
  change.become("Gelu", {x}, {MakeAttribute("approximate", std::string(fast ? "tanh" : "none"))});
}

void quick_gelu(NodeChange& change) {
  const auto alpha = static_cast<float>(real_attribute(change, "alpha", 1.702F));
  change.become("Swish", {operand(change, 0)}, {MakeAttribute("alpha", alpha)});
}

/// The sum of a layer's input and its result, normalised. A fourth output is the sum.
void normalised_sum(NodeChange& change) {
  constexpr int kSum = 3;
  const bool simplified = change.node.op_type() == "SkipSimplifiedLayerNormalization";
  const auto epsilon = static_cast<float>(real_attribute(change, "epsilon", 1e-12F));
  for (const int i : {1, 2})
    if (i < change.node.output_size() && !change.node.output(i).empty())
      refuse_node(change.node, fmt::format("its output {} ('{}') is not supported: only training needs it", i,
                                           change.node.output(i)));
  const int shift = simplified ? -1 : 3, bias = simplified ? 3 : 4;
  std::string sum = change.add_before("Add", {operand(change, 0), operand(change, 1)});
  if (change.has_input(bias)) sum = change.add_before("Add", {sum, operand(change, bias)});
  if (kSum < change.node.output_size() && !change.node.output(kSum).empty())
    change.after.push_back(change.step("Identity", sum, change.node.output(kSum)));
  keep_outputs(change, 1);
  std::vector<std::string> inputs{sum, operand(change, 2)};
  if (shift > 0 && change.has_input(shift)) inputs.push_back(operand(change, shift));
  change.become(simplified ? "RMSNormalization" : "LayerNormalization", inputs,
                {MakeAttribute("axis", std::int64_t{-1}), MakeAttribute("epsilon", epsilon)});
}

/// Distances of the rows of one matrix from those of another.
void distances(NodeChange& change) {
  const std::string metric = text_attribute(change, "metric");
  const bool root = metric.empty() || metric == "euclidean";
  if (!root && metric != "sqeuclidean")
    refuse_node(change.node, fmt::format("its metric '{}' is not supported; euclidean and sqeuclidean are", metric));
  const Shape left = change.input(0).shape, right = change.input(1).shape;
  if (left.size() != 2 || right.size() != 2 || left[1] != right[1])
    refuse_node(change.node, fmt::format("it takes two matrices of rows of one length, not {} and {}", to_text(left),
                                         to_text(right)));
  const auto axis = [&](std::int64_t at) {
    return change.around.constant({{1}, {static_cast<double>(at)}, true}, TensorProto::INT64);
  };
  const std::string a = change.add_before("Unsqueeze", {operand(change, 0), axis(1)});
  const std::string b = change.add_before("Unsqueeze", {operand(change, 1), axis(0)});
  const std::string difference = change.add_before("Sub", {a, b});
  const std::vector<AttributeProto> sums{MakeAttribute("axes", std::vector<std::int64_t>{2}),
                                         MakeAttribute("keepdims", std::int64_t{0})};
  if (!root) return change.become("ReduceSumSquare", {difference}, sums);
  change.become("Sqrt", {change.add_before("ReduceSumSquare", {difference}, sums)});
}

/// Operators of ONNX that ONNX Runtime has in its own domain too.
void as_in_onnx(NodeChange& change) {
  if (change.take_integer("channels_last", 0) != 0)
    refuse_node(change.node,
                "its channels are the last axis; save the model before it is optimised for one machine "
                "(graph_optimization_level = ORT_ENABLE_BASIC)");
  refuse_more_outputs(change, 1);
  change.node.clear_domain();
}

constexpr FormChange kContributedForms[] = {
    {"BiasGelu, FastGelu, Gelu", 1, kEver, gelu},
    {"CDist", 1, kEver, distances},
    {"DequantizeLinear, QLinearConv, QuantizeLinear", 1, kEver, as_in_onnx},
    {"FusedConv", 1, kEver, fused_convolution},
    {"FusedGemm", 1, kEver, fused_gemm},
    {"FusedMatMul, TransposeMatMul", 1, kEver, fused_product},
    {"QGemm", 1, kEver, quantised_gemm},
    {"QLinearAdd", 1, kEver, quantised_pair<&kAdd>},
    {"QLinearAveragePool, QLinearGlobalAveragePool", 1, kEver, quantised_pool},
    {"QLinearConcat", 1, kEver, quantised_concat},
    {"QLinearLeakyRelu, QLinearSigmoid", 1, kEver, quantised_function},
    {"QLinearMul", 1, kEver, quantised_pair<&kMul>},
    {"QLinearReduceMean", 1, kEver, quantised_mean},
    {"QLinearSoftmax", 1, kEver, quantised_softmax},
    {"QLinearWhere", 1, kEver, quantised_choice},
    {"QuickGelu", 1, kEver, quick_gelu},
    {"SkipLayerNormalization, SkipSimplifiedLayerNormalization", 1, kEver, normalised_sum},
};

}  // namespace

std::span<const FormChange> contributed_forms() { return kContributedForms; }

}  // namespace tacit::graph::onnx
