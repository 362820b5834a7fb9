#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/command/run_command.h"
#include "tests/command/workspace.h"
#include "tests/e2e/csv_table.h"

namespace tacit::test {
namespace {

using nlohmann::json;
using Arguments = std::vector<std::string>;

/// Runs `tacit run --json` on a model of the external data and returns what it prints.
json run_model(const std::string& model, const Arguments& more) {
  Arguments arguments{"run", (*external_data() / "models" / model).string(), "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const CommandResult result = run_command(arguments);
  EXPECT_EQ(result.status, 0) << result.err;
  return json::parse(result.out, nullptr, false);
}

void expect_secure_and_agreeing(const json& report, int images) {
  ASSERT_TRUE(report.is_object());
  EXPECT_EQ(report.at("images"), images);
  EXPECT_EQ(report.at("agreement"), 1.0) << report.dump(2);
  EXPECT_GE(report.at("security_bits"), 128);
  EXPECT_FALSE(report.at("simulated"));
}

struct ImageModel {
  std::string name, model, set;
  int images;
  Arguments preprocessing;
  double largest_error;  ///< of an output
};
void PrintTo(const ImageModel& model, std::ostream* out) { *out << model.name; }

class ImageModels : public ::testing::TestWithParam<ImageModel> {};

TEST_P(ImageModels, AgreeWithThePlaintextNetwork) {
  const auto data = external_data();
  if (!data) GTEST_SKIP() << "TACIT_DATA is unset";
  const ImageModel& c = GetParam();
  const std::string images = (*data / c.set / "images_public.npy").string();
  Arguments arguments{"--input",           images,
                      "--labels",          (*data / c.set / "labels_public.npy").string(),
                      "--count",           std::to_string(c.images),
                      "--calibrate",       images,
                      "--calibrate-first", "400",
                      "--calibrate-count", "100"};
  arguments.insert(arguments.end(), c.preprocessing.begin(), c.preprocessing.end());
  const json report = run_model(c.model, arguments);
  expect_secure_and_agreeing(report, c.images);
  EXPECT_LT(report.at("max_abs_error"), c.largest_error);
  EXPECT_EQ(report.at("accuracy_encrypted"), report.at("accuracy_plain"));
}

TEST_P(ImageModels, AgreeInSimulationOnManyImages) {
  const auto data = external_data();
  if (!data) GTEST_SKIP() << "TACIT_DATA is unset";
  const ImageModel& c = GetParam();
  const std::string images = (*data / c.set / "images_public.npy").string();
  Arguments arguments{"--simulate",
                      "--input",
                      images,
                      "--labels",
                      (*data / c.set / "labels_public.npy").string(),
                      "--count",
                      "50",
                      "--calibrate",
                      images,
                      "--calibrate-first",
                      "400",
                      "--calibrate-count",
                      "100"};
  arguments.insert(arguments.end(), c.preprocessing.begin(), c.preprocessing.end());
  const json report = run_model(c.model, arguments);
  ASSERT_TRUE(report.is_object());
  EXPECT_GE(report.at("agreement"), 0.98);
  EXPECT_TRUE(report.at("simulated"));
}

INSTANTIATE_TEST_SUITE_P(
    External, ImageModels,
    ::testing::Values(ImageModel{"cryptonets", "mnist/cryptonets_mnist.onnx", "mnist", 3, {"--scale", "256"}, 1},
                      ImageModel{"lola_small", "mnist/lola_small_mnist.onnx", "mnist", 3, {"--scale", "256"}, 20},
                      ImageModel{"mlp",
                                 "mnist/mlp_mnist_heir.onnx",
                                 "mnist",
                                 2,
                                 {"--scale", "255", "--mean", "0.1307", "--std", "0.3081"},
                                 5},
                      ImageModel{"fashion_square_cnn",
                                 "fashion_mnist/fashion_square_cnn.onnx",
                                 "fashion_mnist",
                                 2,
                                 {"--scale", "255", "--mean", "0.286", "--std", "0.353"},
                                 0.5}),
    [](const auto& model) { return model.param.name; });

struct TabularModel {
  std::string model, table;
};
void PrintTo(const TabularModel& model, std::ostream* out) { *out << model.model; }

class TabularModels : public ::testing::TestWithParam<TabularModel> {};

TEST_P(TabularModels, AgreeWithThePlaintextModel) {
  const auto data = external_data();
  if (!data) GTEST_SKIP() << "TACIT_DATA is unset";
  constexpr int kRows = 4;
  const Workspace workspace;
  const std::filesystem::path folder = *data / "tabular";
  const CsvTable rows = read_csv(folder / (GetParam().table + "_public.csv"), kRows);
  const CsvTable training = read_csv(folder / (GetParam().table + "_train.csv"), 1000);
  const json report = run_model("tabular/" + GetParam().model + ".onnx",
                                {"--input", workspace.array("x.npy", {rows.rows, rows.features}, rows.values),
                                 "--labels", workspace.array("y.npy", {rows.rows}, rows.labels), "--calibrate",
                                 workspace.array("c.npy", {training.rows, training.features}, training.values)});
  expect_secure_and_agreeing(report, kRows);
}

INSTANTIATE_TEST_SUITE_P(
    External, TabularModels,
    ::testing::Values(
        TabularModel{"breast_cancer_logreg", "breast_cancer"}, TabularModel{"breast_cancer_logreg_ml", "breast_cancer"},
        TabularModel{"breast_cancer_mlp_logistic_16", "breast_cancer"},
        TabularModel{"breast_cancer_mlp_relu_16x8", "breast_cancer"}, TabularModel{"diabetes_linreg", "diabetes"},
        TabularModel{"digits_logreg", "digits"}, TabularModel{"digits_logreg_ml", "digits"},
        TabularModel{"digits_mlp_logistic_32x16", "digits"}, TabularModel{"digits_mlp_tanh_32", "digits"},
        TabularModel{"german_credit_logreg", "german_credit"}, TabularModel{"german_credit_logreg_ml", "german_credit"},
        TabularModel{"heart_cleveland_logreg", "heart_cleveland"},
        TabularModel{"heart_cleveland_logreg_ml", "heart_cleveland"}, TabularModel{"iris_logreg", "iris"},
        TabularModel{"iris_logreg_ml", "iris"}, TabularModel{"wine_logreg_ml", "wine"}),
    [](const auto& model) { return model.param.model; });

}  // namespace
}  // namespace tacit::test
