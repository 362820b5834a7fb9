#include "graph/onnx/bind_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

/// The extents of one input. `given`, by --shape, and the shape of its rows may be null.
BatchBinding bind_batch(::onnx::ValueInfoProto& input, std::int64_t batch, const Shape* given, const Shape* row) {
  BatchBinding result;
  auto* tensor = input.mutable_type()->mutable_tensor_type();
  if (!tensor->has_shape() && given == nullptr && row != nullptr)
    for (std::size_t i = 0; i <= row->size(); ++i) tensor->mutable_shape()->add_dim();
  if (!tensor->has_shape() && given != nullptr)
    for (std::size_t i = 0; i < given->size(); ++i) tensor->mutable_shape()->add_dim();
  if (!tensor->has_shape())
    base::refuse("input '{}' has no stated shape; give it by --shape {}=1,..., or export the model with fixed shapes",
                 input.name(), input.name());
  const int rank = tensor->shape().dim_size();
  if (given != nullptr && static_cast<int>(given->size()) != rank)
    base::refuse("the shape {} given for input '{}' has {} axes, and the model's has {}", to_text(*given), input.name(),
                 given->size(), rank);
  if (row != nullptr && static_cast<int>(row->size()) + 1 != rank) row = nullptr;
  Shape stated;
  bool by_row = false;
  for (int i = 0; i < rank; ++i) {
    auto* dim = tensor->mutable_shape()->mutable_dim(i);
    const bool symbolic = !dim->has_dim_value() || dim->dim_value() < 0;
    const std::int64_t wanted = given == nullptr ? 0 : (*given)[static_cast<std::size_t>(i)];
    if (i == 0 && (wanted == 1 || (wanted == 0 && symbolic))) {
      result.taken_apart = !symbolic && dim->dim_value() != 1;
      result.open = symbolic || result.taken_apart;
      if (result.open) dim->set_dim_value(batch);
    } else if (symbolic && wanted == 0 && row != nullptr) {
      dim->set_dim_value((*row)[static_cast<std::size_t>(i) - 1]);
      by_row = true;
    } else if (symbolic && wanted == 0) {
      const std::string symbol = dim->has_dim_param() ? fmt::format(" ('{}')", dim->dim_param()) : "";
      base::refuse(
          "axis {} of input '{}'{} is dynamic; only the leading batch axis may be: fix it by --shape {}=1,... with a "
          "number for every axis, or export the model with fixed shapes",
          i, input.name(), symbol, input.name());
    } else if (symbolic) {
      dim->set_dim_value(wanted);
    } else if (wanted != 0 && wanted != dim->dim_value()) {
      base::refuse("the shape {} given for input '{}' has {} on axis {}, and the model fixes {} there", to_text(*given),
                   input.name(), wanted, i, dim->dim_value());
    }
    if (dim->dim_value() == 0)
      base::refuse("axis {} of input '{}' has extent 0: there is nothing to encrypt", i, input.name());
    stated.push_back(dim->dim_value());
  }
  element_count(stated);
  if (by_row) result.of_rows.emplace(input.name(), std::move(stated));
  return result;
}

}  // namespace

BatchBinding bind_inputs(ModelProto& model, const std::map<std::string, Tensor>& bindings, std::int64_t batch,
                         const std::map<std::string, Shape>& shapes, const std::vector<Shape>& rows) {
  BatchBinding result;
  std::size_t position = 0;  // among the inputs that rows are given for
  std::set<std::string> constant, open, unused;
  for (const auto& [name, shape] : shapes) {
    unused.insert(name);
    if (std::ranges::any_of(shape, [](std::int64_t extent) { return extent < 1; }))
      base::refuse("the shape {} given for input '{}' has an extent below 1", to_text(shape), name);
  }
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
      const auto given = shapes.find(input.name());
      unused.erase(input.name());
      BatchBinding of_input = bind_batch(input, batch, given == shapes.end() ? nullptr : &given->second,
                                         position < rows.size() ? &rows[position] : nullptr);
      ++position;
      result.of_rows.merge(of_input.of_rows);
      result.open = result.open || of_input.open;
      result.taken_apart = result.taken_apart || of_input.taken_apart;
    } else {
      bind_shape(input, bound->second);
      open.erase(input.name());
    }
  }
  if (!open.empty()) base::refuse("a tensor is bound to '{}', which is no input of the model", *open.begin());
  if (!unused.empty())
    base::refuse("a shape is given for '{}', which is no private input of the model", *unused.begin());
  return result;
}

std::map<std::string, Tensor> filled(const ModelProto& model, std::map<std::string, Tensor> bindings) {
  for (const auto& input : model.graph().input()) {
    const auto bound = bindings.find(input.name());
    if (bound == bindings.end() || !input.type().has_tensor_type()) continue;
    const auto& type = input.type().tensor_type();
    Tensor& value = bound->second;
    if (!value.shape.empty() || !value.texts.empty()) continue;
    if (is_integral(type.elem_type()) != value.integral) {
      if (is_integral(type.elem_type()) && value.data.at(0) != std::floor(value.data.at(0)))
        base::refuse("input '{}' takes whole numbers and is bound to {}", input.name(), value.data[0]);
      value.integral = is_integral(type.elem_type());
    }
    for (const auto& dim : type.shape().dim())
      value.shape.push_back(dim.has_dim_value() && dim.dim_value() > 0 ? dim.dim_value() : 1);
    value.data.assign(static_cast<std::size_t>(element_count(value.shape)), value.data.at(0));
  }
  return bindings;
}

}  // namespace tacit::graph::onnx
