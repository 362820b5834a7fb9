#include "layout/diagonals_by_output.h"

#include <algorithm>

#include "layout/map_entries.h"
#include "layout/repeating_weights.h"

namespace tacit::layout {

DiagonalsByOutput::DiagonalsByOutput(const LinearMap& map, std::size_t diagonals, std::size_t asked)
    : map_(map), samples_(FewSamples::of(map)) {
  constexpr std::size_t kMostBytes = std::size_t{256} << 20;
  if (samples_) {
    const LinearMap& few = samples_->map();
    const std::size_t held = has_few_weights(few, kMostBytes) ? 0 : diagonals;
    few_ = std::make_unique<DiagonalsByOutput>(few, held, asked);
    return;
  }
  const auto outputs = static_cast<std::size_t>(map.out.ciphertexts());
  const auto blocks = outputs * static_cast<std::size_t>(map.in.ciphertexts());
  const auto period = static_cast<std::size_t>(std::max(map.in.period(), map.out.period()));
  // A pass over weights that repeat looks diagonals up by block. It makes all outputs.
  if (blocks * diagonals * period * sizeof(double) <= kMostBytes)
    made_ = layout::diagonals(map);
  else if (blocks * period * sizeof(void*) <= kMostBytes && 2 * asked >= outputs)
    made_ = RepeatingDiagonals(map).of();
  whole_ = made_.has_value();
}

std::vector<DiagonalBlock>& DiagonalsByOutput::blocks_of(Index output) {
  if (few_) {
    made_.emplace(Diagonals{frame_of(map_), {}});
    made_->blocks.push_back(samples_->blocks_of(output, few_->blocks_of(samples_->few_output(output))));
    count_blocks(*made_);
    return made_->blocks[0];
  }
  if (!whole_) made_ = diagonals(map_, output);
  return made_->blocks[static_cast<std::size_t>(output)];
}

}  // namespace tacit::layout
