#include "graph/onnx/bind_inputs.h"

#include <fmt/format.h>

#include <set>

#include "base/error.h"
#include "graph/attribute.h"
#include "graph/onnx/tensor_proto.h"

namespace tacit::graph::onnx {
namespace {

using ::onnx::ModelProto;

void bind_shape(::onnx::ValueInfoProto& input, const Tensor& value) {
  auto* tensor = input.mutable_type()->mutable_tensor_type();
  if (tensor->has_shape()) {
    bool fits = tensor->shape().dim_size() == static_cast<int>(value.shape.size());
    for (int i = 0; fits && i < tensor->shape().dim_size(); ++i) {
      const auto& dim = tensor->shape().dim(i);
      fits = !dim.has_dim_value() || dim.dim_value() == value.shape[static_cast<std::size_t>(i)];
    }
    if (!fits)
      base::refuse("input '{}' is bound to a tensor of shape {}, which does not fit the model", input.name(),
                   to_text(value.shape));
  }
  tensor->clear_shape();
  auto* shape = tensor->mutable_shape();
  for (const std::int64_t extent : value.shape) shape->add_dim()->set_dim_value(extent);
}

/// True if the batch is symbolic.
bool bind_batch(::onnx::ValueInfoProto& input, std::int64_t batch) {
  bool open = false;
  auto* tensor = input.mutable_type()->mutable_tensor_type();
  if (!tensor->has_shape())
    base::refuse("input '{}' has no stated shape; export the model with fixed shapes", input.name());
  Shape stated;
  for (int i = 0; i < tensor->shape().dim_size(); ++i) {
    auto* dim = tensor->mutable_shape()->mutable_dim(i);
    const bool symbolic = !dim->has_dim_value() || dim->dim_value() < 0;
    if (symbolic && i == 0) {
      dim->set_dim_value(batch);
      open = true;
    } else if (symbolic) {
      const std::string symbol = dim->has_dim_param() ? fmt::format(" ('{}')", dim->dim_param()) : "";
      base::refuse(
          "axis {} of input '{}'{} is dynamic; only the leading batch axis may be: export the model with fixed shapes",
          i, input.name(), symbol);
    } else if (dim->dim_value() == 0) {
      base::refuse("axis {} of input '{}' has extent 0: there is nothing to encrypt", i, input.name());
    }
    stated.push_back(dim->dim_value());
  }
  element_count(stated);
  return open;
}

}  // namespace

bool bind_inputs(ModelProto& model, const std::map<std::string, Tensor>& bindings, std::int64_t batch) {
  bool symbolic = false;
  std::set<std::string> constant, open;
  for (const auto& tensor : model.graph().initializer()) constant.insert(tensor.name());
  for (const auto& [name, value] : bindings) open.insert(name);
  for (auto& input : *model.mutable_graph()->mutable_input()) {
    if (constant.contains(input.name())) continue;
    const auto& type = input.type();
    if (!type.has_tensor_type() ||
        (!is_real(type.tensor_type().elem_type()) && !is_integral(type.tensor_type().elem_type()) &&
         type.tensor_type().elem_type() != ::onnx::TensorProto::STRING))
      base::refuse(
          "input '{}' is not a dense tensor of numbers or strings; sequences, maps and complex numbers are "
          "not supported",
          input.name());
    const auto bound = bindings.find(input.name());
    if (bound == bindings.end()) {
      symbolic = bind_batch(input, batch) || symbolic;
    } else {
      bind_shape(input, bound->second);
      open.erase(input.name());
    }
  }
  if (!open.empty()) base::refuse("a tensor is bound to '{}', which is no input of the model", *open.begin());
  return symbolic;
}

}  // namespace tacit::graph::onnx
