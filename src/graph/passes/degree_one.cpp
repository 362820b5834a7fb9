#include "graph/passes/degree_one.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tacit::graph::passes {
namespace {

constexpr double kDegreeOneTolerance = 1e-9;

}  // namespace

bool has_degree_one(const ScalarFunction& function, double reach) {
  std::vector<double> points;
  for (const double share : {1.0, 0.7, 0.3, 0.1, 0.01}) {
    points.push_back(share * reach);
    points.push_back(-share * reach);
  }
  const std::vector<double> y = function(points);
  const double tolerance = kDegreeOneTolerance * std::max(std::abs(y[0]), std::abs(y[1]));
  for (std::size_t i = 2; i < points.size(); ++i)
    if (!(std::abs(y[i] - points[i] / points[i % 2] * y[i % 2]) <= tolerance)) return false;
  return true;
}

}  // namespace tacit::graph::passes
