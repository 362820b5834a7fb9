#pragma once

#include "graph/passes/deep_network_for_test.h"
#include "session/owner/compilation.h"

namespace tacit::session {

/// A small insecure ring with enough levels for a perceptron of one layer.
inline params::CkksLiteral small_insecure_literal() {
  return {.name = "small",
          .log_n = 8,
          .q_bits = {50, 40, 40, 40, 40, 40, 40, 40, 40},
          .p_bits = {50},
          .log_scale = 40,
          .insecure = true};
}

/// A perceptron of one layer, compiled for slots on that ring.
inline Compilation small_perceptron() {
  graph::CompileOptions options;
  options.calibration = graph::passes::deep_samples(20, 4, 5);
  options.parameters = small_insecure_literal();
  return compile_graph("small", graph::passes::deep_perceptron(1, 4), options, base::Progress::silent());
}

}  // namespace tacit::session
