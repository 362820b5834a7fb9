#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "app/options.h"
#include "session/owner/agreement.h"

namespace tacit::app::commands {

/// What `tacit run` was asked for, and `tacit run --simulate --cross-fit PARTS`, where --calibrate-count bounds the
/// samples of a network.
struct ScoringOptions : NetworkOptions {
  InputOptions inputs;
  std::filesystem::path labels;
  std::int64_t parts = 0;  ///< 0: it is not asked for
  std::optional<double> expect_agreement;
};

/// Whether as many answers agree as --expect-agreement asks for, as an exit status; says so where they are fewer.
int agreement_status(const ScoringOptions& options, const session::Scoreboard& scores);
/// Scores every part of the inputs by a network calibrated on the others, prints how, and returns the exit status.
int run_cross_fit(const ScoringOptions& options);

}  // namespace tacit::app::commands
