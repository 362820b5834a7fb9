#pragma once

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "base/refusal_for_test.h"
#include "graph/onnx/import.h"
#include "graph/onnx/text_model.h"
#include "graph/operators_for_test.h"
#include "graph/reference/run.h"

namespace tacit::graph::onnx {

/// For tests: models in the text notation, imported and run.

inline Tensor reals(Shape shape, std::vector<double> data) { return {std::move(shape), std::move(data), false}; }

inline const Tensor kSquare = reals({1, 2, 2}, {-1, -0.5, 0, 0.5});

inline Graph import_text(const std::string& text, int opset = 17) {
  return import_bytes(text_model_bytes(text, opset), "m.onnx");
}

/// The outputs of a model on one input.
inline std::vector<Tensor> run_text(const std::string& text, int opset, const Tensor& input) {
  return reference::run(import_text(text, opset), std::vector{input});
}

/// What the importer says to these bytes; as base::refusal where it accepts them.
inline std::string import_refusal(const std::string& bytes, const Bindings& bindings = {}) {
  return base::refusal([&] { import_bytes(bytes, "m.onnx", bindings); });
}

inline std::string import_text_refusal(const std::string& text, int opset = 17) {
  return import_refusal(text_model_bytes(text, opset));
}

/// One model of an old or new form, and what ONNX Runtime or the ONNX project's reference makes of an input.
struct FormCase {
  const char* text;
  int opset;
  Tensor input;
  std::vector<std::vector<double>> expected;  ///< by output
};

inline void expect_forms(const std::vector<FormCase>& cases) {
  for (const FormCase& form : cases) {
    SCOPED_TRACE(std::string("opset ") + std::to_string(form.opset) + ": " + form.text);
    const std::vector<Tensor> outputs = run_text(form.text, form.opset, form.input);
    ASSERT_EQ(outputs.size(), form.expected.size());
    for (std::size_t o = 0; o < outputs.size(); ++o)
      EXPECT_THAT(outputs[o].data, testing::Pointwise(testing::DoubleNear(1e-6), form.expected[o])) << "output " << o;
  }
}

}  // namespace tacit::graph::onnx
