#pragma once

#include <tacit/model.h>

#include <cmath>

/// Trees of the examples, compiled on integers through the public interface.
namespace tacit::testing {

/// Ten features. Numbers from 0 to 255 are for calibration.
inline Tensors sine_row(int number) {
  Tensors tensors(1);
  for (int i = 0; i < 10; ++i) tensors[0].push_back(1.5 * std::sin(1.7 * number * (i + 1) + i));
  return tensors;
}

inline CompileOptions tree_options() {
  CompileOptions choices;
  for (int r = 0; r < 256; ++r) choices.calibration.push_back(sine_row(r));
  choices.scheme = Scheme::tfhe;
  choices.bits = 3;
  return choices;
}

inline CompiledModel trees(const CompileOptions& options = tree_options()) {
  return compile(TACIT_EXAMPLES "/trees/boosted.onnx", options);
}

}  // namespace tacit::testing
