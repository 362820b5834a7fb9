#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "base/progress.h"
#include "graph/calibration.h"
#include "graph/client_parts.h"
#include "graph/far_row.h"
#include "graph/graph.h"
#include "graph/pass_control.h"
#include "layout/sharding/shard_annotation.h"
#include "params/ckks_parameters.h"
#include "params/cost_table.h"
#include "params/sharing.h"
#include "program/client_interface.h"
#include "program/slots/cost.h"
#include "program/slots/program.h"

namespace tacit::graph {

/// One piecewise or smooth function replaced by a polynomial, for the plan.
struct Approximation {
  std::string node, op;
  int degree = 0;
  double lowest = 0, highest = 0;  ///< interval, margin included
  double max_error = 0;            ///< largest |polynomial - function| on the interval
  double share = 0;                ///< of the function's largest value there
  std::string reason;              ///< why this degree, for people
};

struct CompileOptions : CalibrationChoices {
  std::vector<std::vector<Tensor>> calibration;          ///< inputs (one vector per sample, one tensor per graph input)
  std::optional<std::pair<double, double>> input_range;  ///< public knowledge about the inputs (uint8 images)
  base::MemoryBudget memory;
  params::CostTable costs;                        ///< by which layouts, schedules and parameters are chosen
  CalibrationTrim trim{};                         ///< how many rows that lie far from all others calibrate nothing
  std::int64_t first_sample = 0;                  ///< the row that the first calibration sample is, for people
  int output_level = 0;                           ///< that outputs end at, or above: for who computes with them
  std::shared_ptr<const Calibration> measured{};  ///< what an earlier compilation took from samples, in their place
  bool keep_calibration = false;                  ///< tell what is taken from samples
  PassControl passes{};                           ///< which passes run, and who is told what they decide
  std::vector<layout::ShardAnnotation>
      shardings{};  ///< meshes of operators, by name, in place of the compiler's choice

  /// Whether ranges are known from samples, now or earlier, and from how many.
  bool calibrated() const { return measured || !calibration.empty(); }
  std::size_t samples() const { return measured ? measured->samples : calibration.size(); }
};

/// Samples that one run takes at most.
inline constexpr layout::Index kLargestBatch = 4096;

/// Everything that follows from a model, before any key exists.
/// A share of answers changed that people are warned of, and that finer series are looked for.
inline constexpr double kManyChanged = 0.05;

struct CompiledModel {
  slots::Program program;  ///< levels and scales assigned
  params::CkksLiteral parameters;
  program::ClientInterface client;
  ClientParts parts;  ///< what the client runs in the clear
  Graph encrypted;    ///< what the program computes, as the network's operators
  std::vector<Approximation> approximations;
  /// The share of answers that errors of approximations are expected to change, judged by calibration samples; 0 where
  /// these are too few to tell, and where people read values.
  double answers_changed = 0;
  std::string degree_warning{};  ///< where degrees are lower than samples ask for; empty elsewhere
  FarRows far_rows{};            ///< calibration rows that lie far from all others
  slots::MemoryPlan memory{};
  /// Weights that CompileOptions::memory has no room to keep, by the prices that it was compiled by.
  slots::EncodedAnew encoded_anew{};
  std::vector<program::Meaning>
      meanings;  ///< by value of the program: which tensor of `encrypted` it is, in which units
  std::optional<Calibration> calibration{};  ///< where CompileOptions::keep_calibration asks for it
};

/// Compiles a network: gives operators to client and server, folds, approximates, and chooses layouts, schedules,
/// levels and parameters by the cost reading. InputError says which of these holds:
/// - An operator has no encrypted form. The sentence names the node and the nearest supported form.
/// - Calibration data is missing, or an earlier calibration is of another model or was made by other choices.
/// - No parameter set meets the depth or the memory budget.
/// - The known range of a value overflows the parameters, or drowns in their noise.
/// - A polynomial misses its function by more than `max_error`.
/// - Integers would come back with so much noise that one could be taken for the next.
/// - Results are to be shared with more bits than the noise leaves.
/// - A batch is below 1 or above kLargestBatch.
/// - A pass is to be left out that must run, or one while ranges come from a file or are to be kept for one.
/// - A sharding names no node or input, or a node that runs at the client; no rule allows it; its blocks do not fit a
/// ciphertext;
///   ranges come from a file or are to be kept for one.
CompiledModel compile(const Graph& graph, const CompileOptions& options,
                      base::Progress& progress = base::Progress::silent());

}  // namespace tacit::graph
