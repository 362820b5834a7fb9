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
/// a file is the batch. The other dimensions, after preprocessing, must be the model's shape, up to dimensions of
/// extent 1. A model input with one dimension of more than one element (a flat vector) takes any shape with equally
/// many elements. Immutable after construction, thread safe.
class Dataset {
 public:
  /// Opens samples for a network, or for the part of it that a client runs before encryption. Throws InputError naming
  /// file and model input if the number of files, a shape or a batch does not fit. Throws it also for a file without
  /// samples.
  Dataset(const std::vector<std::filesystem::path>& files, const graph::Graph& network, Preprocessing preprocessing);

  std::int64_t size() const { return size_; }
  /// Returns one preprocessed sample: a tensor for each model input, in the model's shape. Texts are not preprocessed.
  /// Throws InputError for infinity, for texts instead of numbers, and for NaN, unless the network expects missing
  /// values or nothing reads the input.
  std::vector<graph::Tensor> sample(std::int64_t index) const;
  /// Returns the values of the first input before preprocessing, to show them. `raw_shape` is their shape.
  std::vector<double> raw(std::int64_t index) const { return arrays_.front().row(index, true); }
  graph::Shape raw_shape() const { return arrays_.front().row_shape(); }
  /// Returns the public range of the values: the range of uint8 pixels after preprocessing. None if a file holds
  /// another type.
  std::optional<std::pair<double, double>> public_range() const;

 private:
  std::vector<graph::TensorInfo> inputs_;
  std::vector<char> missing_values_;  // by input: NaN is a missing value, or nothing reads it
  Preprocessing preprocessing_;
  std::vector<NpyArray> arrays_;
  std::int64_t size_ = 0;
};

/// Reads labels: one number per sample, shape [n] or [n, 1]. Throws InputError unless there are `expected` of them.
std::vector<double> read_labels(const std::filesystem::path& path, std::int64_t expected);

}  // namespace tacit::session
