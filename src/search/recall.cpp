#include "search/recall.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/parallel.h"
#include "base/random.h"
#include "base/vectorised.h"

namespace tacit::search {
namespace {

constexpr std::uint64_t kMostQueries = 1000, kMostProducts = 1'000'000'000;

/// scores[n] += query * row[n]
TACIT_VECTORISED void add_products(float query, const float* row, float* scores, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) scores[i] += query * row[i];
}

/// out[n] = step * numbers[n]
TACIT_VECTORISED void scale_numbers(const std::int8_t* numbers, float step, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = step * static_cast<float>(numbers[i]);
}

TACIT_VECTORISED double dot(const double* a, const double* b, std::size_t n) {
  constexpr std::size_t kLanes = 8;
  double sums[kLanes] = {}, sum = 0;
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  for (; i < n; ++i) sum += a[i] * b[i];
  for (std::size_t lane = 0; lane < kLanes; ++lane) sum += sums[lane];
  return sum;
}

using Queries = std::vector<std::vector<double>>;
/// Scores by query and record. A larger score is nearer.
using Scores = std::vector<std::vector<float>>;

/// The scores of one tile of int8 numbers for all queries.
void score_tile(const std::vector<std::int8_t>& numbers, const StoreShape& shape, const Queries& queries,
                std::uint64_t first, std::uint64_t count, Scores& scores) {
  std::vector<float> squares(kTileNumbers, 0), sums(kTileNumbers);
  std::vector<float> rows(numbers.size());
  scale_numbers(numbers.data(), static_cast<float>(shape.step), rows.data(), rows.size());
  for (std::uint64_t d = 0; shape.metric == Metric::euclid && d < shape.dimensions; ++d)
    for (std::size_t i = 0; i < kTileNumbers; ++i)
      squares[i] += rows[d * kTileNumbers + i] * rows[d * kTileNumbers + i] / 2;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    for (std::size_t i = 0; i < kTileNumbers; ++i) sums[i] = -squares[i];
    for (std::uint64_t d = 0; d < shape.dimensions; ++d)
      add_products(static_cast<float>(queries[q][d]), rows.data() + d * kTileNumbers, sums.data(), kTileNumbers);
    std::copy_n(sums.begin(), count, scores[q].begin() + static_cast<std::ptrdiff_t>(first));
  }
}

std::vector<std::uint32_t> best_of(const std::vector<float>& scores, std::size_t count) {
  std::vector<std::uint32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0U);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](std::uint32_t a, std::uint32_t b) { return scores[a] > scores[b]; });
  order.resize(count);
  return order;
}

}  // namespace

Recall measure_recall(const Store& store, const Vectors& vectors, bool normalise) {
  const StoreShape& shape = store.shape();
  const bool euclid = shape.metric == Metric::euclid;
  const std::uint64_t dimensions = shape.dimensions, records = vectors.count;
  Recall recall;
  recall.queries = std::clamp<std::uint64_t>(kMostProducts / (2 * records * dimensions), 1, kMostQueries);
  base::Seed seed{};
  base::Csprng random(seed);
  std::vector<std::vector<double>> queries(recall.queries, std::vector<double>(dimensions));
  std::vector<double> other(dimensions);
  for (std::vector<double>& query : queries) {
    read_checked(vectors, random.below(records), shape.metric, normalise, "vector", query);
    read_checked(vectors, random.below(records), shape.metric, normalise, "vector", other);
    for (std::uint64_t d = 0; d < dimensions; ++d) query[d] = (query[d] + other[d]) / 2;
  }
  Scores exact(recall.queries, std::vector<float>(records)), rounded = exact;
  base::parallel_for(0, shape.tiles(), [&](std::size_t tile) {
    const std::uint64_t first = tile * kTileNumbers, count = std::min<std::uint64_t>(kTileNumbers, records - first);
    std::vector<double> vector(dimensions);
    for (std::uint64_t i = first; i < first + count; ++i) {
      const double norm = read_checked(vectors, i, shape.metric, normalise, "vector", vector);
      for (std::size_t q = 0; q < queries.size(); ++q)
        exact[q][i] =
            static_cast<float>(dot(queries[q].data(), vector.data(), dimensions) - (euclid ? norm * norm / 2 : 0));
    }
    std::vector<std::int8_t> numbers(dimensions * kTileNumbers);
    store.read_vectors(tile, 1, numbers);
    score_tile(numbers, shape, queries, first, count, rounded);
  });
  const auto share = [&](std::size_t query, std::size_t best) {
    best = std::min<std::size_t>(best, records);
    std::vector<std::uint32_t> a = best_of(exact[query], best), b = best_of(rounded[query], best), both;
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return static_cast<double>(both.size()) / static_cast<double>(best);
  };
  for (std::size_t q = 0; q < queries.size(); ++q) {
    recall.at_10 += share(q, 10) / static_cast<double>(queries.size());
    recall.at_100 += share(q, 100) / static_cast<double>(queries.size());
  }
  return recall;
}

}  // namespace tacit::search
