#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "session/owner/compilation.h"

namespace tacit::conformance {

/// A model as an exporter wrote it, rows to run, rows to calibrate on, and what ONNX Runtime makes of the first.
struct ExportedModel {
  std::string family, name;
  std::filesystem::path folder;
};

/// The folders of data/exported/FAMILY, by name.
std::vector<ExportedModel> exported_models(const std::filesystem::path& data, const std::string& family);

/// An output of ONNX Runtime: labels (integers or strings), or numbers. rows[i] is that of row i, flat.
struct ExpectedOutput {
  bool labels = false;
  std::vector<std::vector<std::string>> texts;
  std::vector<std::vector<double>> numbers;
};
std::vector<ExpectedOutput> expected_outputs(const ExportedModel& model);

/// One tensor for the model's only input, for every row of rows.npy or train.npy.
std::vector<std::vector<graph::Tensor>> rows_of(const ExportedModel& model, const graph::Graph& graph,
                                                const char* file);

/// Imports and compiles the model, calibrated on train.npy. Throws InputError where it is refused.
session::Compilation compile(const ExportedModel& model);

/// How the outputs of rows compare with those expected.
struct Comparison {
  std::size_t labels = 0, equal_labels = 0;
  double worst = 0;  ///< largest difference of a number, as a share of the range of its output
};
/// `outputs[i]` are the model's outputs for row i; none for a row without an answer, whose labels count as wrong.
Comparison compare(const std::vector<std::vector<graph::Tensor>>& outputs, const std::vector<ExpectedOutput>& expected);

}  // namespace tacit::conformance
