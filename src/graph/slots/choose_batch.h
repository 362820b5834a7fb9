#pragma once

#include <cstdint>
#include <optional>

#include "base/feasible.h"
#include "graph/compile.h"
#include "graph/passes/clear_network.h"
#include "graph/passes/network.h"
#include "graph/slots/lower.h"

namespace tacit::graph::passes {

struct SlotsDraft;

/// The program that takes a number of samples per run, on the cheapest parameters.
struct Batch {
  Network bounded;         ///< with bounds by intervals if nothing was measured
  CompileOptions options;  ///< with calibration samples side by side
  Lowered lowered;

  layout::Index samples() const { return *options.batch; }
  double seconds_each() const { return lowered.cost.seconds / static_cast<double>(samples()); }
};

/// A network whose functions have series, as it is lowered.
struct WithSeries {
  const Network& network;
  const SampleOutputs& outputs;  ///< of the samples, by the series; empty if answers decided nothing
  const Network& checked;        ///< the same network with ranges that hold for checks
};

/// Returns the batch of `asked` samples. If samples are outermost, and weights take less than half with more samples in
/// free places, it fills these places. Without a number it tries 1, 2, 4, … samples, up to the last number that makes
/// a sample cheaper by a twentieth and fits the memory. There is none if `cheapest_lowering` finds none.
base::Feasible<Batch> choose_batch(SlotsDraft& draft, const WithSeries& series,
                                   const std::optional<std::int64_t>& asked);

}  // namespace tacit::graph::passes
