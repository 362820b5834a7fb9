#include "session/owner/dataset.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "graph/attribute.h"
#include "graph/thermometer.h"

namespace tacit::session {
namespace {

graph::Shape without_ones(const graph::Shape& shape) {
  graph::Shape out;
  std::copy_if(shape.begin(), shape.end(), std::back_inserter(out), [](std::int64_t extent) { return extent != 1; });
  return out;
}

bool fits(const graph::Shape& sample, const graph::Shape& model) {
  const graph::Shape wanted = without_ones(model);
  return without_ones(sample) == wanted ||
         (wanted.size() <= 1 && graph::element_count(sample) == graph::element_count(wanted));
}

/// What the person probably did, as the end of a sentence.
std::string advice(const graph::Shape& sample, const graph::Shape& whole, const graph::TensorInfo& input) {
  const graph::Shape& model = input.shape;
  if (model.size() > 1 && model[0] > 1 && std::equal(sample.begin(), sample.end(), model.begin() + 1, model.end()))
    return fmt::format(
        "; the model fixes a batch of {}: give an array of shape [n, {}], take its rows one at a time by "
        "--shape {}=1,{}, or export it with a symbolic batch axis",
        model[0], fmt::join(model, ", "), input.name, fmt::join(sample, ","));
  if (fits(whole, model)) return "; the leading dimension must be the batch, so reshape a single input to [1, ...]";
  const graph::Shape wanted = without_ones(model);
  graph::Shape rotated = without_ones(sample);
  if (rotated.size() == 3) {
    std::rotate(rotated.begin(), rotated.end() - 1, rotated.end());
    if (rotated == wanted) return "; the channels come last: transpose the array so that they come first";
  }
  return "";
}

/// Returns by input whether its values may be NaN: the network expects missing values, or it does not read the input.
std::vector<char> missing_values_of(const graph::Graph& network) {
  const bool expected = std::ranges::any_of(
      network.nodes,
      [](const std::string& op) {
        return op == "ai.onnx.ml.Imputer" || op == "ai.onnx.ml.LabelEncoder" || op == "IsNaN" ||
               op.starts_with("ai.onnx.ml.TreeEnsemble") || op == graph::kThermometerOp;
      },
      &graph::Node::op);
  std::vector<char> missing;
  for (const graph::TensorId id : network.inputs)
    missing.push_back(expected || (std::ranges::find(network.outputs, id) == network.outputs.end() &&
                                   std::ranges::none_of(network.nodes, [&](const graph::Node& node) {
                                     return std::ranges::find(node.inputs, id) != node.inputs.end();
                                   })));
  return missing;
}

}  // namespace

Dataset::Dataset(const std::vector<std::filesystem::path>& files, const graph::Graph& network,
                 Preprocessing preprocessing)
    : missing_values_(missing_values_of(network)), preprocessing_(std::move(preprocessing)) {
  for (const graph::TensorId id : network.inputs) inputs_.push_back(network.tensors.at(id));
  check(preprocessing_);
  if (files.size() != inputs_.size()) {
    std::vector<std::string> names;
    for (const graph::TensorInfo& input : inputs_) names.push_back("'" + input.name + "'");
    base::refuse("the model takes {} input{} ({}) and {} file{} given; name one .npy file for each, in this order",
                 inputs_.size(), inputs_.size() == 1 ? "" : "s", fmt::join(names, ", "), files.size(),
                 files.size() == 1 ? " was" : "s were");
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    const NpyArray& array = arrays_.emplace_back(read_npy(files[i]));
    const graph::Shape sample = preprocessed_shape(preprocessing_, array.row_shape(), array.name());
    const graph::Shape& model = inputs_[i].shape;
    const std::int64_t rows = array.rows();
    if (!fits(sample, model))
      base::refuse("{} holds inputs of shape [{}]{} and model input '{}' takes [{}]{}", array.name(),
                   fmt::join(sample, ", "), preprocessing_.pad ? " after padding" : "", inputs_[i].name,
                   fmt::join(model, ", "), advice(sample, array.shape(), inputs_[i]));
    if (rows == 0)
      base::refuse("{} holds no inputs (shape [{}]); give one row at least", array.name(),
                   fmt::join(array.shape(), ", "));
    if (i > 0 && rows != size_)
      base::refuse("{} holds {} inputs and {} holds {}; they must be as many", array.name(), rows,
                   arrays_.front().name(), size_);
    size_ = rows;
  }
}

std::vector<graph::Tensor> Dataset::sample(std::int64_t index) const {
  std::vector<graph::Tensor> tensors;
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    const graph::TensorInfo& input = inputs_[i];
    if (input.text)
      tensors.push_back(graph::text_tensor(input.shape, arrays_[i].text_row(index)));
    else
      tensors.push_back({input.shape,
                         preprocess(preprocessing_, arrays_[i].row_shape(),
                                    arrays_[i].row(index, missing_values_[i] != 0), arrays_[i].name()),
                         input.integral});
  }
  return tensors;
}

std::optional<std::pair<double, double>> Dataset::public_range() const {
  for (const NpyArray& array : arrays_)
    if (array.type() != ElementType::uint8) return std::nullopt;
  return preprocessed_range(preprocessing_, 0, 255);
}

std::vector<double> read_labels(const std::filesystem::path& path, std::int64_t expected) {
  const NpyArray array = read_npy(path);
  if (array.rows() != array.size())
    base::refuse("{} has shape [{}]; labels are one number for each input", array.name(),
                 fmt::join(array.shape(), ", "));
  if (array.rows() != expected) base::refuse("{} holds {} labels for {} inputs", array.name(), array.rows(), expected);
  return array.values();
}

}  // namespace tacit::session
