#include "graph/quant/lookup_tables.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"

namespace tacit::graph::quant {

double torus_span(int bits) {
  return std::ldexp(1.0, integers::kMessageBits) - std::ldexp(1.0, integers::kMessageBits - bits + 1);
}

double exact_torus_span(int bits) {
  return std::ldexp(1.0, integers::kMessageBits) - std::ldexp(1.0, integers::kMessageBits - bits);
}

bool rounds_in_boxes(const integers::Program& program, const Made& made) {
  return made.step < integers::kMessageBits - program.bits;
}

std::vector<double> box_points(const integers::Program& program, const Made& made, std::size_t elements, double shift) {
  const auto first = static_cast<double>(integers::first_centre(program, integers::Lookup{made.id, {}, {}}));
  const std::size_t boxes = std::size_t{1} << program.bits;
  const int dropped = integers::kMessageBits - program.bits - made.step;  // below 0 where boxes are finer than integers
  std::vector<double> points;
  points.reserve(elements * boxes);
  for (std::size_t e = 0; e < elements; ++e) {
    const auto at = static_cast<layout::Index>(e);
    for (std::size_t box = 0; box < boxes; ++box) {
      double integer = std::ldexp(static_cast<double>(box) + shift, dropped);
      if (dropped < 0) integer = std::floor(integer + 0.5);
      points.push_back(made.scale[at] * (first + integer) + made.offset[at]);
    }
  }
  return points;
}

std::vector<double> finite(std::vector<double> numbers, std::size_t count, const std::string& node) {
  for (std::size_t begin = 0; begin < numbers.size(); begin += count) {
    std::size_t last = count;  // the last finite one
    for (std::size_t i = 0; i < count; ++i) {
      double& number = numbers[begin + i];
      if (std::isfinite(number)) {
        for (std::size_t k = last == count ? 0 : i; k < i; ++k) numbers[begin + k] = number;
        last = i;
      } else if (last != count) {
        number = numbers[begin + last];
      }
    }
    if (last == count)
      base::refuse(
          "node '{}': the function is finite nowhere on the range of an element that samples showed; clip "
          "what it reads to where it is defined (Clip)",
          node);
  }
  return numbers;
}

void keep_near(const std::vector<Range>& seen, double widths, std::size_t count, std::vector<double>& numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Range& range = seen[i / count];
    const double more = widths * range.width();
    if (range.width() > 0) numbers[i] = std::clamp(numbers[i], range.lowest - more, range.highest + more);
  }
}

std::pair<std::vector<std::vector<std::int64_t>>, std::vector<std::uint32_t>> distinct_tables(
    const std::vector<std::int64_t>& entries, std::size_t count) {
  std::vector<std::vector<std::int64_t>> tables;
  std::vector<std::uint32_t> table_of;
  std::map<std::vector<std::int64_t>, std::uint32_t> known;
  for (std::size_t begin = 0; begin < entries.size(); begin += count) {
    const auto first = entries.begin() + static_cast<std::ptrdiff_t>(begin);
    std::vector<std::int64_t> table(first, first + static_cast<std::ptrdiff_t>(count));
    const auto [found, added] = known.emplace(table, static_cast<std::uint32_t>(tables.size()));
    if (added) tables.push_back(std::move(table));
    table_of.push_back(found->second);
  }
  if (tables.size() == 1) table_of.clear();
  return {std::move(tables), std::move(table_of)};
}

}  // namespace tacit::graph::quant
