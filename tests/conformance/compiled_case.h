#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/compile.h"
#include "node_case.h"

namespace tacit::conformance {

/// Which inputs of a case are private, and what the client may run by itself.
struct CaseReading {
  bool all_private = true;  ///< every real input, or the first alone (the others are bound as constants)
  bool client_before = false, client_after = false;
};

/// The readings worth trying, the most encrypted first.
inline constexpr CaseReading kReadings[] = {{true, false, false}, {false, false, false}, {true, false, true},
                                            {false, false, true}, {true, true, true},    {false, true, true}};

/// A case's graph, what it was compiled to, and its private inputs: those of the model, and the tensors that the client
/// makes of them and encrypts. Calibrated on those very inputs.
struct CompiledCase {
  graph::Graph graph;
  graph::CompiledModel model;
  std::vector<std::vector<double>> inputs;  ///< one an input of the program
  std::vector<graph::Tensor> kept{};        ///< what the client keeps of the private inputs
};

/// Throws InputError where the importer or the compiler refuses.
CompiledCase compile_case(const NodeCase& node_case, const CaseReading& reading,
                          std::optional<params::CkksLiteral> parameters = std::nullopt);

/// The first reading of a case that compiles, and what it compiles to; the last refusal where none does.
struct MostEncrypted {
  std::optional<CompiledCase> compiled;
  CaseReading reading{};
  std::string refusal;
};
MostEncrypted compile_most_encrypted(const NodeCase& node_case,
                                     const std::optional<params::CkksLiteral>& parameters = std::nullopt);

/// Largest relative error of the model's outputs against the expected tensors: the client's part run on
/// what is decrypted, by output of the client interface and in the model's units. Infinite where labels or other
/// integers differ.
double worst_error(const CompiledCase& compiled, const NodeCase& node_case,
                   const std::vector<std::vector<double>>& decrypted);

/// What a case's operators allow: 1e-3 where all are smooth, 2e-2 where one has a kink.
double tolerance(const NodeCase& node_case);

}  // namespace tacit::conformance
