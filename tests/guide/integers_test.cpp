// What docs/integers.md draws: the sums of a network on integers, and the operators that each lookup stands for.

#include <gtest/gtest.h>

#include <random>

#include "graph/onnx/import.h"
#include "graph/onnx/text_model.h"
#include "graph/quant/compile.h"
#include "printed_page.h"
#include "program/integers/drawing.h"

namespace tacit::guide {
namespace {

// guide: residual
const char* const kResidual = R"(residual (float[N, 4] x) => (float[N, 3] y) <
  float[4, 3] w = {1, -2, 0.5, 2, 1, -1, -1, 0.5, 2, 0.25, -1, 1}, float[3, 3] v = {1, 2, 0, -1, 1, 1, 0.5, 0, -1}
> {
  h = MatMul (x, w)
  bent = Sigmoid (h)
  kept = Add (h, bent)
  mixed = MatMul (kept, v)
  once_more = Tanh (mixed)
  both = Add (kept, once_more)
  y = MatMul (both, v)
})";
// guide: end

TEST(GuideIntegers, SumsAndRegionsAreDrawn) {
  const graph::Graph model = graph::onnx::import_bytes(graph::onnx::text_model_bytes(kResidual, 18), "residual.onnx");
  std::mt19937_64 random(1);
  graph::quant::CompileOptions options;
  for (int s = 0; s < 64; ++s) {
    graph::Tensor row{{1, 4}, {}, false};
    for (int i = 0; i < 4; ++i) row.data.push_back(static_cast<double>(random() >> 56) / 128 - 1);
    options.calibration.push_back({row});
  }
  const graph::quant::CompiledIntegers compiled = graph::quant::compile(model, options);
  EXPECT_EQ(integers::lookups(compiled.program), 6U) << "three of Sigmoid and Add together, three of Tanh";
  PrintedPage page("integers.md");
  page.expect("regions", integers::to_mermaid(compiled.program));
  page.check();
}

}  // namespace
}  // namespace tacit::guide
