#include "graph/passes/fit_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "graph/approximate/parity.h"
#include "graph/passes/emit.h"

namespace tacit::graph::passes {
namespace {

/// How much wider a function's interval may become to lie around 0, where parity saves products.
constexpr double kWidest = 1.3;

/// Centres the interval of a function with parity on 0 where that widens it little.
approximate::Parity centre(Function& function, const approximate::Samples& samples) {
  const double reach = std::max(-function.lowest, function.highest);
  if (!(function.lowest < 0 && function.highest > 0) || 2 * reach > kWidest * (function.highest - function.lowest))
    return approximate::Parity::none;
  const approximate::Parity parity = approximate::parity(samples, reach);
  if (parity == approximate::Parity::none) return parity;
  function.histogram = approximate::mirrored(function.histogram, function.lowest, function.highest, reach);
  function.lowest = -reach;
  function.highest = reach;
  return parity;
}

}  // namespace

std::vector<Approximation> fit_functions(Network& network, int max_degree) {
  std::vector<Approximation> done;
  for (Value& value : network.values) {
    auto* function = std::get_if<Function>(&value.operation);
    if (!function) continue;
    const approximate::Samples samples = [function](std::span<const double> points) {
      return function->function(points);
    };
    const approximate::Parity parity = centre(*function, samples);
    std::vector<double> grid(257);
    for (std::size_t i = 0; i < grid.size(); ++i)
      grid[i] = function->lowest + (function->highest - function->lowest) * static_cast<double>(i) / 256;
    double largest = 0;
    for (const double y : samples(grid)) largest = std::max(largest, std::abs(y));
    const std::string what = fmt::format("node '{}' ({})", value.node, value.op);
    approximate::Fit fit =
        approximate::fit(samples, function->lowest, function->highest, std::max(largest, 1e-12) * kSmoothTolerance,
                         max_degree, function->histogram, what);
    approximate::impose(parity, fit.coefficients);
    if (fit.max_error > kLargestError * largest)
      throw base::InputError(fmt::format(
          "{}: the polynomial of degree {} on [{:.3g}, {:.3g}] is off by {:.3g} where the function's largest "
          "value is {:.3g}: a jump or a very steep slope has no encrypted form; use a smoother function, "
          "a smaller range or a higher degree",
          what, fit.coefficients.size() - 1, function->lowest, function->highest, fit.max_error, largest));
    function->coefficients = fit.coefficients;
    done.push_back({value.node, value.op, static_cast<int>(fit.coefficients.size()) - 1, function->lowest,
                    function->highest, fit.max_error});
  }
  return done;
}

int depth_of(const Network& network) {
  const std::vector<int> levels = levels_of(network);
  return levels.empty() ? 0 : *std::max_element(levels.begin(), levels.end());
}

}  // namespace tacit::graph::passes
