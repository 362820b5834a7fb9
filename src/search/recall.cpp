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

/// The scores of one tile for all queries, from rows of numbers by dimension. Larger is nearer.
void score_tile(const std::vector<float>& rows, std::uint64_t dimensions,
                const std::vector<std::vector<double>>& queries, bool euclid, std::uint64_t first, std::uint64_t count,
                std::vector<std::vector<float>>& scores) {
  std::vector<float> squares(kTileNumbers, 0);
  for (std::uint64_t d = 0; euclid && d < dimensions; ++d)
    for (std::size_t i = 0; i < kTileNumbers; ++i)
      squares[i] += rows[d * kTileNumbers + i] * rows[d * kTileNumbers + i] / 2;
  std::vector<float> sums(kTileNumbers);
  for (std::size_t q = 0; q < queries.size(); ++q) {
    for (std::size_t i = 0; i < kTileNumbers; ++i) sums[i] = -squares[i];
    for (std::uint64_t d = 0; d < dimensions; ++d)
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
  std::vector<std::vector<float>> exact(recall.queries, std::vector<float>(records)), rounded = exact;
  base::parallel_for(0, shape.tiles(), [&](std::size_t tile) {
    const std::uint64_t first = tile * kTileNumbers, count = std::min<std::uint64_t>(kTileNumbers, records - first);
    std::vector<float> rows(dimensions * kTileNumbers, 0);
    std::vector<double> vector(dimensions);
    for (std::uint64_t i = 0; i < count; ++i) {
      read_checked(vectors, first + i, shape.metric, normalise, "vector", vector);
      for (std::uint64_t d = 0; d < dimensions; ++d) rows[d * kTileNumbers + i] = static_cast<float>(vector[d]);
    }
    score_tile(rows, dimensions, queries, euclid, first, count, exact);
    std::vector<std::int8_t> numbers(dimensions * kTileNumbers);
    store.read_vectors(tile, 1, numbers);
    for (std::size_t i = 0; i < numbers.size(); ++i) rows[i] = static_cast<float>(numbers[i] * shape.step);
    score_tile(rows, dimensions, queries, euclid, first, count, rounded);
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
