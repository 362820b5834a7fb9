#pragma once

#include "graph/passes/deep_network_for_test.h"
#include "session/owner/compilation.h"

namespace tacit::session {

/// A perceptron of one layer, compiled for slots on a small ring that is insecure.
inline Compilation small_perceptron() {
  graph::CompileOptions options;
  options.calibration = graph::passes::deep_samples(20, 4, 5);
  options.parameters = params::CkksLiteral{.name = "small",
                                           .log_n = 8,
                                           .q_bits = {50, 40, 40, 40, 40, 40, 40, 40, 40},
                                           .p_bits = {50},
                                           .log_scale = 40,
                                           .insecure = true};
  return compile_graph("small", graph::passes::deep_perceptron(1, 4), options, base::Progress::silent());
}

}  // namespace tacit::session
