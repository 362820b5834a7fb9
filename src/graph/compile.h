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
#include "params/owner_parts.h"
#include "params/sharing.h"
#include "program/client_interface.h"
#include "program/slots/cost.h"
#include "program/slots/program.h"

namespace tacit::graph {

/// A piecewise or smooth function that a polynomial replaces, for the plan.
struct Approximation {
  std::string node, op;
  int degree = 0;
  double lowest = 0, highest = 0;  ///< interval, margin included
  double max_error = 0;            ///< largest |polynomial - function| on the interval
  double share = 0;                ///< error as a share of the function's largest value on the interval
  std::string reason;              ///< reason for the degree, for people
};

/// The bits of a feature that trees compare: without an option, and at most.
inline constexpr int kFeatureBits = 4, kMostFeatureBits = 8;

/// The owners of the secret key that a model is compiled for, and the promise about results that they decrypt.
struct ForOwners {
  params::OwnerParts parts;
  params::Sharing promise{};
};

struct CompileOptions : CalibrationChoices {
  std::vector<std::vector<Tensor>> calibration;          ///< inputs (one vector per sample, one tensor per graph input)
  std::optional<std::pair<double, double>> input_range;  ///< public knowledge about the inputs (uint8 images)
  base::MemoryBudget memory;
  params::CostTable costs;        ///< prices by which layouts, schedules and parameters are chosen
  CalibrationTrim trim{};         ///< limit of the rows far from all others that are left out of the calibration
  std::int64_t first_sample = 0;  ///< row number of the first calibration sample, for people
  int output_level = 0;           ///< lowest level at which outputs may end, for further computations on them
  std::shared_ptr<const Calibration>
      measured{};                 ///< results that an earlier compilation took from samples, in place of samples
  bool keep_calibration = false;  ///< return the results that are taken from samples
  PassControl passes{};           ///< passes that run, and the receiver of their decisions
  /// The grid of a feature that trees compare has 2^feature_bits boxes, 1 to kMostFeatureBits.
  int feature_bits = kFeatureBits;
  std::vector<layout::ShardAnnotation>
      shardings{};                    ///< meshes of operators, by name, in place of the compiler's choice
  std::optional<ForOwners> owners{};  ///< several owners of the secret key; their results are flooded

  /// True if ranges are known from samples, of this or an earlier compilation. `samples` is the number of these
  /// samples.
  bool calibrated() const { return measured || !calibration.empty(); }
  /// True if results are flooded, and parameters leave room for the flood.
  bool flooded() const { return sharing || owners; }
  std::size_t samples() const { return measured ? measured->samples : calibration.size(); }
};

/// The most samples of one run.
inline constexpr layout::Index kLargestBatch = 4096;

/// The share of changed answers above which people are warned and finer series are tried.
inline constexpr double kManyChanged = 0.05;

/// A compiled model, before any key exists.
struct CompiledModel {
  slots::Program program;  ///< levels and scales assigned
  params::CkksLiteral parameters;
  program::ClientInterface client;
  ClientParts parts;  ///< operators that the client runs in the clear
  Graph encrypted;    ///< operators that the program computes, those of the network
  std::vector<Approximation> approximations;
  /// The share of answers that errors of approximations are expected to change, judged by calibration samples. 0 if
  /// there are too few samples, and if people read values.
  double answers_changed = 0;
  std::string degree_warning{};  ///< warning if degrees are lower than samples require; empty otherwise
  FarRows far_rows{};            ///< calibration rows that are far from all others
  slots::MemoryPlan memory{};
  /// The weights that do not fit CompileOptions::memory, by the prices of the compilation.
  slots::EncodedAnew encoded_anew{};
  std::vector<program::Meaning> meanings;    ///< by value of the program: its tensor of `encrypted`, and its units
  std::optional<Calibration> calibration{};  ///< present if CompileOptions::keep_calibration is true
};

/// Throws InputError for an option that is wrong, or that contradicts another one or the model, naming it. It is cheap:
/// nothing is compiled.
void require_options(const Graph& graph, const CompileOptions& options);

/// Compiles a network: gives operators to client and server, folds, approximates, and chooses layouts, schedules,
/// levels and parameters by the modelled cost. Throws InputError that states which of these holds:
/// - An operator has no encrypted form. The sentence names the node and the nearest supported form.
/// - Calibration data is missing, or an earlier calibration is of another model or was made by other choices.
/// - No parameter set meets the depth or the memory budget.
/// - The known range of a value overflows the parameters, or drowns in their noise.
/// - A polynomial misses its function by more than `max_error`.
/// - Integers would come back with so much noise that one could be taken for the next.
/// - Results are to be shared with more bits than the noise leaves, or are to have more bits of precision.
/// - A batch is below 1 or above kLargestBatch.
/// - A skipped pass must run, or a pass is skipped while ranges come from a file or are to be kept for one.
/// - A sharding names no node or input, or a node that runs at the client.
/// - No rule allows a sharding, or its blocks do not fit a ciphertext.
/// - There are shardings, and ranges come from a file or are to be kept for one.
/// - There are several owners, and the network needs bootstraps, ranges come from a file or are to be kept for one, or
///   the flood of results would leave noise of them.
CompiledModel compile(const Graph& graph, const CompileOptions& options,
                      base::Progress& progress = base::Progress::silent());

}  // namespace tacit::graph
