#include "exported_model.h"

#include <algorithm>
#include <cmath>

#include "graph/onnx/import.h"
#include "session/owner/dataset.h"
#include "session/owner/npy.h"

namespace tacit::conformance {
namespace {

std::string as_text(double label) { return std::to_string(static_cast<std::int64_t>(label)); }

ExpectedOutput read_output(const std::filesystem::path& path, std::int64_t rows) {
  const session::NpyArray array = session::read_npy(path);
  ExpectedOutput output;
  output.labels = array.type() == session::ElementType::text || array.type() == session::ElementType::int64 ||
                  array.type() == session::ElementType::boolean;
  // Some exporters write labels as [1, rows].
  const bool turned = array.rows() == 1 && array.size() == rows;
  for (std::int64_t i = 0; i < rows; ++i) {
    if (array.type() == session::ElementType::text) {
      output.texts.push_back(array.text_row(i));
      continue;
    }
    const std::vector<double> row = turned ? std::vector{array.row(0)[static_cast<std::size_t>(i)]} : array.row(i);
    output.numbers.push_back(row);
    output.texts.emplace_back();
    for (const double x : row) output.texts.back().push_back(as_text(x));
  }
  return output;
}

std::vector<std::string> texts_of(const graph::Tensor& tensor) {
  std::vector<std::string> texts;
  for (const double x : tensor.data)
    texts.push_back(tensor.texts.empty() ? as_text(x) : tensor.texts.at(static_cast<std::size_t>(x)));
  return texts;
}

double range_of(const ExpectedOutput& output) {
  double lowest = HUGE_VAL, highest = -HUGE_VAL;
  for (const std::vector<double>& row : output.numbers)
    for (const double x : row) {
      lowest = std::min(lowest, x);
      highest = std::max(highest, x);
    }
  return std::max(highest - lowest, 1e-12);
}

}  // namespace

std::vector<ExportedModel> exported_models(const std::filesystem::path& data, const std::string& family) {
  std::vector<ExportedModel> models;
  for (const auto& entry : std::filesystem::directory_iterator(data / "exported" / family))
    if (entry.is_directory()) models.push_back({family, entry.path().filename().string(), entry.path()});
  std::sort(models.begin(), models.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return models;
}

std::vector<ExpectedOutput> expected_outputs(const ExportedModel& model) {
  const std::int64_t rows = session::read_npy(model.folder / "rows.npy").rows();
  std::vector<ExpectedOutput> outputs;
  for (int k = 0;; ++k) {
    const std::filesystem::path path = model.folder / ("output_" + std::to_string(k) + ".npy");
    if (!std::filesystem::exists(path)) return outputs;
    outputs.push_back(read_output(path, rows));
  }
}

std::vector<std::vector<graph::Tensor>> rows_of(const ExportedModel& model, const graph::Graph& graph,
                                                const char* file) {
  const session::Dataset data({model.folder / file}, graph, {});
  std::vector<std::vector<graph::Tensor>> rows;
  for (std::int64_t i = 0; i < data.size(); ++i) rows.push_back(data.sample(i));
  return rows;
}

session::Compilation compile(const ExportedModel& model) {
  session::Compilation compilation{{model.name, graph::onnx::import_model(model.folder / "model.onnx")}, {}};
  graph::CompileOptions options;
  options.calibration = rows_of(model, compilation.graph, "train.npy");
  compilation.calibrated = true;
  compilation.model = graph::compile(compilation.graph, options);
  return compilation;
}

Comparison compare(const std::vector<std::vector<graph::Tensor>>& outputs,
                   const std::vector<ExpectedOutput>& expected) {
  Comparison result;
  for (std::size_t o = 0; o < expected.size(); ++o) {
    const double range = expected[o].labels ? 1 : range_of(expected[o]);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (expected[o].labels) {
        ++result.labels;
        result.equal_labels += !outputs[i].empty() && texts_of(outputs[i].at(o)) == expected[o].texts[i] ? 1 : 0;
        continue;
      }
      if (outputs[i].empty()) continue;
      const std::vector<double>&got = outputs[i].at(o).data, &wanted = expected[o].numbers[i];
      if (got.size() != wanted.size()) {
        result.worst = HUGE_VAL;
        continue;
      }
      for (std::size_t k = 0; k < got.size(); ++k) {
        const double difference = std::abs(got[k] - wanted[k]) / range;
        if (!(difference <= result.worst)) result.worst = difference;
      }
    }
  }
  return result;
}

}  // namespace tacit::conformance
