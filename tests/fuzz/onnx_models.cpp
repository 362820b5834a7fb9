#include "onnx_models.h"

#include <limits>
#include <string>
#include <string_view>

#include "graph/onnx/text_model.h"
#include "mutate_bytes.h"

namespace tacit::fuzz {
namespace {

using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;

constexpr const char* kModels[] = {
    "g (float[N, 4] x) => (float[N, 2] y) <float[4, 3] w = {1, 2, -1, 0.5, 1, 0, -2, 1, 1, 0, 0.25, 1}, "
    "float[3] b = {0.5, -0.5, 0}, float[3, 2] v = {1, -1, 0.5, 2, 0, 1}> "
    "{ h = Gemm(x, w, b) q = Mul(h, h) y = MatMul(q, v) }",

    "g (float[1, 1, 4, 4] x) => (float[1, 2] y) <float[2, 1, 3, 3] k = {1, 0, -1, 2, 0, -2, 1, 0, -1, 0, 1, 0, 1, -4, "
    "1, 0, 1, 0}, float[2] b = {0.1, -0.1}, float[8, 2] w = {1, 0, 0, 1, 1, 1, 0.5, -0.5, 1, 2, -1, 1, 0, 0.5, 1, 1}> "
    "{ c = Conv <pads = [1, 1, 1, 1], strides = [1, 1]> (x, k, b) a = AveragePool <kernel_shape = [2, 2], strides = "
    "[2, 2]> (c) f = Flatten(a) y = Gemm(f, w) }",

    "g (float[1, 6] x) => (float[1, 3] y) { s = Constant <value = int64[2] {2, 3}> () r = Reshape(x, s) "
    "t = Transpose <perm = [1, 0]> (r) m = ReduceMean <axes = [1], keepdims = 0> (t) u = Constant <value = int64[1] "
    "{0}> () y = Unsqueeze(m, u) }",

    "g (float[1, 4] x, float[1, 4] z) => (float[1, 8] y) { a = Add(x, z) s = Sub(x, z) p = Mul(a, s) n = Neg(p) "
    "y = Concat <axis = 1> (p, n) }",

    "g (float[1, 8] x) => (float[1, 3] y) { b = Constant <value = int64[1] {1}> () e = Constant <value = int64[1] "
    "{7}> () a = Constant <value = int64[1] {1}> () st = Constant <value = int64[1] {2}> () y = Slice(x, b, e, a, st) "
    "}",

    "g (float[1, 3] x) => (float[1, 3] y) <float[3, 3] w = {1, 0.5, 0, -0.5, 1, 0.25, 0, 0.5, 1}> "
    "{ h = MatMul(x, w) r = Relu(h) y = MatMul(r, w) }",

    "g (float[1, 2, 3] x) => (float[1, 2, 3] y) <float[2] s = {1, 2}, float[2] b = {0, 1}, float[2] m = {0.5, 0}, "
    "float[2] v = {1, 4}> { n = BatchNormalization(x, s, b, m, v) y = Add(n, x) }",

    "g (float[1, 3] x) => (float[1, 3] y) { s = Shape(x) o = ConstantOfShape <value = float[1] {2}> (s) "
    "p = Pow(x, o) c = Cast <to = 1> (s) d = ReduceSum <keepdims = 0> (c) y = Div(p, d) }",

    "g (float[1, 4] x) => (float[1, 4] y) { h = Sigmoid(x) y = Softmax <axis = 1> (h) }",

    "g (float[1, 2, 4] x) => (float[1, 2, 2] y) <float[2, 4] w = {1, 0, 0, 1, 1, 1, 0.5, -0.5}> "
    "{ y = Einsum <equation = \"bij,kj->bik\"> (x, w) }",

    "g (float[1, 3] x) => (int64[1] l, float[1, 2] p) { l, p = ai.onnx.ml.LinearClassifier <classlabels_ints = [0, 1], "
    "coefficients = [1.0, -1.0, 0.5, -1.0, 1.0, -0.5], intercepts = [0.0, 0.1], multi_class = 1, post_transform = "
    "\"NONE\"> (x) }",

    "g (int64[1, 3] x) => (int64[1, 3] y) <int64[3] w = {2, 3, 5}> { m = Mul(x, w) y = Add(m, w) }",
};

/// All that the reference run knows, and some that it does not.
constexpr const char* kOperators[] = {"Abs",
                                      "Acos",
                                      "Acosh",
                                      "Add",
                                      "And",
                                      "ArgMax",
                                      "ArgMin",
                                      "Asin",
                                      "Asinh",
                                      "Atan",
                                      "Atanh",
                                      "AveragePool",
                                      "BatchNormalization",
                                      "Cast",
                                      "Ceil",
                                      "Celu",
                                      "Clip",
                                      "Compress",
                                      "Concat",
                                      "Constant",
                                      "ConstantOfShape",
                                      "Conv",
                                      "ConvInteger",
                                      "ConvTranspose",
                                      "Cos",
                                      "Cosh",
                                      "CumSum",
                                      "DepthToSpace",
                                      "DequantizeLinear",
                                      "Div",
                                      "Dropout",
                                      "Einsum",
                                      "Elu",
                                      "Equal",
                                      "Erf",
                                      "Exp",
                                      "Expand",
                                      "Flatten",
                                      "Floor",
                                      "Gather",
                                      "GatherElements",
                                      "GatherND",
                                      "Gelu",
                                      "Gemm",
                                      "GlobalAveragePool",
                                      "GlobalLpPool",
                                      "GlobalMaxPool",
                                      "Greater",
                                      "GreaterOrEqual",
                                      "GroupNormalization",
                                      "HardSigmoid",
                                      "HardSwish",
                                      "Hardmax",
                                      "Identity",
                                      "If",
                                      "InstanceNormalization",
                                      "IsInf",
                                      "IsNaN",
                                      "LayerNormalization",
                                      "LeakyRelu",
                                      "Less",
                                      "LessOrEqual",
                                      "Log",
                                      "LogSoftmax",
                                      "LpNormalization",
                                      "LpPool",
                                      "LRN",
                                      "MatMul",
                                      "MatMulInteger",
                                      "Max",
                                      "MaxPool",
                                      "Mean",
                                      "MeanVarianceNormalization",
                                      "Min",
                                      "Mish",
                                      "Mod",
                                      "Mul",
                                      "Neg",
                                      "NonZero",
                                      "Not",
                                      "OneHot",
                                      "Or",
                                      "PRelu",
                                      "Pad",
                                      "Pow",
                                      "QLinearConv",
                                      "QLinearMatMul",
                                      "QuantizeLinear",
                                      "RMSNormalization",
                                      "Range",
                                      "Reciprocal",
                                      "ReduceL1",
                                      "ReduceL2",
                                      "ReduceLogSum",
                                      "ReduceLogSumExp",
                                      "ReduceMax",
                                      "ReduceMean",
                                      "ReduceMin",
                                      "ReduceProd",
                                      "ReduceSum",
                                      "ReduceSumSquare",
                                      "Relu",
                                      "Reshape",
                                      "Resize",
                                      "Round",
                                      "ScatterElements",
                                      "ScatterND",
                                      "Selu",
                                      "SequenceConstruct",
                                      "Shape",
                                      "Shrink",
                                      "Sigmoid",
                                      "Sign",
                                      "Sin",
                                      "Sinh",
                                      "Size",
                                      "Slice",
                                      "Softmax",
                                      "Softplus",
                                      "Softsign",
                                      "SpaceToDepth",
                                      "Split",
                                      "Sqrt",
                                      "Squeeze",
                                      "Sub",
                                      "Sum",
                                      "Swish",
                                      "Tan",
                                      "Tanh",
                                      "ThresholdedRelu",
                                      "Tile",
                                      "TopK",
                                      "Transpose",
                                      "Trilu",
                                      "Unsqueeze",
                                      "Upsample",
                                      "Where",
                                      "Xor",
                                      "ai.onnx.ml.ArrayFeatureExtractor",
                                      "ai.onnx.ml.Binarizer",
                                      "ai.onnx.ml.CategoryMapper",
                                      "ai.onnx.ml.FeatureVectorizer",
                                      "ai.onnx.ml.Imputer",
                                      "ai.onnx.ml.LabelEncoder",
                                      "ai.onnx.ml.LinearClassifier",
                                      "ai.onnx.ml.LinearRegressor",
                                      "ai.onnx.ml.Normalizer",
                                      "ai.onnx.ml.OneHotEncoder",
                                      "ai.onnx.ml.SVMClassifier",
                                      "ai.onnx.ml.SVMRegressor",
                                      "ai.onnx.ml.Scaler",
                                      "ai.onnx.ml.ZipMap"};

constexpr const char* kAttributes[] = {"axis",      "axes",      "pads",          "strides",   "kernel_shape",
                                       "dilations", "group",     "perm",          "keepdims",  "alpha",
                                       "beta",      "transA",    "transB",        "to",        "value",
                                       "epsilon",   "mode",      "auto_pad",      "ceil_mode", "count_include_pad",
                                       "allowzero", "blocksize", "output_padding"};

std::int64_t integer(Random& random) {
  if (random.one_in(3)) return static_cast<std::int64_t>(random.below(12)) - 3;
  const std::int64_t power = std::int64_t{1} << random.below(63);
  const std::int64_t values[] = {0, 1, -1, 2, power, -power, power - 1, INT64_MAX, INT64_MIN};
  return random.pick(values);
}

float real(Random& random) {
  constexpr float kValues[] = {
      0.0F, 1.0F, -1.0F, 0.5F, 1e-20F, 1e20F, -3.25F, 3e38F, std::numeric_limits<float>::infinity(), -0.0F};
  return random.one_in(2) ? static_cast<float>(random.below(1000)) / 250.0F - 2.0F : random.pick(kValues);
}

void set_operator(NodeProto& node, Random& random) {
  constexpr std::string_view kMachineLearning = "ai.onnx.ml";
  const std::string_view name = random.pick(kOperators);
  const bool of_tables = name.starts_with(kMachineLearning);
  node.set_domain(of_tables ? std::string(kMachineLearning) : "");
  node.set_op_type(std::string(of_tables ? name.substr(kMachineLearning.size() + 1) : name));
}

/// A name that some node, weight or input has.
std::string some_name(const GraphProto& graph, Random& random) {
  std::vector<std::string> names{""};
  for (const auto& input : graph.input()) names.push_back(input.name());
  for (const auto& weight : graph.initializer()) names.push_back(weight.name());
  for (const auto& node : graph.node()) names.insert(names.end(), node.output().begin(), node.output().end());
  return random.pick(names);
}

void change(TensorProto& tensor, Random& random) {
  switch (random.below(5)) {
    case 0:
      if (tensor.dims_size() > 0)
        tensor.set_dims(static_cast<int>(random.below(static_cast<std::size_t>(tensor.dims_size()))), integer(random));
      break;
    case 1: tensor.add_dims(static_cast<std::int64_t>(random.below(3))); break;
    case 2: tensor.set_data_type(static_cast<int>(random.below(24))); break;
    case 3:
      if (tensor.float_data_size() > 0)
        tensor.set_float_data(static_cast<int>(random.below(static_cast<std::size_t>(tensor.float_data_size()))),
                              real(random));
      if (tensor.int64_data_size() > 0)
        tensor.set_int64_data(static_cast<int>(random.below(static_cast<std::size_t>(tensor.int64_data_size()))),
                              integer(random));
      break;
    default:
      if (!tensor.raw_data().empty())
        (*tensor.mutable_raw_data())[random.below(tensor.raw_data().size())] = static_cast<char>(random.word());
  }
}

void change(AttributeProto& attribute, Random& random) {
  if (attribute.ints_size() > 0 && !random.one_in(4))
    attribute.set_ints(static_cast<int>(random.below(static_cast<std::size_t>(attribute.ints_size()))),
                       integer(random));
  else if (attribute.ints_size() > 0)
    attribute.add_ints(integer(random));
  else if (attribute.has_t())
    change(*attribute.mutable_t(), random);
  else if (attribute.type() == AttributeProto::FLOAT)
    attribute.set_f(real(random));
  else if (attribute.floats_size() > 0)
    attribute.set_floats(static_cast<int>(random.below(static_cast<std::size_t>(attribute.floats_size()))),
                         real(random));
  else if (attribute.has_s())
    *attribute.mutable_s() = std::string(text_of(mutate_text(bytes_of(attribute.s()), {}, random)));
  else
    attribute.set_i(integer(random));
}

void add_attribute(NodeProto& node, Random& random) {
  AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(random.pick(kAttributes));
  if (random.one_in(2)) {
    attribute.set_type(AttributeProto::INT);
    attribute.set_i(integer(random));
    return;
  }
  attribute.set_type(AttributeProto::INTS);
  for (std::size_t left = random.below(5); left > 0; --left) attribute.add_ints(integer(random));
}

void change_node(GraphProto& graph, Random& random) {
  const int count = graph.node_size();
  if (count == 0) return;
  const auto one = [&](int bound) { return static_cast<int>(random.below(static_cast<std::size_t>(bound))); };
  NodeProto& node = *graph.mutable_node(one(count));
  switch (random.below(8)) {
    case 0: set_operator(node, random); break;
    case 1:
      if (node.attribute_size() > 0) change(*node.mutable_attribute(one(node.attribute_size())), random);
      break;
    case 2: add_attribute(node, random); break;
    case 3:
      if (node.input_size() > 0) node.set_input(one(node.input_size()), some_name(graph, random));
      break;
    case 4: node.add_input(some_name(graph, random)); break;
    case 5:
      if (node.attribute_size() > 0) node.mutable_attribute()->RemoveLast();
      break;
    case 6: {  // one more node behind another
      NodeProto& more = *graph.add_node();
      set_operator(more, random);
      more.add_input(some_name(graph, random));
      if (random.one_in(2)) more.add_input(some_name(graph, random));
      more.add_output("more" + std::to_string(random.below(4)));
      if (random.one_in(3)) add_attribute(more, random);
      // What read the one reads the other.
      if (graph.output_size() > 0 && random.one_in(2)) graph.mutable_output(0)->set_name(more.output(0));
      for (int at = graph.node_size() - 1; at > 0 && !random.one_in(3); --at)
        graph.mutable_node()->SwapElements(at, at - 1);
      break;
    }
    default: graph.mutable_node()->SwapElements(one(count), one(count));
  }
}

void change(ModelProto& model, const ModelProto& other, Random& random) {
  GraphProto& graph = *model.mutable_graph();
  const auto one = [&](int bound) { return static_cast<int>(random.below(static_cast<std::size_t>(bound))); };
  switch (random.below(8)) {
    case 0:
      if (graph.initializer_size() > 0) change(*graph.mutable_initializer(one(graph.initializer_size())), random);
      break;
    case 1:
      if (graph.input_size() > 0) {
        auto& type = *graph.mutable_input(one(graph.input_size()))->mutable_type()->mutable_tensor_type();
        if (random.one_in(4))
          type.set_elem_type(static_cast<int>(random.below(18)));
        else if (type.shape().dim_size() > 0)
          type.mutable_shape()->mutable_dim(one(type.shape().dim_size()))->set_dim_value(integer(random));
      }
      break;
    case 2:
      if (model.opset_import_size() > 0)
        model.mutable_opset_import(0)->set_version(static_cast<std::int64_t>(random.below(30)));
      break;
    case 3:
      if (other.graph().node_size() > 0) *graph.add_node() = other.graph().node(one(other.graph().node_size()));
      break;
    default: change_node(graph, random);
  }
}

}  // namespace

std::vector<Bytes> small_onnx_models() {
  std::vector<Bytes> all;
  for (const char* text : kModels) all.push_back(bytes_of(graph::onnx::text_model_bytes(text, 13)));
  return all;
}

Bytes mutate_onnx(const Bytes& from, const Bytes& other, Random& random) {
  ModelProto model, donor;
  const auto size = [](const Bytes& bytes) { return static_cast<int>(bytes.size()); };
  if (random.one_in(8) || !model.ParseFromArray(from.data(), size(from))) return mutate_bytes(from, other, random);
  if (!donor.ParseFromArray(other.data(), size(other))) donor.Clear();
  for (std::size_t left = 1 + random.below(3); left > 0; --left) change(model, donor, random);
  return bytes_of(model.SerializeAsString());
}

}  // namespace tacit::fuzz
