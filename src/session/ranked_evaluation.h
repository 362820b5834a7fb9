#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/progress.h"
#include "runtime/checkpoints.h"
#include "runtime/sample_file.h"
#include "session/server_half.h"
#include "session/stopwatch.h"

namespace tacit::session {

/// Returns the checkpoints of an evaluation of `inputs` with these keys; none if no folder is named for them.
std::optional<runtime::Checkpoints> checkpoints_of(const EvaluatedFiles& files, const runtime::SampleReader& inputs,
                                                   const LoadedKeys& keys);

/// Runs all samples of a file on ranks, in rounds. `read(i)` returns the ciphertexts of sample i, and `add(i, result)`
/// takes its result. Returns the seconds of the runs. Ranked is a runtime::RankedRunsOf.
template <class Ranked, class Read, class Add>
double run_in_rounds(Ranked& ranked, const runtime::SampleReader& inputs, base::Progress& progress, const Read& read,
                     const Add& add) {
  double seconds = 0;
  progress.begin("evaluating", inputs.batched().inputs);
  for (std::size_t first = 0; first < inputs.samples(); first += ranked.at_once()) {
    std::vector<typename Ranked::Sample> round;
    for (std::size_t i = first; i < std::min(first + ranked.at_once(), inputs.samples()); ++i) round.push_back(read(i));
    const Stopwatch watch;
    const auto results = ranked.run(round, first, nullptr, progress);
    seconds += watch.seconds();
    for (std::size_t r = 0; r < results.size(); ++r) {
      add(first + r, results[r]);
      progress.advance(inputs.batched().of(first + r));
    }
  }
  progress.end();
  return seconds;
}

}  // namespace tacit::session
