#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "app/options.h"
#include "session/owner/agreement.h"

namespace tacit::app::commands {

/// Options of `tacit run` and of `tacit run --simulate --cross-fit PARTS`. There --calibrate-count bounds the samples
/// of a network.
struct ScoringOptions : NetworkOptions {
  InputOptions inputs;
  std::filesystem::path labels;
  std::int64_t parts = 0;  ///< 0: no cross fit
  std::optional<double> expect_agreement;
};

/// Returns the exit status: success if as many answers agree as --expect-agreement demands. Prints a sentence
/// otherwise.
int agreement_status(const ScoringOptions& options, const session::Scoreboard& scores);
/// Scores every part of the inputs by a network that was calibrated on the other parts. Prints the scores, and returns
/// the exit status.
int run_cross_fit(const ScoringOptions& options);

}  // namespace tacit::app::commands
