#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "data_folder.h"
#include "graph/compile.h"
#include "graph/onnx/import.h"
#include "graph/reference/run.h"
#include "program/slots/clear_program.h"
#include "program/slots/cost.h"
#include "session/owner/npy.h"
#include "session/owner/preprocess.h"
#include "tests/data/csv_table.h"

namespace tacit::conformance {
namespace {

enum class Task { kClasses, kProbability, kRegression };

/// A real model, its data, and what the compiler must reach on it.
struct RealModel {
  std::string folder, name, data;
  session::Preprocessing preprocessing;  ///< of images
  Task task = Task::kClasses;
  int agreeing = 100;        ///< least number of inputs in a hundred with the plaintext's answer
  int depth = 0, log_n = 0;  ///< what the compiler must choose, so that a change for the worse shows
};

std::vector<RealModel> real_models() {
  const session::Preprocessing mnist{255, {0.1307}, {0.3081}, 0}, padded{255, {0.1307}, {0.3081}, 2};
  const session::Preprocessing raw{256, {}, {}, 0}, fashion{255, {0.286}, {0.353}, 0};
  return {
      {"mnist", "cryptonets_mnist", "mnist", raw, Task::kClasses, 100, 5, 13},
      {"mnist", "lola_small_mnist", "mnist", raw, Task::kClasses, 100, 3, 13},
      {"mnist", "mlp_mnist_heir", "mnist", mnist, Task::kClasses, 99, 8, 14},
      {"mnist", "lenet5_mnist_heir", "mnist", padded, Task::kClasses, 98, 26, 16},
      {"fashion_mnist", "fashion_square_cnn", "fashion_mnist", fashion, Task::kClasses, 100, 7, 14},
      {"tabular", "breast_cancer_logreg", "breast_cancer", {}, Task::kProbability, 100, 1, 13},
      {"tabular", "breast_cancer_logreg_ml", "breast_cancer", {}, Task::kClasses, 100, 1, 13},
      {"tabular", "breast_cancer_mlp_logistic_16", "breast_cancer", {}, Task::kProbability, 100, 9, 14},
      {"tabular", "breast_cancer_mlp_relu_16x8", "breast_cancer", {}, Task::kProbability, 100, 23, 15},
      {"tabular", "diabetes_linreg", "diabetes", {}, Task::kRegression, 100, 1, 13},
      {"tabular", "digits_logreg", "digits", {}, Task::kClasses, 100, 1, 13},
      {"tabular", "digits_logreg_ml", "digits", {}, Task::kClasses, 100, 1, 13},
      {"tabular", "digits_mlp_logistic_32x16", "digits", {}, Task::kClasses, 100, 16, 15},
      {"tabular", "digits_mlp_tanh_32", "digits", {}, Task::kClasses, 100, 10, 14},
      {"tabular", "german_credit_logreg", "german_credit", {}, Task::kProbability, 100, 1, 13},
      {"tabular", "german_credit_logreg_ml", "german_credit", {}, Task::kClasses, 100, 1, 13},
      {"tabular", "heart_cleveland_logreg", "heart_cleveland", {}, Task::kProbability, 100, 1, 13},
      {"tabular", "heart_cleveland_logreg_ml", "heart_cleveland", {}, Task::kClasses, 100, 1, 13},
      {"tabular", "iris_logreg", "iris", {}, Task::kClasses, 100, 1, 13},
      {"tabular", "iris_logreg_ml", "iris", {}, Task::kClasses, 100, 1, 13},
      {"tabular", "wine_logreg_ml", "wine", {}, Task::kClasses, 100, 1, 13},
  };
}

using Rows = std::vector<std::vector<double>>;

/// The rows of a table without their labels.
Rows read_features(const std::filesystem::path& path) {
  const test::CsvTable table = test::read_csv(path);
  Rows rows;
  for (std::int64_t i = 0; i < table.rows; ++i) rows.emplace_back(table.row(i).begin(), table.row(i).end());
  return rows;
}

/// Scored inputs (at most 100), and others to calibrate on: training rows, or images from the 200th on.
std::pair<Rows, Rows> read_inputs(const std::filesystem::path& data, const RealModel& model) {
  Rows scored, calibration;
  if (model.folder == "tabular") {
    scored = read_features(data / "tabular" / (model.data + "_public.csv"));
    calibration = read_features(data / "tabular" / (model.data + "_train.csv"));
  } else {
    const session::NpyArray images = session::read_npy(data / model.data / "images_public.npy");
    for (std::int64_t i = 0; i < 500; ++i) {
      if (i >= 100 && i < 200) continue;
      (i < 100 ? scored : calibration)
          .push_back(session::preprocess(model.preprocessing, images.row_shape(), images.row(i), images.name()));
    }
  }
  scored.resize(std::min<std::size_t>(scored.size(), 100));
  return {std::move(scored), std::move(calibration)};
}

bool agree(Task task, const std::vector<double>& got, const std::vector<double>& expected, double output_range) {
  if (task == Task::kProbability) return (got.at(0) > 0.5) == (expected.at(0) > 0.5);
  if (task == Task::kRegression) return std::abs(got.at(0) - expected.at(0)) < 0.01 * output_range;
  return std::max_element(got.begin(), got.end()) - got.begin() ==
         std::max_element(expected.begin(), expected.end()) - expected.begin();
}

/// What the client encrypts of one row.
std::vector<std::vector<double>> encrypted_tensors(const graph::CompiledModel& model, const graph::Shape& shape,
                                                   const std::vector<double>& row) {
  std::vector<std::vector<double>> tensors;
  for (graph::Tensor& tensor : run_before(model.parts, std::vector<graph::Tensor>{{shape, row, false}}))
    tensors.push_back(std::move(tensor.data));
  return tensors;
}

class ClearModels : public testing::TestWithParam<RealModel> {};

TEST_P(ClearModels, CompiledProgramsGiveThePlaintextsAnswers) {
  const auto data = data_folder();
  if (!data) GTEST_SKIP() << "TACIT_DATA is not set: the model is not compiled";
  const RealModel& model = GetParam();
  const graph::Graph graph = graph::onnx::import_model(*data / "models" / model.folder / (model.name + ".onnx"));
  const auto [scored, calibration] = read_inputs(*data, model);
  const graph::Shape shape = graph.tensors.at(graph.inputs.at(0)).shape;
  graph::CompileOptions options;
  for (const std::vector<double>& row : calibration) options.calibration.push_back({{shape, row, false}});
  const graph::CompiledModel compiled = graph::compile(graph, options);
  EXPECT_EQ(slots::total_depth(compiled.program), model.depth);
  EXPECT_EQ(compiled.parameters.log_n, model.log_n);

  std::vector<std::vector<graph::Tensor>> expected;
  for (const std::vector<double>& row : scored)
    expected.push_back(graph::reference::run(graph, std::vector<graph::Tensor>{{shape, row, false}}));
  double lowest = expected[0][0].data[0], highest = lowest;
  for (const auto& outputs : expected) {
    lowest = std::min(lowest, outputs[0].data[0]);
    highest = std::max(highest, outputs[0].data[0]);
  }
  const slots::ClearProgram evaluator(compiled.program);
  std::size_t agreeing = 0;
  double worst = 0;
  for (std::size_t i = 0; i < scored.size(); ++i) {
    const auto results = evaluator.run(encrypted_tensors(compiled, shape, scored[i]));
    std::vector<std::vector<double>> decrypted;
    for (const program::ClientOutput& output : compiled.client.outputs) {
      const std::vector<double>& values = results.at(output.program_output);
      for (const double x : values) EXPECT_TRUE(x >= output.lowest && x <= output.highest);
      decrypted.push_back(from_units(output, values));
    }
    const std::vector<graph::Tensor> outputs = run_after(compiled.parts, decrypted);
    ASSERT_EQ(outputs.size(), expected[i].size());
    bool all = true;
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const std::vector<double>&got = outputs[o].data, &exact = expected[i][o].data;
      EXPECT_EQ(outputs[o].integral, expected[i][o].integral);
      for (std::size_t k = 0; k < exact.size(); ++k) worst = std::max(worst, std::abs(got[k] - exact[k]));
      all = all && (o > 0 || agree(exact.size() > 1 || model.task != Task::kClasses ? model.task : Task::kRegression,
                                   got, exact, highest - lowest));
    }
    agreeing += all;
  }
  EXPECT_GE(agreeing * 100, static_cast<std::size_t>(model.agreeing) * scored.size());
  const slots::ProgramCost cost = slots::price(compiled.program, compiled.parameters, {});
  std::cout << model.name << ": " << compiled.parameters.name << ", " << agreeing << " of " << scored.size()
            << " agree, largest error " << worst << ", " << cost.rotations << " rotations, " << cost.diagonals
            << " diagonals, " << cost.multiplications << " products, predicted " << cost.seconds << " s\n";
}

INSTANTIATE_TEST_SUITE_P(Real, ClearModels, testing::ValuesIn(real_models()),
                         [](const auto& model) { return model.param.name; });

}  // namespace
}  // namespace tacit::conformance
