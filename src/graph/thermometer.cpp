#include "graph/thermometer.h"

#include <algorithm>
#include <vector>

namespace tacit::graph {

std::size_t thermometer_width(const integers::Borders& borders) {
  const std::size_t count = borders.rising.size() / borders.missing.size();
  return std::max(count, static_cast<std::size_t>(std::max<std::int64_t>(0, std::ranges::max(borders.missing))));
}

std::map<std::string, Attribute> thermometer_attributes(const integers::Borders& borders) {
  return {{"borders", borders.rising}, {"missing", borders.missing}, {"single", std::int64_t{borders.single}}};
}

std::map<std::string, Attribute> grid_points_attributes(const Shape& features, std::span<const double> points) {
  return {{"points", std::vector<double>(points.begin(), points.end())}, {"shape", features}};
}

}  // namespace tacit::graph
