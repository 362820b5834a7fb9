#include "program/slots/normal_errors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "base/vectorised.h"

namespace tacit::slots {
namespace {

/// The number of pairs that are made at once, and stay in the nearest cache.
constexpr std::size_t kPairs = 256;

/// Points of a square and, once the others are left out, of the circle in it.
struct Points {
  std::array<double, kPairs> x, y, squares;
};

/// Returns a number of 64 bits as a share of 2^64, below 1, rounded once.
[[gnu::always_inline]] inline double share_of(std::uint64_t bits) {
  // The two halves, as the last digits of 2^52 and 2^84.
  const auto low = std::bit_cast<double>((bits & 0xffffffff) | 0x4330000000000000);
  const auto high = std::bit_cast<double>(bits >> 32 | 0x4530000000000000);
  return std::min(((high - 0x1.00000001p84) + low) * 0x1p-64, 0x1.fffffffffffffp-1);
}

TACIT_VECTORISED void take_points(const std::uint64_t* bits, std::size_t count, Points& points) {
  for (std::size_t i = 0; i < count; ++i) {
    const double x = 2 * share_of(bits[2 * i]) - 1, y = 2 * share_of(bits[2 * i + 1]) - 1;
    points.x[i] = x;
    points.y[i] = y;
    points.squares[i] = x * x + y * y;
  }
}

/// Returns the number of points in the circle, which move to the front.
std::size_t keep_circle(std::size_t count, Points& points) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    points.x[kept] = points.x[i];
    points.y[kept] = points.y[i];
    points.squares[kept] = points.squares[i];
    kept += points.squares[i] <= 1 && points.squares[i] != 0 ? 1 : 0;
  }
  return kept;
}

/// Brings points of the circle to a normal distribution.
TACIT_VECTORISED void spread(const double* logarithms, std::size_t count, double deviation, Points& points) {
  for (std::size_t i = 0; i < count; ++i) {
    const double factor = std::sqrt(-2 * logarithms[i] / points.squares[i]);
    points.x[i] = points.x[i] * factor * deviation;
    points.y[i] = points.y[i] * factor * deviation;
  }
}

}  // namespace

// Never draws more bits than the numbers need: the next numbers of the generator belong to others.
void NormalErrors::add_to(std::span<double> numbers) {
  std::size_t next = 0;
  if (has_second_ && !numbers.empty()) {
    numbers[next++] += second_;
    has_second_ = false;
  }
  Points points;
  std::array<std::uint64_t, 2 * kPairs> bits;
  std::array<double, kPairs> logarithms;
  while (next < numbers.size()) {
    const std::size_t drawn = std::min(kPairs, (numbers.size() - next + 1) / 2);
    for (std::size_t i = 0; i < 2 * drawn; ++i) bits[i] = random_();
    take_points(bits.data(), drawn, points);
    const std::size_t kept = keep_circle(drawn, points);
    for (std::size_t i = 0; i < kept; ++i) logarithms[i] = std::log(points.squares[i]);
    spread(logarithms.data(), kept, deviation_, points);
    for (std::size_t i = 0; i < kept; ++i) {
      numbers[next++] += points.y[i];
      if (next < numbers.size()) {
        numbers[next++] += points.x[i];
      } else {
        second_ = points.x[i];
        has_second_ = true;
      }
    }
  }
}

}  // namespace tacit::slots
