#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "session/owner/npy.h"
#include "session/owner/preprocess.h"

namespace tacit::session {

/// Samples for a model, read from one .npy file for each of its inputs, in the model's order. The leading dimension of
/// a file is the batch; the rest, after preprocessing, must be the model's shape, up to dimensions of extent 1. A model
/// input with one dimension of more than one element (a flat vector) takes any shape of as many elements.
/// Immutable after construction, thread safe.
class Dataset {
 public:
  /// For a network, or the part of it that a client runs before encryption. Throws InputError naming file and model
  /// input where number of files, shape or batch do not fit, or a file has no samples.
  Dataset(const std::vector<std::filesystem::path>& files, const graph::Graph& network, Preprocessing preprocessing);

  std::int64_t size() const { return size_; }
  /// One preprocessed sample: a tensor for each model input, in the model's shape. Texts are not preprocessed. Throws
  /// InputError for infinity, for NaN where the network expects no missing values, and for texts in place of numbers.
  std::vector<graph::Tensor> sample(std::int64_t index) const;
  /// The values before preprocessing of the first input, for showing, with their shape.
  std::vector<double> raw(std::int64_t index) const { return arrays_.front().row(index, true); }
  graph::Shape raw_shape() const { return arrays_.front().row_shape(); }
  /// What anyone knows of the values without seeing them: the range of uint8 pixels after preprocessing. Nothing where
  /// a file holds another type.
  std::optional<std::pair<double, double>> public_range() const;

 private:
  std::vector<graph::TensorInfo> inputs_;
  bool missing_values_;  // the network expects NaN where a value is missing
  Preprocessing preprocessing_;
  std::vector<NpyArray> arrays_;
  std::int64_t size_ = 0;
};

/// Reads labels: one number a sample, shape [n] or [n, 1]. Throws InputError unless there are `expected` of them.
std::vector<double> read_labels(const std::filesystem::path& path, std::int64_t expected);

}  // namespace tacit::session
