#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "search/store_shape.h"

namespace tacit::search {

/// Vectors of a store or queries, by number: writes the components of vector `index` to `out`. Called by several
/// threads at once.
struct Vectors {
  std::uint64_t count = 0;
  std::uint64_t dimensions = 0;
  std::function<void(std::uint64_t index, std::span<double> out)> read;
};

/// The difference from 1 that a norm may have under the metric cosine.
inline constexpr double kNormTolerance = 1e-3;

/// Reads a vector and checks it. With `normalise` it is divided by its norm. Throws InputError naming `what` and the
/// vector
/// - for NaN and infinity;
/// - under cosine, for a zero vector, and without `normalise` for a norm off 1 by more than kNormTolerance.
/// Returns the norm before the division.
double read_checked(const Vectors& vectors, std::uint64_t index, Metric metric, bool normalise, const char* what,
                    std::span<double> out);

/// The ranges of a set of vectors.
struct VectorRange {
  double largest_component = 0, largest_norm = 0;
};
/// Reads all vectors and checks them as above. Several threads share the work.
VectorRange range_of(const Vectors& vectors, Metric metric, bool normalise);

/// Writes vectors from `first` on to the places of a tile from `place` on, until the tile is full or no vector is left.
/// A vector at place n has number n of dimension i: its component i divided by the step of the shape, and rounded.
/// Other places stay as they are. Throws InputError naming the vector if a component or a norm is beyond the ranges of
/// the shape.
void quantise(const StoreShape& shape, const Vectors& vectors, bool normalise, std::uint64_t first, std::uint64_t place,
              std::span<std::int8_t> tile);

}  // namespace tacit::search
