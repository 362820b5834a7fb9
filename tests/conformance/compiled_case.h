#pragma once

#include <optional>
#include <vector>

#include "graph/compile.h"
#include "node_case.h"

namespace tacit::conformance {

/// Which inputs of a case are private, and who post-processes.
struct CaseReading {
  bool all_private = true;  ///< every real input, or the first alone (the others are bound as constants)
  bool client_post_processing = false;
};

/// The readings worth trying, the most encrypted first.
inline constexpr CaseReading kReadings[] = {{true, false}, {false, false}, {true, true}, {false, true}};

/// A case's graph, what it was compiled to, and its private inputs, one tensor an input of the program. Calibrated on
/// those very inputs.
struct CompiledCase {
  graph::Graph graph;
  graph::CompiledModel model;
  std::vector<std::vector<double>> inputs;
};

/// Throws InputError where the importer or the compiler refuses.
CompiledCase compile_case(const NodeCase& node_case, const CaseReading& reading,
                          std::optional<params::CkksLiteral> parameters = std::nullopt);

/// Largest relative error of the program's outputs, after the client's steps, against the expected tensors.
double worst_error(const CompiledCase& compiled, const NodeCase& node_case,
                   const std::vector<std::vector<double>>& program_outputs);

/// What a case's operators allow: 1e-3 where all are smooth, 2e-2 where one has a kink.
double tolerance(const NodeCase& node_case);

}  // namespace tacit::conformance
