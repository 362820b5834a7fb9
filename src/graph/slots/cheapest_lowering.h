#pragma once

#include <optional>
#include <vector>

#include "base/progress.h"
#include "graph/compile.h"
#include "graph/slots/choose_parameters.h"
#include "graph/slots/lower.h"
#include "graph/slots/noise_source.h"

namespace tacit::graph::passes {

/// How much noise the outputs of a network may carry, measured on samples; by output, in the model's own units.
struct NoiseLimits {
  const NoiseSource* noise = nullptr;  ///< that they do carry
  std::vector<double> deviations;
};

/// The fastest lowering of a network within the memory budget whose outputs end at `output_level`: over the ring
/// degrees up to the first that holds every tensor in one ciphertext (a larger ring only makes each operation slower),
/// and over how dear keys are: where memory is short, schedules with fewer distinct rotations are tried. Scales are
/// large enough for any network, or, with limits, as small as the simulated noise on the samples permits where that
/// makes key switches cheaper. `shared`: with the lowerings of other networks, or none. Throws TooDeep if no set
/// has the levels, saying what needs them without and with bootstraps, and InputError if nothing fits the budget.
Lowered cheapest_lowering(const Network& network, const CompileOptions& options, const ProgramNames& names,
                          const std::optional<NoiseLimits>& limits, int output_level, base::Progress& progress,
                          PlannedMaps* shared = nullptr);

/// Whether there is a function, whose series amplifies noise.
bool has_functions(const Network& network);
/// Whether a set without bootstraps, or the user's, has a level more than the network takes.
bool is_leveled(const Network& network, const CompileOptions& options);

}  // namespace tacit::graph::passes
