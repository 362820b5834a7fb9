#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "graph/onnx/import.h"
#include "graph/quant/compiled_for_test.h"
#include "session/owner/npy.h"

namespace tacit::session {
namespace {

struct Example {
  const char* model;
  int bits;
};

class ExampleTrees : public ::testing::TestWithParam<Example> {};

std::vector<std::vector<graph::Tensor>> rows_of(const std::string& file) {
  const NpyArray array = read_npy(TACIT_EXAMPLES "/trees/" + file);
  std::vector<std::vector<graph::Tensor>> rows;
  for (std::int64_t row = 0; row < array.rows(); ++row)
    rows.push_back({graph::Tensor{{1, static_cast<std::int64_t>(array.row(row).size())}, array.row(row), false}});
  return rows;
}

/// On every row of the example: the program answers what the ONNX model answers on features at the values of their
/// grid. What the grid itself costs is another matter.
TEST_P(ExampleTrees, EqualTheModelOnQuantisedFeaturesOnEveryRow) {
  const graph::Graph model = graph::onnx::import_model(std::string(TACIT_EXAMPLES "/trees/") + GetParam().model);
  graph::quant::CompileOptions options;
  options.bits = GetParam().bits;
  options.calibration = rows_of("train.npy");
  const graph::quant::CompiledIntegers compiled = graph::quant::compile(model, options);
  const integers::ClientInput& input = compiled.client.inputs.at(0);
  const std::vector<double>& points = compiled.meanings.at(0).points;
  std::size_t rows = 0, labels = 0;
  double farthest = 0;
  for (const auto& row : rows_of("test.npy")) {
    const integers::Integers boxes = integers::quantise(input, row[0].data);
    std::vector<graph::Tensor> quantised = row;
    for (std::size_t f = 0; f < boxes.size(); ++f)
      quantised[0].data[f] = points[(f << options.bits) + static_cast<std::size_t>(boxes[f])];
    const std::vector<graph::Tensor> expected = graph::reference::run(model, quantised),
                                     got = graph::quant::answer(compiled, row);
    ASSERT_EQ(got.size(), 2u);
    labels += got[0].data == expected[0].data ? 1 : 0;
    for (std::size_t e = 0; e < expected[1].data.size(); ++e)
      farthest = std::max(farthest, std::abs(got[1].data.at(e) - expected[1].data[e]));
    ++rows;
  }
  EXPECT_EQ(rows, 200u);
  EXPECT_EQ(labels, rows);
  // What rounding of leaves adds up to.
  EXPECT_LT(farthest, 0.01);
}

INSTANTIATE_TEST_SUITE_P(Models, ExampleTrees,
                         ::testing::Values(Example{"boosted.onnx", 4}, Example{"boosted.onnx", 6},
                                           Example{"forest.onnx", 3}, Example{"forest.onnx", 6}),
                         [](const auto& test) {
                           const std::string name = test.param.model;
                           return name.substr(0, name.find('.')) + std::to_string(test.param.bits);
                         });

}  // namespace
}  // namespace tacit::session
