#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "data_folder.h"
#include "graph/onnx/import.h"
#include "graph/reference/run.h"

namespace tacit::conformance {
namespace {

/// A model on tabular rows: its accuracy on the public ones, or for a regression the share of variance it explains.
struct TabularModel {
  std::string name, rows;
  double score;
};

/// The rows of a CSV file with a heading; the last column is the label.
std::vector<std::vector<double>> read_rows(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::vector<std::vector<double>> rows;
  std::string line;
  std::getline(stream, line);
  while (std::getline(stream, line)) {
    rows.emplace_back();
    std::stringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(std::stod(cell));
  }
  return rows;
}

/// The class that the outputs name: a label, the likelier of two, or the largest score.
double predicted_class(const std::vector<graph::Tensor>& outputs) {
  const graph::Tensor& first = outputs.at(0);
  if (first.integral) return first.data.at(0);
  if (first.size() == 1) return first.data[0] > 0.5 ? 1 : 0;
  return static_cast<double>(std::max_element(first.data.begin(), first.data.end()) - first.data.begin());
}

class TabularModels : public testing::TestWithParam<TabularModel> {};

TEST_P(TabularModels, ReferenceReachesTheAccuracy) {
  const auto data = data_folder();
  if (!data) GTEST_SKIP() << "TACIT_DATA is not set: 1 model is not run";
  const graph::Graph graph = graph::onnx::import_model(*data / "models/tabular" / (GetParam().name + ".onnx"));
  const auto rows = read_rows(*data / "tabular" / (GetParam().rows + "_public.csv"));
  ASSERT_GE(rows.size(), 25U);
  double right = 0, residual = 0, mean = 0, variance = 0;
  for (const auto& row : rows) mean += row.back() / static_cast<double>(rows.size());
  for (const auto& row : rows) {
    const graph::Tensor input{graph.tensors.at(graph.inputs.at(0)).shape, {row.begin(), row.end() - 1}};
    const auto outputs = graph::reference::run(graph, std::vector{input});
    if (predicted_class(outputs) == row.back()) right += 1;
    residual += (outputs[0].data[0] - row.back()) * (outputs[0].data[0] - row.back());
    variance += (row.back() - mean) * (row.back() - mean);
  }
  const bool regression = GetParam().rows == "diabetes";
  EXPECT_NEAR(regression ? 1 - residual / variance : right / static_cast<double>(rows.size()), GetParam().score, 5e-4);
}

INSTANTIATE_TEST_SUITE_P(Real, TabularModels,
                         testing::Values(TabularModel{"breast_cancer_logreg", "breast_cancer", 0.979},
                                         TabularModel{"breast_cancer_logreg_ml", "breast_cancer", 0.979},
                                         TabularModel{"breast_cancer_mlp_logistic_16", "breast_cancer", 0.979},
                                         TabularModel{"breast_cancer_mlp_relu_16x8", "breast_cancer", 0.979},
                                         TabularModel{"diabetes_linreg", "diabetes", 0.406},
                                         TabularModel{"digits_logreg", "digits", 0.973},
                                         TabularModel{"digits_logreg_ml", "digits", 0.973},
                                         TabularModel{"digits_mlp_logistic_32x16", "digits", 0.970},
                                         TabularModel{"digits_mlp_tanh_32", "digits", 0.9766},
                                         TabularModel{"german_credit_logreg", "german_credit", 0.819},
                                         TabularModel{"german_credit_logreg_ml", "german_credit", 0.819},
                                         TabularModel{"heart_cleveland_logreg", "heart_cleveland", 0.837},
                                         TabularModel{"heart_cleveland_logreg_ml", "heart_cleveland", 0.837},
                                         TabularModel{"iris_logreg", "iris", 0.96},
                                         TabularModel{"iris_logreg_ml", "iris", 0.96},
                                         TabularModel{"wine_logreg_ml", "wine", 1.0}),
                         [](const auto& model) { return model.param.name; });

}  // namespace
}  // namespace tacit::conformance
