#pragma once

#include <optional>
#include <vector>

#include "base/feasible.h"
#include "base/progress.h"
#include "graph/compile.h"
#include "graph/slots/choose_parameters.h"
#include "graph/slots/lower.h"
#include "graph/slots/noise_source.h"

namespace tacit::graph::passes {

/// The noise that the outputs of a network may carry, measured on samples. It is by output, in the model's own units.
struct NoiseLimits {
  const NoiseSource* noise = nullptr;  ///< source of the noise that outputs do carry
  std::vector<double> deviations;      ///< largest deviation that each output may have
};

/// Returns the largest noise of an output of a lowered network in units of its limit. At most 1 is quiet enough.
double excess(const NoiseLimits& limits, const Network& network, const Lowered& lowered);

/// Returns the fastest lowering of a network within the memory budget whose outputs end at `output_level`. The search
/// covers:
/// - the ring degrees up to the first that holds every tensor in one ciphertext. A larger ring makes each operation
///   slower, except where its modulus leaves room for key switches of few digits: it is tried after a set with more
///   than five;
/// - prices of keys: with little memory, schedules with fewer distinct rotations are tried.
///
/// Scales are large enough for any network. With limits, scales are smaller where that makes key switches cheaper and
/// the simulated noise on the samples permits it. If results are to be shared or to have a precision, sets that
/// bootstrap must be quiet as well, and the precise ones are tried where no other set is. If no set is quiet, the
/// result is the quietest lowering. `shared` is what lowerings of other networks share with this one, or null. There is
/// no lowering in two cases:
/// - No set has the levels. The problem says what needs them without and with bootstraps.
/// - Nothing fits the budget.
///
/// The explanation `search` receives a line for every candidate, with its price or with what it lacks.
base::Feasible<Lowered> cheapest_lowering(const Network& network, const CompileOptions& options,
                                          const ProgramNames& names, const std::optional<NoiseLimits>& limits,
                                          int output_level, base::Progress& progress, PlannedMaps* shared = nullptr);

/// True if the network has a table. Only sets that bootstrap look tables up.
bool has_tables(const Network& network);
/// True if the network has a function. The series of functions amplify noise.
bool has_functions(const Network& network);
/// True if a set without bootstraps, or the user's set, has at least one level more than the network takes.
bool is_leveled(const Network& network, const CompileOptions& options);

}  // namespace tacit::graph::passes
