#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "graph/client_parts.h"
#include "graph/graph.h"

namespace tacit::session {

/// The form of written results: one .npy file per output, or one text file.
enum class ResultFormat { npy, json, csv };

/// One output of a model over a batch of inputs: labels, texts or numbers. It has the names of its columns if the model
/// states them (the classes of probabilities).
struct ResultColumnGroup {
  std::string name;
  std::vector<std::string> columns;  ///< one per element, or empty
  std::vector<graph::Tensor> rows;   ///< one per input
};

/// The results of a batch, output by output.
class Results {
 public:
  explicit Results(const graph::ClientParts& parts);
  /// Adds the outputs of one input, in the model's order.
  void add(std::vector<graph::Tensor> outputs);

  /// Returns the files that `write` makes. It is PATH, or for .npy and several outputs PATH with the output's name
  /// before its extension.
  std::vector<std::filesystem::path> files(const std::filesystem::path& path, ResultFormat format) const;
  /// Writes the results. Only their owner may read the files (mode 0600), like the key. Throws InputError if a file
  /// cannot be written.
  /// - .npy: shape [inputs, rest of the output's shape]; int64 for labels, text for strings, float64 otherwise.
  /// - JSON: a list of inputs, each a dictionary by output. Outputs with named columns are dictionaries by column.
  /// - CSV: a line of names, then a line per input.
  void write(const std::filesystem::path& path, ResultFormat format) const;
  /// Returns a description of the written files, output by output: name, file, shape, names of columns.
  nlohmann::ordered_json describe(const std::filesystem::path& path, ResultFormat format) const;

 private:
  std::vector<ResultColumnGroup> outputs_;
};

/// Returns the shape of an output without the model's own batch dimension of 1.
std::vector<std::int64_t> row_shape(const graph::Shape& shape);

}  // namespace tacit::session
