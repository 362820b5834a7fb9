#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "app/options.h"
#include "session/owner/compile_choices.h"
#include "session/owner/preprocess.h"

namespace tacit::app::commands {

/// What `tacit run --simulate --cross-fit PARTS` was asked for.
struct CrossFitOptions {
  std::filesystem::path model;
  InputOptions inputs;
  std::filesystem::path labels;
  session::Preprocessing preprocessing;
  session::CompileChoices choices;  ///< of which --calibrate-count bounds the samples of a network
  ComputeOptions compute;
  std::int64_t parts = 0;
  std::optional<double> expect_agreement;
};

/// Scores every part of the inputs by a network calibrated on the others, prints how, and returns the exit status.
int run_cross_fit(const CrossFitOptions& options);

}  // namespace tacit::app::commands
