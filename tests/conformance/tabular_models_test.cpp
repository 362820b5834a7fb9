#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "data_folder.h"
#include "graph/onnx/import.h"
#include "graph/reference/run.h"
#include "tests/data/csv_table.h"

namespace tacit::conformance {
namespace {

/// A model on tabular rows: its accuracy on the public ones, or for a regression the share of variance it explains.
struct TabularModel {
  std::string name, rows;
  double score;
};

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
  const test::CsvTable table = test::read_csv(*data / "tabular" / (GetParam().rows + "_public.csv"));
  const auto rows = static_cast<double>(table.rows);
  ASSERT_GE(table.rows, 25);
  double right = 0, residual = 0, mean = 0, variance = 0;
  for (const double label : table.labels) mean += label / rows;
  for (std::int64_t i = 0; i < table.rows; ++i) {
    const auto features = table.row(i);
    const double label = table.labels[static_cast<std::size_t>(i)];
    const graph::Tensor input{graph.tensors.at(graph.inputs.at(0)).shape, {features.begin(), features.end()}};
    const auto outputs = graph::reference::run(graph, std::vector{input});
    if (predicted_class(outputs) == label) right += 1;
    residual += (outputs[0].data[0] - label) * (outputs[0].data[0] - label);
    variance += (label - mean) * (label - mean);
  }
  const bool regression = GetParam().rows == "diabetes";
  EXPECT_NEAR(regression ? 1 - residual / variance : right / rows, GetParam().score, 5e-4);
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
