#include "graph/thermometer.h"

#include <vector>

namespace tacit::graph {

std::map<std::string, Attribute> thermometer_attributes(const integers::Borders& borders) {
  return {{"borders", borders.rising}, {"missing", borders.missing}, {"single", std::int64_t{borders.single}}};
}

std::map<std::string, Attribute> grid_points_attributes(const Shape& features, std::span<const double> points) {
  return {{"points", std::vector<double>(points.begin(), points.end())}, {"shape", features}};
}

}  // namespace tacit::graph
