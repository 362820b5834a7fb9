#pragma once

#include <cstdint>

#include "search/quantiser.h"
#include "search/store.h"

namespace tacit::search {

/// The shares of the best records by the given numbers that the int8 numbers find as well.
struct Recall {
  std::uint64_t queries = 0;
  double at_10 = 0, at_100 = 0;
};

/// Measures the recall of a new store in the clear. Each query is the mean of two vectors, drawn with a fixed seed.
/// There are up to 1,000 queries, and fewer for large stores: the work is bounded by 10^9 products. Several threads
/// share the work.
Recall measure_recall(const Store& store, const Vectors& vectors, bool normalise);

}  // namespace tacit::search
