#include "search/quantiser.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"

namespace tacit::search {
namespace {

constexpr double kLargestNumber = 127;
/// Vectors that one task reads.
constexpr std::uint64_t kVectorsTogether = 1024;

double norm_of(std::span<const double> vector) {
  double sum = 0;
  for (const double x : vector) sum += x * x;
  return std::sqrt(sum);
}

}  // namespace

double read_checked(const Vectors& vectors, std::uint64_t index, Metric metric, bool normalise, const char* what,
                    std::span<double> out) {
  vectors.read(index, out);
  for (std::size_t i = 0; i < out.size(); ++i)
    if (!std::isfinite(out[i]))
      base::refuse("{} {} holds {} at dimension {}; remove it, or replace it by a number", what, index,
                   std::isnan(out[i]) ? "NaN" : "infinity", i);
  const double norm = norm_of(out);
  if (!std::isfinite(norm))
    base::refuse("{} {} has a norm above the largest number of double precision; divide the vectors by a constant",
                 what, index);
  if (metric != Metric::cosine) return norm;
  if (norm == 0)
    base::refuse("{} {} is zero, and a zero vector has no cosine; remove it, or use --metric dot", what, index);
  if (normalise) {
    for (double& x : out) x /= norm;
  } else if (std::abs(norm - 1) > kNormTolerance) {
    base::refuse("{} {} has the norm {:.4g}, and cosines need norm 1; give --normalise, or use --metric dot", what,
                 index, norm);
  }
  return norm;
}

VectorRange range_of(const Vectors& vectors, Metric metric, bool normalise) {
  VectorRange range;
  std::mutex mutex;
  base::parallel_for(0, (vectors.count + kVectorsTogether - 1) / kVectorsTogether, [&](std::size_t task) {
    std::vector<double> vector(vectors.dimensions);
    VectorRange here;
    for (std::uint64_t i = task * kVectorsTogether; i < std::min(vectors.count, (task + 1) * kVectorsTogether); ++i) {
      const double norm = read_checked(vectors, i, metric, normalise, "vector", vector);
      here.largest_norm = std::max(here.largest_norm, norm);
      for (const double x : vector) here.largest_component = std::max(here.largest_component, std::abs(x));
    }
    const std::lock_guard lock(mutex);
    range.largest_norm = std::max(range.largest_norm, here.largest_norm);
    range.largest_component = std::max(range.largest_component, here.largest_component);
  });
  return range;
}

void quantise(const StoreShape& shape, std::span<const double> vector, std::uint64_t index, std::int8_t* column) {
  constexpr double kRoundingErrors = 1e-9;
  for (std::size_t i = 0; i < vector.size(); ++i) {
    const double steps = std::nearbyint(vector[i] / shape.step);
    if (std::abs(vector[i]) > shape.step * kLargestNumber * (1 + kRoundingErrors))
      base::refuse(
          "vector {} has the component {:.4g}, and the store holds components up to {:.4g}; build the store again with "
          "all vectors, or with a larger --largest-component",
          index, vector[i], shape.step * kLargestNumber);
    column[i * kTileNumbers] = static_cast<std::int8_t>(steps);
  }
  if (const double norm = norm_of(vector); norm > shape.largest_norm * (1 + kNormTolerance))
    base::refuse(
        "vector {} has the norm {:.4g}, and the store holds norms up to {:.4g}; build the store again with all "
        "vectors, "
        "or with a larger --largest-norm",
        index, norm, shape.largest_norm);
}

void quantise_tile(const StoreShape& shape, const Vectors& vectors, bool normalise, std::uint64_t first,
                   std::span<std::int8_t> tile) {
  std::fill(tile.begin(), tile.end(), 0);
  std::vector<double> vector(vectors.dimensions);
  const std::uint64_t last = std::min(vectors.count, first + kTileNumbers);
  for (std::uint64_t i = first; i < last; ++i) {
    read_checked(vectors, i, shape.metric, normalise, "vector", vector);
    quantise(shape, vector, i, tile.data() + (i - first));
  }
}

}  // namespace tacit::search
