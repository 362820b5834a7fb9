#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/command/run_command.h"
#include "tests/command/workspace.h"
#include "tests/data/csv_table.h"

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
  Arguments preprocessing;
  int images;            ///< to encrypt
  double largest_error;  ///< of an output
};
void PrintTo(const ImageModel& model, std::ostream* out) { *out << model.name; }

/// Images from the front of the public set, calibrated on images that are not scored.
Arguments image_arguments(const ImageModel& model, int images) {
  const std::filesystem::path folder = *external_data() / model.set;
  const std::string file = (folder / "images_public.npy").string();
  Arguments arguments{"--input",           file,
                      "--labels",          (folder / "labels_public.npy").string(),
                      "--count",           std::to_string(images),
                      "--calibrate",       file,
                      "--calibrate-first", "400"};
  arguments.insert(arguments.end(), model.preprocessing.begin(), model.preprocessing.end());
  return arguments;
}

const ImageModel kCryptonets{"cryptonets", "mnist/cryptonets_mnist.onnx", "mnist", {"--scale", "256"}, 3, 1};
const ImageModel kLola{"lola_small", "mnist/lola_small_mnist.onnx", "mnist", {"--scale", "256"}, 3, 20};
const ImageModel kMlp{
    "mlp", "mnist/mlp_mnist_heir.onnx", "mnist", {"--scale", "255", "--mean", "0.1307", "--std", "0.3081"}, 2, 5};
const ImageModel kFashion{"fashion_square_cnn",
                          "fashion_mnist/fashion_square_cnn.onnx",
                          "fashion_mnist",
                          {"--scale", "255", "--mean", "0.286", "--std", "0.353"},
                          2,
                          0.5};
/// Encrypted, it takes ten gigabytes: too much for a test.
const ImageModel kLenet{"lenet5", "mnist/lenet5_mnist_heir.onnx",
                        "mnist",  {"--scale", "255", "--mean", "0.1307", "--std", "0.3081", "--pad", "2"},
                        0,        0};

std::string name_of(const ::testing::TestParamInfo<ImageModel>& model) { return model.param.name; }

class EncryptedImages : public ::testing::TestWithParam<ImageModel> {};

TEST_P(EncryptedImages, AgreeWithThePlaintextNetwork) {
  if (!external_data()) GTEST_SKIP() << "TACIT_DATA is unset";
  const json report = run_model(GetParam().model, image_arguments(GetParam(), GetParam().images));
  expect_secure_and_agreeing(report, GetParam().images);
  EXPECT_LT(report.at("max_abs_error"), GetParam().largest_error);
  EXPECT_EQ(report.at("accuracy_encrypted"), report.at("accuracy_plain"));
}

INSTANTIATE_TEST_SUITE_P(External, EncryptedImages, ::testing::Values(kCryptonets, kLola, kMlp, kFashion), name_of);

class SimulatedImages : public ::testing::TestWithParam<ImageModel> {};

TEST_P(SimulatedImages, AgreeWithThePlaintextNetwork) {
  if (!external_data()) GTEST_SKIP() << "TACIT_DATA is unset";
  Arguments arguments = image_arguments(GetParam(), 100);
  arguments.push_back("--simulate");
  const json report = run_model(GetParam().model, arguments);
  ASSERT_TRUE(report.is_object());
  EXPECT_TRUE(report.at("simulated"));
  EXPECT_EQ(report.at("images"), 100);
  EXPECT_GE(report.at("agreement"), 0.98);
}

INSTANTIATE_TEST_SUITE_P(External, SimulatedImages, ::testing::Values(kCryptonets, kLola, kMlp, kFashion, kLenet),
                         name_of);

struct TabularModel {
  std::string model, table;
};
void PrintTo(const TabularModel& model, std::ostream* out) { *out << model.model; }

class TabularModels : public ::testing::TestWithParam<TabularModel> {};

/// Up to so many public rows, calibrated on the training rows.
json run_tabular(const TabularModel& model, int count, const Arguments& more) {
  const Workspace workspace;
  const std::filesystem::path folder = *external_data() / "tabular";
  const CsvTable rows = read_csv(folder / (model.table + "_public.csv"), count);
  const CsvTable training = read_csv(folder / (model.table + "_train.csv"), 1000);
  Arguments arguments{"--input", workspace.array("x.npy", {rows.rows, rows.features}, rows.values), "--labels",
                      workspace.array("y.npy", {rows.rows}, rows.labels)};
  // One public row of this table lies outside the range of the training rows; its models are linear and need none.
  if (model.table != "heart_cleveland")
    arguments.insert(arguments.end(),
                     {"--calibrate", workspace.array("c.npy", {training.rows, training.features}, training.values)});
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_model("tabular/" + model.model + ".onnx", arguments);
}

TEST_P(TabularModels, AgreeWithThePlaintextModel) {
  if (!external_data()) GTEST_SKIP() << "TACIT_DATA is unset";
  constexpr int kRows = 4;
  expect_secure_and_agreeing(run_tabular(GetParam(), kRows, {}), kRows);
}

TEST_P(TabularModels, AgreeOnEveryRowWhenSimulated) {
  if (!external_data()) GTEST_SKIP() << "TACIT_DATA is unset";
  const json report = run_tabular(GetParam(), 1000, {"--simulate"});
  ASSERT_TRUE(report.is_object());
  EXPECT_GE(report.at("images"), 25);
  EXPECT_EQ(report.at("agreement"), 1.0) << report.dump(2);
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
