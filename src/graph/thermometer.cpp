#include "graph/thermometer.h"

#include <algorithm>
#include <vector>

namespace tacit::graph {

namespace {

void append_thermometer(std::size_t ones, std::size_t width, std::vector<double>& bits) {
  for (std::size_t k = 0; k < width; ++k) bits.push_back(k < ones ? 1 : 0);
}

std::size_t ones_of(std::span<const double> bits) {
  return static_cast<std::size_t>(std::ranges::count_if(bits, [](double bit) { return bit > 0.5; }));
}

}  // namespace

std::optional<std::size_t> BoxBits::bit_of(std::size_t k) const {
  if (digit == 0) return k - 1;
  const std::size_t ones = needs_product(k) ? k / digit + 1 : k / digit;
  return ones <= high() ? std::optional(ones - 1) : std::nullopt;
}

void BoxBits::append(std::size_t box, std::vector<double>& bits) const {
  append_thermometer(digit == 0 ? box : box / digit, high(), bits);
  if (digit != 0) append_thermometer(box % digit, digit - 1, bits);
}

std::size_t BoxBits::box_of(std::span<const double> bits) const {
  const std::size_t above = ones_of(bits.first(high()));
  return digit == 0 ? above : std::min(borders, above * digit + ones_of(bits.subspan(high())));
}

std::size_t borders_of_bits(const integers::Borders& borders) {
  const std::size_t count = borders.rising.size() / borders.missing.size();
  return std::max(count, static_cast<std::size_t>(std::max<std::int64_t>(0, std::ranges::max(borders.missing))));
}

std::map<std::string, Attribute> thermometer_attributes(const integers::Borders& borders, std::size_t digit) {
  return {{"borders", borders.rising},
          {"missing", borders.missing},
          {"single", std::int64_t{borders.single}},
          {"digit", static_cast<std::int64_t>(digit)}};
}

std::map<std::string, Attribute> grid_points_attributes(const Shape& features, std::span<const double> points,
                                                        std::size_t digit) {
  return {{"points", std::vector<double>(points.begin(), points.end())},
          {"shape", features},
          {"digit", static_cast<std::int64_t>(digit)}};
}

}  // namespace tacit::graph
