#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "layout/diagonals.h"

namespace tacit::layout {

/// The map of a batch, as the same map of one sample or of two. An operator that is repeated for every sample has the
/// same entries for all of them. It is enough to read the entries of these few samples, however large the batch is.
///
/// In both layouts, the samples must be the innermost digit within or the outermost one, at equal distances. More
/// samples than a ciphertext holds are in further ciphertexts. There are two cases:
/// - Innermost: slot r of one sample becomes `places` slots from r * places on. Diagonal d becomes d * places, and
///   every weight is repeated `places` times.
/// - Outermost: neighbours of a sample stay its neighbours. Diagonals of two samples have the sign of those of the
///   batch, and the weights repeat with the samples.
class FewSamples {
 public:
  /// Returns nothing if the operator is not repeated for every sample, or the samples lie otherwise. It also returns
  /// nothing if places without a sample may hold unknown numbers that the result must not have, and for maps that are
  /// as small as their few samples.
  static std::optional<FewSamples> of(const LinearMap& map);

  /// Returns the map of the few samples.
  const LinearMap& map() const { return few_; }
  /// Returns the set of the batch. `few` is the set of the few samples. If samples are innermost, the density is an
  /// upper bound, because equal weights of a diagonal are held once.
  DiagonalSet set_of(const DiagonalSet& few) const;
  /// Returns the set of the batch with its density. `few` holds the diagonals of the few samples.
  DiagonalSet set_of(const Diagonals& few) const;
  /// Returns the inputs of every output of the batch, in rising order. `few` lists them for the few samples.
  std::vector<std::vector<Index>> inputs_of(const std::vector<std::vector<Index>>& few) const;

  /// Returns the output of the few samples that has the diagonals of an output of the batch.
  Index few_output(Index output) const;
  /// Returns the blocks of an output of the batch by input. `few` holds those of `few_output(output)`.
  std::vector<DiagonalBlock> blocks_of(Index output, std::vector<DiagonalBlock> few) const;

 private:
  /// Where the samples of a layout are.
  struct Places {
    bool innermost = false;
    Index within = 1;  ///< samples in a ciphertext, if they are innermost; else slots of a sample
    Index blocks = 1;  ///< ciphertexts that hold the same elements of different samples
    Index inner = 1;   ///< consecutive ciphertexts of the same samples
    /// Returns the ciphertext of the batch for one of the few samples.
    Index ciphertext(Index few, Index block) const { return (few / inner * blocks + block) * inner + few % inner; }
    bool alike(const Places& other) const {
      return innermost == other.innermost && within == other.within && blocks == other.blocks;
    }
  };
  static std::optional<Places> places_of(const Layout& layout, bool innermost);
  static Layout few_of(const Layout& layout, const Places& places);

  FewSamples(const LinearMap& map, LinearMap few, const Places& in, const Places& out);
  Index diagonal_of(Index few) const;
  std::size_t size_of(const std::vector<double>& few) const;  ///< of the weights of the batch
  DiagonalBlock block_of(DiagonalBlock few) const;

  DiagonalSet frame_;  // of the batch
  LinearMap few_;
  Places in_, out_;
  Index inputs_, outputs_;  // ciphertexts of the batch
};

}  // namespace tacit::layout
