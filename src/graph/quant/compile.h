#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "graph/client_parts.h"
#include "graph/far_row.h"
#include "graph/graph.h"
#include "graph/pass_control.h"
#include "graph/quant/choose_parameters.h"
#include "graph/quant/measurements.h"
#include "graph/quant/quantise.h"
#include "params/tfhe_parameters.h"

namespace tacit::graph::quant {

struct CompileOptions : MeasuredChoices {
  std::vector<std::vector<Tensor>> calibration{};  ///< inputs: one vector per sample, one tensor per graph input
  std::shared_ptr<const Measurements> measured{};  ///< what samples showed, in place of samples
  bool keep_measurements = false;                  ///< return the results that are taken from samples
  CalibrationTrim trim{};         ///< limit of the rows far from all others that are left out of the calibration
  std::int64_t first_sample = 0;  ///< row number of the first calibration sample, for people
  std::optional<std::pair<double, double>> input_range{};  ///< public knowledge about the inputs
  PassControl passes{};                                    ///< passes that run, and the receiver of their decisions
};

/// A model compiled to integers, before any key exists. Tensors of meanings are those of `encrypted`.
struct CompiledIntegers : Quantised {
  params::TfheLiteral parameters;
  ClientParts parts;                           ///< operators that the client runs in the clear
  Graph encrypted;                             ///< operators that the program computes, those of the network
  FarRows far_rows;                            ///< calibration rows that lie far from all others
  std::vector<double> neighbour_rates;         ///< by value of the program (integers::neighbour_rates)
  std::optional<Measurements> measurements{};  ///< present if CompileOptions::keep_measurements is true
};

/// Throws InputError for an option that is wrong, or that contradicts another one or the network, naming it.
void require_options(const Graph& graph, const CompileOptions& options);

/// Compiles a network to a program on integers: gives operators to client and server, calibrates and quantises. Chooses
/// the cheapest parameters that hold for every lookup and every result. Throws InputError in these
/// cases:
/// - An operator has no form on integers.
/// - There is neither calibration data, nor its measurements, nor an interval of the inputs.
/// - All samples are the same.
/// - No parameter set meets the noise. The sentence names the layer and the nearest noise that a set meets.
/// - The control of the passes cannot be followed (pipeline.h).
CompiledIntegers compile(const Graph& graph, const CompileOptions& options,
                         base::Progress& progress = base::Progress::silent());

}  // namespace tacit::graph::quant
