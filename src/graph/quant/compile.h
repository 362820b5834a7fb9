#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "graph/client_parts.h"
#include "graph/far_row.h"
#include "graph/graph.h"
#include "graph/quant/choose_parameters.h"
#include "graph/quant/quantise.h"
#include "params/tfhe_parameters.h"

namespace tacit::graph::quant {

struct CompileOptions {
  int bits = 6;                                     ///< of the argument of a table
  Rounding rounding = Rounding::approximate;        ///< exact: tables may be wider, where that is cheaper
  double log2_failure = -128;                       ///< of a lookup, or of a result's decryption
  std::optional<params::TfheLiteral> parameters{};  ///< fixed by the user; chosen when absent
  std::vector<std::vector<Tensor>> calibration{};   ///< inputs: a vector a sample, a tensor a graph input
  CalibrationTrim trim{};                           ///< how many rows that lie far from all others calibrate nothing
  std::int64_t first_sample = 0;                    ///< the row that the first calibration sample is, for people
  std::optional<std::pair<double, double>> input_range{};  ///< public knowledge about the inputs
  bool client_before = true;                               ///< the client may run operators before encryption
  std::set<std::string> keep_private{};                    ///< nodes that the client may not run
};

/// What follows from a model on integers, before any key exists.
/// Tensors of meanings are those of `encrypted`.
struct CompiledIntegers : Quantised {
  params::TfheLiteral parameters;
  ClientParts parts;                    ///< what the client runs in the clear
  Graph encrypted;                      ///< what the program computes, as the network's operators
  FarRows far_rows;                     ///< calibration rows that lie far from all others
  std::vector<double> neighbour_rates;  ///< by value of the program (integers::neighbour_rates)
};

/// Compiles a network to a program on integers: gives operators to client and server, calibrates, quantises, and
/// chooses the cheapest parameters that hold for every lookup and every result. InputError says which of these holds:
/// - an operator has no form on integers,
/// - there is neither calibration data nor an interval of the inputs, or all samples are the same,
/// - no parameter set meets the noise, naming the layer and the nearest that one would meet.
CompiledIntegers compile(const Graph& graph, const CompileOptions& options,
                         base::Progress& progress = base::Progress::silent());

}  // namespace tacit::graph::quant
