#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/compile.h"
#include "graph/passes/answers.h"
#include "graph/passes/draft.h"
#include "graph/passes/far_rows.h"
#include "graph/slots/apply_sharding.h"
#include "graph/slots/choose_batch.h"
#include "graph/slots/choose_degrees.h"
#include "graph/slots/lower.h"
#include "graph/slots/tabulate.h"

namespace tacit::graph::passes {

/// Series that are finer than those of the draft, and the program that they would give.
struct FinerSeries {
  Sharper series;
  bool tried = false;            ///< true if their program was asked for
  std::optional<Batch> batch{};  ///< empty if no parameter set has the levels or the memory for them
  std::string lacking{};         ///< what they lack, if they were tried without success
};

/// A model that is being compiled to a program on slots.
struct SlotsDraft : Draft {
  SlotsDraft(const Graph& imported, const CompileOptions& asked, base::Progress& shown)
      : Draft{imported,
              asked.passes,
              shown,
              {.before = asked.client_before,
               .after = asked.client_after,
               .keep_private = asked.keep_private,
               .tables = is_quantised(imported)}},
        options(asked) {}

  /// The user's options. The samples become those of the encrypted tensors (`client-samples`).
  CompileOptions options;
  std::optional<ShardedNodes> sharded{};      ///< present if nodes are annotated
  OrdinaryCalibration exact{};                ///< what the samples give, exactly
  std::optional<Answers> answers{};           ///< how far the outputs of the samples may move
  ChosenDegrees chosen{};                     ///< the series of the network
  std::optional<FinerSeries> finer{};         ///< present if finer series may be worth their time
  std::optional<Network> bounded{};           ///< the network with bounds by intervals, if nothing was measured
  std::optional<Batch> batch{};               ///< the program that is the cheapest so far
  std::optional<base::Infeasible> lacking{};  ///< what the latest series lack, if no program was found for them
  PlannedMaps planned{};                      ///< plans that all lowerings share
  CompiledModel compiled{};                   ///< what is final

  /// Returns the network whose ranges hold for checks: bounds are safe, but far from tight.
  const Network& checked() const { return bounded ? *bounded : network; }
  /// Returns what is noted for later compilations, or null.
  Calibration* record() { return compiled.calibration ? &*compiled.calibration : nullptr; }
};

}  // namespace tacit::graph::passes
