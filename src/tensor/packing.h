#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "program/search.h"
#include "tensor/operators.h"

namespace tacit::tensor {

/// The way in which a sum with unknowns becomes an operand again, for one level.
enum class Change {
  clear,    ///< a mask, then copies within the same tiles
  reshard,  ///< generalised diagonals into the tiles of the next stage
  sum_into  ///< the same for the products, so that sums share rotations as they shrink
};
const char* name_of(Change change);

/// The options of a packed computation.
struct PackingOptions {
  FoldOptions fold;
  bool fused = true;  ///< products that are added up share one relinearisation
  Change change = Change::clear;
  /// Returns the method of the literature: every product relinearised, every place of a tile summed, one rotation per
  /// bit.
  static PackingOptions published() { return {{true, 1}, false, Change::clear}; }
};

/// A computation with an open packing: tensors in tiles whose extents multiply to the slots, in batches of items.
struct PackedComputation {
  using Extents = std::vector<Index>;
  std::string name;
  std::vector<std::string> dims;  ///< names of the tile extents to choose in every stage
  int stages = 1;                 ///< parts between which tensors may change their tiles
  int depth = 1;                  ///< levels that it consumes
  Index items = 1;                ///< results wanted
  std::vector<int> late;          ///< by input: levels that are consumed before it is read
  /// Makes the same computation for another number of items; empty if there is only one number.
  std::function<PackedComputation(Index items)> resized;
  /// Returns the items of a batch in these tiles. Extents, here and below, are those of every stage in order, or those
  /// of one stage for all.
  Index batch(const Extents& extents) const { return std::min(items, extents[0]); }
  /// Returns the shapes of the inputs of one batch, sizes included. Throws InputError if they do not fit.
  std::function<std::vector<TileShape>(const Extents&)> shapes;
  /// Executes one batch. `trace`, if set, receives every shape on the way.
  using Trace = std::function<void(const std::string& what, const TileTensor&)>;
  std::function<TileTensor(const std::vector<TileTensor>&, const PackingOptions&, const Trace&)> compute;

  Index batches(const Extents& extents) const { return (items + batch(extents) - 1) / batch(extents); }
};

/// Returns `n` inputs of `d` features times one encrypted weight vector. A batch has as many inputs as a tile has rows.
PackedComputation regression(Index n, Index d);
/// Returns the inner products of `n` pairs of vectors of `d` numbers.
PackedComputation inner_products(Index n, Index d);
/// Returns the product of matrices of sizes[0] x sizes[1], sizes[1] x sizes[2], … They are packed [b, a, *] [b, *, c]
/// [d, *, c] [d, *, e], … so that sums are over the first and the last dimension in turn.
PackedComputation matrix_chain(std::vector<Index> sizes);
/// Parses "regression 10000x100", "pairs 10000x32", "chain 4,5,6,7,8". Throws InputError with these forms.
PackedComputation parse_computation(std::string_view text);

/// Returns the same computation for another number of items. Throws InputError if the number is fixed.
PackedComputation with_items(const PackedComputation& computation, Index items);

/// Encrypts the inputs of one batch at the levels at which they are read, the first at `level`. `values` makes the
/// numbers of an input (unused by the cost reading, where it may be empty).
std::vector<TileTensor> encrypt_inputs(const SessionPtr& session, const PackedComputation& computation,
                                       const PackedComputation::Extents& extents, int level,
                                       const std::function<Dense(std::size_t input, const Shape& sizes)>& values);

/// Returns the cost of one batch, and restarts `cost`.
program::CandidateCost price_packing(const std::shared_ptr<CostSession>& cost, const PackedComputation& computation,
                                     const PackedComputation::Extents& extents, const PackingOptions& options,
                                     int level);

/// Candidates are tile extents (exponents), the number of bits that are folded at a time (options[0] + 1), and a Change
/// (options[1]).
PackedComputation::Extents extents_of(const program::Candidate& candidate);
PackingOptions options_of(const program::Candidate& candidate);
/// Searches the packings of a computation, each at the lowest level that it can run at. It first uses the same tiles
/// throughout. If there are stages, walks from the best of these then change the tiles of one stage, or the way tensors
/// get there. Throws InputError if the computation is deeper than the reading allows.
program::SearchResult plan_packing(const std::shared_ptr<CostSession>& cost, const PackedComputation& computation,
                                   const program::SearchRequest& request);

}  // namespace tacit::tensor
