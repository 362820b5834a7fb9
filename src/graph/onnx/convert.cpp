#include "graph/onnx/convert.h"

#include <fmt/format.h>
#include <onnx/checker.h>
#include <onnx/shape_inference/implementation.h>
#include <onnx/version_converter/convert.h>

#include <set>
#include <string_view>

#include "base/error.h"
#include "graph/attribute.h"
#include "graph/onnx/screen.h"
#include "graph/onnx/tensor_proto.h"

namespace tacit::graph::onnx {
namespace {

using ::onnx::ModelProto;
using ::onnx::TensorShapeProto;

void bind_shape(::onnx::ValueInfoProto& input, const Tensor& value) {
  auto* tensor = input.mutable_type()->mutable_tensor_type();
  if (tensor->has_shape()) {
    bool fits = tensor->shape().dim_size() == static_cast<int>(value.shape.size());
    for (int i = 0; fits && i < tensor->shape().dim_size(); ++i) {
      const auto& dim = tensor->shape().dim(i);
      fits = !dim.has_dim_value() || dim.dim_value() == value.shape[static_cast<std::size_t>(i)];
    }
    if (!fits)
      throw base::InputError(fmt::format("input '{}' is bound to a tensor of shape {}, which does not fit the model",
                                         input.name(), to_text(value.shape)));
  }
  tensor->clear_shape();
  auto* shape = tensor->mutable_shape();
  for (const std::int64_t extent : value.shape) shape->add_dim()->set_dim_value(extent);
}

void bind_batch(::onnx::ValueInfoProto& input) {
  auto* tensor = input.mutable_type()->mutable_tensor_type();
  if (!tensor->has_shape())
    throw base::InputError(
        fmt::format("input '{}' has no stated shape; export the model with fixed shapes", input.name()));
  Shape stated;
  for (int i = 0; i < tensor->shape().dim_size(); ++i) {
    auto* dim = tensor->mutable_shape()->mutable_dim(i);
    const bool symbolic = !dim->has_dim_value() || dim->dim_value() < 0;
    if (symbolic && i == 0) {
      dim->set_dim_value(1);
    } else if (symbolic) {
      const std::string symbol = dim->has_dim_param() ? fmt::format(" ('{}')", dim->dim_param()) : "";
      throw base::InputError(
          fmt::format("axis {} of input '{}'{} is dynamic; only the leading batch axis may be: "
                      "export the model with fixed shapes",
                      i, input.name(), symbol));
    } else if (dim->dim_value() == 0) {
      throw base::InputError(
          fmt::format("axis {} of input '{}' has extent 0: there is nothing to encrypt", i, input.name()));
    }
    stated.push_back(dim->dim_value());
  }
  element_count(stated);
}

bool states_default_opset(const ModelProto& model) {
  for (const auto& opset : model.opset_import()) {
    if (opset.domain().empty()) return true;
  }
  return false;
}

/// The library knows the default domain by its empty name, and file format versions up to its own. Later versions add
/// element types and metadata; the first are refused where they occur, the second carry no meaning.
void normalise(ModelProto& model) {
  for (auto& opset : *model.mutable_opset_import()) {
    if (opset.domain() == "ai.onnx") opset.clear_domain();
  }
  for (auto& node : *model.mutable_graph()->mutable_node()) {
    if (node.domain() == "ai.onnx") node.clear_domain();
  }
  if (!states_default_opset(model)) model.add_opset_import()->set_version(kOpset);
  if (model.ir_version() > ::onnx::Version::IR_VERSION) model.set_ir_version(::onnx::Version::IR_VERSION);
  model.clear_training_info();
  model.mutable_graph()->clear_value_info();  // recomputed here, not believed
}

/// What a model says of its outputs' shapes is not believed (it may hold the symbolic batch), but the checker wants it
/// said, and shape inference wants it right.
void state_output_shapes(ModelProto& model) {
  for (auto& output : *model.mutable_graph()->mutable_output()) {
    if (output.type().has_tensor_type()) output.mutable_type()->mutable_tensor_type()->mutable_shape();
  }
}

void forget_output_shapes(ModelProto& model) {
  for (auto& output : *model.mutable_graph()->mutable_output()) {
    if (output.type().has_tensor_type()) output.mutable_type()->mutable_tensor_type()->clear_shape();
  }
}

std::int64_t default_opset(const ModelProto& model) {
  for (const auto& opset : model.opset_import()) {
    if (opset.domain().empty()) return opset.version();
  }
  return kOpset;
}

/// The library's messages, on one line and without the place in its source that failed.
std::string one_line(std::string message) {
  constexpr std::string_view kFailed = "` failed: ";
  if (const auto at = message.find(kFailed); at != std::string::npos) message.erase(0, at + kFailed.size());
  std::string line;
  for (const char c : message) {
    const bool space = c == '\n' || c == '\r' || c == '\t' || c == ' ';
    if (!space) line += c;
    if (space && !line.empty() && line.back() != ' ') line += ' ';
  }
  while (!line.empty() && (line.back() == ' ' || line.back() == '.')) line.pop_back();
  return line;
}

}  // namespace

void bind_inputs(ModelProto& model, const std::map<std::string, Tensor>& bindings) {
  std::set<std::string> constant, open;
  for (const auto& tensor : model.graph().initializer()) constant.insert(tensor.name());
  for (const auto& [name, value] : bindings) open.insert(name);
  for (auto& input : *model.mutable_graph()->mutable_input()) {
    if (constant.contains(input.name())) continue;
    const auto& type = input.type();
    if (!type.has_tensor_type() ||
        (!is_real(type.tensor_type().elem_type()) && !is_integral(type.tensor_type().elem_type())))
      throw base::InputError(fmt::format("input '{}' is not a dense tensor of numbers", input.name()));
    const auto bound = bindings.find(input.name());
    if (bound == bindings.end()) {
      bind_batch(input);
    } else {
      bind_shape(input, bound->second);
      open.erase(input.name());
    }
  }
  if (!open.empty())
    throw base::InputError(fmt::format("a tensor is bound to '{}', which is no input of the model", *open.begin()));
}

void check_and_convert(ModelProto& model) {
  normalise(model);
  state_output_shapes(model);
  try {
    ::onnx::checker::check_model(model);
  } catch (const std::exception& error) {
    throw base::InputError(fmt::format("the ONNX checker refuses it: {}", one_line(error.what())));
  }
  forget_output_shapes(model);
  if (default_opset(model) == kOpset) return;
  try {
    ::onnx::shape_inference::InferShapes(model);
    model = ::onnx::version_conversion::ConvertVersion(model, static_cast<int>(kOpset));
  } catch (const std::exception& error) {
    throw base::InputError(
        fmt::format("the onnx library cannot convert it from opset {} to {} ({}): export it again "
                    "for opset {}",
                    default_opset(model), kOpset, one_line(error.what()), kOpset));
  }
  normalise(model);
}

}  // namespace tacit::graph::onnx
