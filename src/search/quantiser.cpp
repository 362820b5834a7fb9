#include "search/quantiser.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "base/vectorised.h"

namespace tacit::search {
namespace {

constexpr double kLargestNumber = 127;
/// Vectors that one task reads.
constexpr std::uint64_t kVectorsTogether = 1024;

/// Vectors of a tile that are transposed together.
constexpr std::uint64_t kVectorsOfBlock = 64;

/// The sum of the squares of a vector, and its largest component.
struct Extent {
  double squares = 0, largest = 0;
};
TACIT_VECTORISED Extent extent_of(const double* vector, std::size_t n) {
  constexpr std::size_t kLanes = 8;
  double squares[kLanes] = {}, largest[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double x = vector[i + lane], size = std::abs(x);
      squares[lane] += x * x;
      largest[lane] = largest[lane] < size ? size : largest[lane];
    }
  Extent all;
  for (; i < n; ++i) {
    all.squares += vector[i] * vector[i];
    all.largest = std::max(all.largest, std::abs(vector[i]));
  }
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    all.squares += squares[lane];
    all.largest = std::max(all.largest, largest[lane]);
  }
  return all;
}

/// Writes vector / step, rounded to the nearest whole number, where it is below 2^51.
TACIT_VECTORISED void round_steps(const double* vector, double step, std::size_t n, std::int8_t* out) {
  constexpr double kWhole = 0x1.8p52;  // a sum with it has no digits after the point
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::int8_t>(vector[i] / step + kWhole - kWhole);
}

/// Reads a vector and checks it, as read_checked does, without the division.
Extent read_extent(const Vectors& vectors, std::uint64_t index, Metric metric, bool normalise, const char* what,
                   std::span<double> out) {
  vectors.read(index, out);
  const Extent extent = extent_of(out.data(), out.size());
  if (!std::isfinite(extent.squares)) {
    for (std::size_t i = 0; i < out.size(); ++i)
      if (!std::isfinite(out[i]))
        base::refuse("{} {} holds {} at dimension {}; remove it, or replace it by a number", what, index,
                     std::isnan(out[i]) ? "NaN" : "infinity", i);
    base::refuse("{} {} has a norm above the largest number of double precision; divide the vectors by a constant",
                 what, index);
  }
  if (metric != Metric::cosine) return extent;
  if (extent.squares == 0)
    base::refuse("{} {} is zero, and a zero vector has no cosine; remove it, or use --metric dot", what, index);
  if (const double norm = std::sqrt(extent.squares); !normalise && std::abs(norm - 1) > kNormTolerance)
    base::refuse("{} {} has the norm {:.4g}, and cosines need norm 1; give --normalise, or use --metric dot", what,
                 index, norm);
  return extent;
}

/// Writes the numbers of one vector of this norm.
void quantise_one(const StoreShape& shape, std::span<const double> vector, double norm, std::uint64_t index,
                  std::span<std::int8_t> out) {
  constexpr double kRoundingErrors = 1e-9;
  const double most = shape.step * kLargestNumber * (1 + kRoundingErrors);
  if (extent_of(vector.data(), vector.size()).largest > most) {
    const double component = *std::ranges::find_if(vector, [&](double x) { return std::abs(x) > most; });
    base::refuse(
        "vector {} has the component {:.4g}, and the store holds components up to {:.4g}; build the store again with "
        "all vectors, or with a larger --largest-component",
        index, component, shape.step * kLargestNumber);
  }
  if (norm > shape.largest_norm * (1 + kNormTolerance))
    base::refuse(
        "vector {} has the norm {:.4g}, and the store holds norms up to {:.4g}; build the store again with all "
        "vectors, "
        "or with a larger --largest-norm",
        index, norm, shape.largest_norm);
  round_steps(vector.data(), shape.step, vector.size(), out.data());
}

}  // namespace

double read_checked(const Vectors& vectors, std::uint64_t index, Metric metric, bool normalise, const char* what,
                    std::span<double> out) {
  const double norm = std::sqrt(read_extent(vectors, index, metric, normalise, what, out).squares);
  if (metric == Metric::cosine && normalise)
    for (double& x : out) x /= norm;
  return norm;
}

VectorRange range_of(const Vectors& vectors, Metric metric, bool normalise) {
  VectorRange range;
  std::mutex mutex;
  base::parallel_for(0, (vectors.count + kVectorsTogether - 1) / kVectorsTogether, [&](std::size_t task) {
    std::vector<double> vector(vectors.dimensions);
    VectorRange here;
    for (std::uint64_t i = task * kVectorsTogether; i < std::min(vectors.count, (task + 1) * kVectorsTogether); ++i) {
      const Extent extent = read_extent(vectors, i, metric, normalise, "vector", vector);
      const double norm = std::sqrt(extent.squares);
      const bool divided = metric == Metric::cosine && normalise;
      here.largest_norm = std::max(here.largest_norm, norm);
      here.largest_component = std::max(here.largest_component, divided ? extent.largest / norm : extent.largest);
    }
    const std::lock_guard lock(mutex);
    range.largest_norm = std::max(range.largest_norm, here.largest_norm);
    range.largest_component = std::max(range.largest_component, here.largest_component);
  });
  return range;
}

void quantise(const StoreShape& shape, const Vectors& vectors, bool normalise, std::uint64_t first, std::uint64_t place,
              std::span<std::int8_t> tile) {
  const std::size_t dimensions = vectors.dimensions;
  std::vector<double> vector(dimensions);
  std::vector<std::int8_t> block(kVectorsOfBlock * dimensions);
  const std::uint64_t last = std::min(vectors.count, first + kTileNumbers - place);
  for (std::uint64_t begin = first; begin < last; begin += kVectorsOfBlock, place += kVectorsOfBlock) {
    const std::uint64_t count = std::min(last - begin, kVectorsOfBlock);
    for (std::uint64_t n = 0; n < count; ++n) {
      const double norm = read_checked(vectors, begin + n, shape.metric, normalise, "vector", vector);
      quantise_one(shape, vector, shape.metric == Metric::cosine ? 1 : norm, begin + n,
                   std::span(block).subspan(n * dimensions, dimensions));
    }
    for (std::size_t d = 0; d < dimensions; ++d)
      for (std::uint64_t n = 0; n < count; ++n) tile[d * kTileNumbers + place + n] = block[n * dimensions + d];
  }
}

}  // namespace tacit::search
