#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "layout/diagonals.h"
#include "layout/few_samples.h"

namespace tacit::layout {

/// Gives the weights of a map for one output ciphertext after another, in bounded memory. Small weights, as weights
/// that repeat are, are made in one pass over the map. Others are made again for every output. A batch is read through
/// its few samples. Not thread safe.
class DiagonalsByOutput {
 public:
  DiagonalsByOutput(const DiagonalsByOutput&) = delete;
  /// `map` must outlive this object. `diagonals` is the most that a block has. `asked` is the number of outputs that
  /// the caller will ask for.
  DiagonalsByOutput(const LinearMap& map, std::size_t diagonals, std::size_t asked);

  /// Returns the blocks of an output by input ciphertext. Ask once per output. The result is valid until the next call.
  std::vector<DiagonalBlock>& blocks_of(Index output);
  /// Returns the set of the blocks of the last call.
  const DiagonalSet& set() const { return made_->set; }

 private:
  const LinearMap& map_;
  bool whole_ = false;
  std::optional<Diagonals> made_;  // of all outputs, or of the last one
  // The few samples of a batch, and their weights.
  std::optional<FewSamples> samples_;
  std::unique_ptr<DiagonalsByOutput> few_;
};

}  // namespace tacit::layout
