#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "data_folder.h"
#include "graph/attribute.h"
#include "graph/onnx/import.h"
#include "graph/reference/run.h"
#include "session/owner/npy.h"
#include "session/owner/preprocess.h"

namespace tacit::conformance {
namespace {

/// A real model, how its images are prepared, and how many of them are compared with the golden outputs.
struct GoldenModel {
  std::string folder, name, images;
  session::Preprocessing preprocessing;
  std::int64_t count = 0;
  std::string outputs = name;  ///< whose golden outputs it must give
};

std::vector<GoldenModel> golden_models() {
  const session::Preprocessing mnist{255, {0.1307}, {0.3081}, 0}, padded{255, {0.1307}, {0.3081}, 2};
  const session::Preprocessing cifar{255, {0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}, 0};
  return {
      {"mnist", "cryptonets_mnist", "mnist", {256, {}, {}, 0}, 50},
      {"mnist", "lola_small_mnist", "mnist", {256, {}, {}, 0}, 50},
      {"mnist", "lenet5_mnist_heir", "mnist", padded, 50},
      {"mnist", "mlp_mnist_heir", "mnist", mnist, 50},
      {"mnist", "mnist8_opt_wonnx", "mnist", {}, 50},
      {"mnist", "mnist_opset1_onnxmodels2018", "mnist", {}, 50, "mnist8_opt_wonnx"},  // the same weights
      {"fashion_mnist", "fashion_square_cnn", "fashion_mnist", {255, {0.286}, {0.353}, 0}, 50},
      {"cifar10", "resnet20_cifar10_pre", "cifar10", cifar, 3},
      {"cifar10", "resnet32_cifar10_pre", "cifar10", cifar, 1},
      {"cifar10", "resnet56_cifar10_pre", "cifar10", cifar, 1},
      {"cifar10", "resnet20_akamaster_bn", "cifar10", cifar, 3},
      {"cifar10", "resnet20_akamaster_torchexport", "cifar10", cifar, 3},
      {"cifar10", "squeezenet_cifar10", "cifar10", cifar, 2},
  };
}

class GoldenModels : public testing::TestWithParam<GoldenModel> {};

TEST_P(GoldenModels, ReferenceReproducesTheOutputs) {
  const auto data = data_folder();
  if (!data) GTEST_SKIP() << "TACIT_DATA is not set: " << GetParam().count << " images are not compared";
  const GoldenModel& model = GetParam();
  const graph::Graph graph = graph::onnx::import_model(*data / "models" / model.folder / (model.name + ".onnx"));
  const session::NpyArray images = session::read_npy(*data / model.images / "images_public.npy");
  const session::NpyArray golden = session::read_npy(*data / "golden" / (model.outputs + "_public.npy"));
  double worst = 0, largest = 0;
  for (std::int64_t i = 0; i < model.count; ++i) {
    graph::Tensor input;
    input.shape = graph.tensors.at(graph.inputs.at(0)).shape;
    input.data = session::preprocess(model.preprocessing, images.row_shape(), images.row(i), images.name());
    ASSERT_EQ(graph::element_count(input.shape), input.size());
    const graph::Tensor output = graph::reference::run(graph, std::vector{input}).at(0);
    const std::vector<double> expected = golden.row(i);
    ASSERT_EQ(output.data.size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
      worst = std::max(worst, std::abs(output.data[k] - expected[k]));
      largest = std::max(largest, std::abs(expected[k]));
    }
    EXPECT_EQ(std::max_element(output.data.begin(), output.data.end()) - output.data.begin(),
              std::max_element(expected.begin(), expected.end()) - expected.begin())
        << "image " << i;
  }
  EXPECT_GT(largest, 0);
  EXPECT_LT(worst / largest, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Real, GoldenModels, testing::ValuesIn(golden_models()),
                         [](const auto& model) { return model.param.name; });

}  // namespace
}  // namespace tacit::conformance
