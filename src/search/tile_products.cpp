#include "search/tile_products.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/vectorised.h"
#include "ring/limb.h"
#include "search/store_shape.h"

namespace tacit::search {
namespace {

namespace limb = ring::limb;

/// Dimensions that are transformed before they are multiplied. With two tiles their words fill half of a second cache.
constexpr std::size_t kDimensionsTogether = 8;
constexpr std::size_t kRowWords = kTileNumbers + 8;

}  // namespace

TACIT_VECTORISED void residues_of(std::span<const std::int8_t> numbers, std::uint64_t q, std::uint64_t* out) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto number = static_cast<std::int64_t>(numbers[i]);
    out[i] = static_cast<std::uint64_t>(number) + (static_cast<std::uint64_t>(number >> 63) & q);
  }
}

TACIT_VECTORISED void sums_of_squares(std::span<const std::int8_t> tile, std::span<std::uint32_t> squares) {
  std::fill(squares.begin(), squares.end(), 0);
  const std::size_t n = squares.size();
  for (std::size_t at = 0; at < tile.size(); at += n)
    for (std::size_t i = 0; i < n; ++i) {
      const int number = tile[at + i];
      squares[i] += static_cast<std::uint32_t>(number * number);
    }
}

void subtract_squares(std::span<const std::int8_t> tile, double weight, const ring::Modulus& q, std::uint64_t* c0) {
  std::vector<std::uint32_t> squares(kTileNumbers);
  sums_of_squares(tile, squares);
  for (std::size_t i = 0; i < squares.size(); ++i)
    c0[i] = q.sub(c0[i], q.reduce_signed(std::llround(weight * squares[i])));
}

void TileProducts::run(std::span<const std::int8_t* const> tiles, std::span<const ExpandedQuestion> questions,
                       std::size_t first, std::size_t last, std::span<TileSum> sums) const {
  const ring::Modulus& q = ntt_.modulus();
  const std::size_t n = ntt_.n();
  static thread_local base::AlignedVector<std::uint64_t> scratch;
  scratch.resize((kTogether * kDimensionsTogether + 2 * kTogether * questions.size()) * kRowWords);
  const auto row = [&](std::size_t i) { return scratch.data() + i * kRowWords; };
  std::vector<ring::limb::FactorRow> factors;
  std::vector<const std::uint64_t*> right[2];
  std::vector<std::uint64_t*> outs, totals;
  for (std::size_t s = 0; s < questions.size(); ++s)
    for (std::size_t half = 0; half < 2; ++half)
      for (std::size_t t = 0; t < tiles.size(); ++t) {
        TileSum& sum = sums[t * questions.size() + s];
        (half == 0 ? sum.c0 : sum.c1).assign(n, 0);
        totals.push_back((half == 0 ? sum.c0 : sum.c1).data());
        outs.push_back(row(kTogether * kDimensionsTogether + outs.size()));
      }
  for (std::size_t begin = first; begin < last; begin += kDimensionsTogether) {
    const std::size_t end = std::min(last, begin + kDimensionsTogether);
    for (std::size_t t = 0; t < tiles.size(); ++t) {
      right[t].clear();
      for (std::size_t d = begin; d < end; ++d) {
        std::uint64_t* const words = row(t * kDimensionsTogether + d - begin);
        residues_of({tiles[t] + d * n, n}, q.value(), words);
        ntt_.forward(words);
        right[t].push_back(words);
      }
    }
    if (tiles.size() == 2) {
      factors.clear();
      for (const ExpandedQuestion& question : questions)
        for (std::size_t half = 0; half < 2; ++half)
          for (std::size_t d = begin; d < end; ++d) factors.push_back({question.row(half, d), 0});
      limb::dot_pairs(outs, factors, right[0], right[1], n, q);
    } else {
      for (std::size_t s = 0; s < questions.size(); ++s) {
        std::vector<const std::uint64_t*> halves[2];
        factors.clear();
        for (std::size_t d = begin; d < end; ++d) {
          factors.push_back({right[0][d - begin], 0});
          for (std::size_t half = 0; half < 2; ++half) halves[half].push_back(questions[s].row(half, d));
        }
        limb::dot_pair(outs[2 * s], outs[2 * s + 1], factors, halves[0], halves[1], n, q);
      }
    }
    for (std::size_t i = 0; i < outs.size(); ++i) limb::add(totals[i], totals[i], outs[i], n, q);
  }
}

void TileProducts::to_coefficients(TileSum& sum) const {
  ntt_.inverse(sum.c0.data());
  ntt_.inverse(sum.c1.data());
}

}  // namespace tacit::search
