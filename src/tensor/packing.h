#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "program/search.h"
#include "tensor/operators.h"

namespace tacit::tensor {

/// How a sum that left unknowns becomes an operand again, for one level.
enum class Change {
  clear,    ///< a mask, then copies within the same tiles
  reshard,  ///< generalised diagonals into the tiles of the next stage
  sum_into  ///< the same, of the products, so that sums share rotations as they shrink
};
const char* name_of(Change change);

/// How a packed computation is carried out.
struct PackingOptions {
  FoldOptions fold;
  bool fused = true;  ///< products that are added up share one relinearisation
  Change change = Change::clear;
  /// The way of the literature: every product relinearised, every place of a tile summed, one rotation a bit.
  static PackingOptions published() { return {{true, 1}, false, Change::clear}; }
};

/// A computation whose packing is open: tensors in tiles whose extents multiply to the slots, in batches of items.
struct PackedComputation {
  using Extents = std::vector<Index>;
  std::string name;
  std::vector<std::string> dims;  ///< names of the tile extents that are to be chosen in every stage
  int stages = 1;                 ///< parts between which tensors may change their tiles
  int depth = 1;                  ///< levels that it consumes
  Index items = 1;                ///< results wanted
  std::vector<int> late;          ///< by input: levels that are consumed before it is read
  /// Makes the same computation for another number of items; none where there is only one.
  std::function<PackedComputation(Index items)> resized;
  /// Items of a batch in these tiles. Extents, here and below, are those of every stage one after another, or those of
  /// one stage for all.
  Index batch(const Extents& extents) const { return std::min(items, extents[0]); }
  /// Shapes of the inputs of one batch, sizes included. Throws InputError where they do not fit.
  std::function<std::vector<TileShape>(const Extents&)> shapes;
  /// Carries one batch out; tells `trace` every shape on the way, if there is one.
  using Trace = std::function<void(const std::string& what, const TileTensor&)>;
  std::function<TileTensor(const std::vector<TileTensor>&, const PackingOptions&, const Trace&)> compute;

  Index batches(const Extents& extents) const { return (items + batch(extents) - 1) / batch(extents); }
};

/// `n` inputs of `d` features against one encrypted weight vector, in batches of as many as a tile has rows.
PackedComputation regression(Index n, Index d);
/// Inner products of `n` pairs of vectors of `d` numbers.
PackedComputation inner_products(Index n, Index d);
/// The product of matrices of sizes[0] x sizes[1], sizes[1] x sizes[2], …, packed [b, a, *] [b, *, c] [d, *, c] [d, *,
/// e], … so that sums fall on the first and the last dimension in turn.
PackedComputation matrix_chain(std::vector<Index> sizes);
/// "regression 10000x100", "pairs 10000x32", "chain 4,5,6,7,8". Throws InputError with these forms.
PackedComputation parse_computation(std::string_view text);

/// The same for another number of items. Throws InputError for a computation whose items are not its own to choose.
PackedComputation with_items(const PackedComputation& computation, Index items);

/// Encrypts the inputs of one batch at the levels at which they are read, the first at `level`. `values` makes the
/// numbers of an input (unused by the cost reading, where it may be empty).
std::vector<TileTensor> encrypt_inputs(const SessionPtr& session, const PackedComputation& computation,
                                       const PackedComputation::Extents& extents, int level,
                                       const std::function<Dense(std::size_t input, const Shape& sizes)>& values);

/// What one batch costs. `cost` is restarted.
program::CandidateCost price_packing(const std::shared_ptr<CostSession>& cost, const PackedComputation& computation,
                                     const PackedComputation::Extents& extents, const PackingOptions& options,
                                     int level);

/// Candidates are tile extents (exponents), how many bits are folded at a time (options[0] + 1), and a Change
/// (options[1]).
PackedComputation::Extents extents_of(const program::Candidate& candidate);
PackingOptions options_of(const program::Candidate& candidate);
/// Searches the packings of a computation, each at the lowest level that it can run at: first with the same tiles
/// throughout, then, where it has stages, by walks from the best of these that change the tiles of one stage or how
/// tensors get there. Throws InputError if it is deeper than the reading allows.
program::SearchResult plan_packing(const std::shared_ptr<CostSession>& cost, const PackedComputation& computation,
                                   const program::SearchRequest& request);

}  // namespace tacit::tensor
