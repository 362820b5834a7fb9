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

/// Dimensions that are transformed before they are multiplied.
constexpr std::size_t kDimensionsTogether = 8;
/// Words of a row that are multiplied at a time: those of eight questions then stay in a second cache for all tiles.
constexpr std::size_t kStripWords = 512;
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
  const std::size_t n = ntt_.n(), strip = std::min(n, kStripWords);
  static thread_local base::AlignedVector<std::uint64_t> scratch;
  scratch.resize(tiles.size() * kDimensionsTogether * kRowWords + 4 * questions.size() * strip);
  const auto row = [&](std::size_t tile, std::size_t d) {
    return scratch.data() + (tile * kDimensionsTogether + d) * kRowWords;
  };
  for (TileSum& sum : sums) {
    sum.c0.assign(n, 0);
    sum.c1.assign(n, 0);
  }
  std::vector<std::uint64_t*> outs;
  for (std::size_t i = 0; i < 4 * questions.size(); ++i) outs.push_back(row(tiles.size(), 0) + i * strip);
  std::vector<limb::FactorRow> factors;
  std::vector<const std::uint64_t*> right[2];
  for (std::size_t begin = first; begin < last; begin += kDimensionsTogether) {
    const std::size_t count = std::min(last - begin, kDimensionsTogether);
    for (std::size_t t = 0; t < tiles.size(); ++t)
      for (std::size_t d = 0; d < count; ++d) {
        residues_of({tiles[t] + (begin + d) * n, n}, q.value(), row(t, d));
        ntt_.forward(row(t, d));
      }
    for (std::size_t at = 0; at < n; at += strip) {
      // Pair by pair: half h of question s times both tiles.
      factors.clear();
      for (const ExpandedQuestion& question : questions)
        for (std::size_t half = 0; half < 2; ++half)
          for (std::size_t d = 0; d < count; ++d) factors.push_back({question.row(half, begin + d) + at, 0});
      for (std::size_t t = 0; t < tiles.size(); t += 2) {
        const std::size_t here = std::min<std::size_t>(2, tiles.size() - t);
        for (std::size_t k = 0; k < 2; ++k) {
          right[k].clear();
          for (std::size_t d = 0; d < count; ++d) right[k].push_back(row(t + std::min(k, here - 1), d) + at);
        }
        if (here == 2) {
          limb::dot_pairs(outs, factors, right[0], right[1], strip, q);
        } else {
          for (std::size_t i = 0; i < 2 * questions.size(); ++i)
            limb::dot(outs[2 * i], std::span(factors).subspan(i * count, count), right[0], strip, q);
        }
        for (std::size_t s = 0; s < questions.size(); ++s)
          for (std::size_t k = 0; k < here; ++k) {
            TileSum& sum = sums[(t + k) * questions.size() + s];
            limb::add(sum.c0.data() + at, sum.c0.data() + at, outs[4 * s + k], strip, q);
            limb::add(sum.c1.data() + at, sum.c1.data() + at, outs[4 * s + 2 + k], strip, q);
          }
      }
    }
  }
}

void TileProducts::to_coefficients(TileSum& sum) const {
  ntt_.inverse(sum.c0.data());
  ntt_.inverse(sum.c1.data());
}

}  // namespace tacit::search
