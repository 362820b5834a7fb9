#include "graph/passes/fit_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "graph/approximate/parity.h"

namespace tacit::graph::passes {
namespace {

/// The most by which a function's interval may be widened to be centred on 0, where parity saves products.
constexpr double kWidest = 1.3;

approximate::Samples samples_of(const Function& function) {
  return [&function](std::span<const double> points) { return function.function(points); };
}

double largest_value(const Function& function) {
  std::vector<double> grid(257);
  for (std::size_t i = 0; i < grid.size(); ++i)
    grid[i] = function.lowest + (function.highest - function.lowest) * static_cast<double>(i) / 256;
  double largest = 0;
  for (const double y : function.function(grid)) largest = std::max(largest, std::abs(y));
  return largest;
}

std::string named(const Value& value) { return fmt::format("node '{}' ({})", value.node, value.op); }

}  // namespace

void centre_functions(Network& network) {
  for (Function* function : functions_of(network)) {
    const double reach = std::max(-function->lowest, function->highest);
    if (2 * reach > kWidest * (function->highest - function->lowest))
      continue;  // an interval beside 0 would at least double
    function->parity = approximate::parity(samples_of(*function), reach);
    if (function->parity == approximate::Parity::none) continue;
    function->lowest = -reach;
    function->highest = reach;
  }
}

std::vector<Function*> functions_of(Network& network) {
  std::vector<Function*> result;
  for (Value& value : network.values)
    if (auto* function = std::get_if<Function>(&value.operation)) result.push_back(function);
  return result;
}

double error_share(const Function& function) {
  const double largest = largest_value(function);
  const double error =
      approximate::max_error(function.coefficients, samples_of(function), function.lowest, function.highest);
  return error == 0 ? 0 : error / largest;
}

std::vector<Approximation> describe_functions(const Network& network, double most) {
  std::vector<Approximation> done;
  for (const Value& value : network.values) {
    const auto* function = std::get_if<Function>(&value.operation);
    if (!function) continue;
    const int degree = static_cast<int>(function->coefficients.size()) - 1;
    const double largest = largest_value(*function);
    const double share = error_share(*function), error = share * largest;
    if (share > most)
      base::refuse(
          "{}: the polynomial of degree {} on [{:.3g}, {:.3g}] is off by {:.3g} where the function's largest value is "
          "{:.3g}: a jump or a very steep slope has no encrypted form; use a smoother function, a smaller range or a "
          "higher degree, or allow it with --max-polynomial-error {:.2g}",
          named(value), degree, function->lowest, function->highest, error, largest, std::ceil(share * 100) / 100);
    done.push_back({value.node, value.op, degree, function->lowest, function->highest, error, share, {}});
  }
  return done;
}

void fit_function(Function& function, int max_degree, std::string_view what, double tolerance) {
  const approximate::Samples samples = samples_of(function);
  const double lowest = function.lowest, highest = function.highest;
  const bool exponential = approximate::is_exponential(samples, lowest, highest);
  if (exponential || approximate::has_pole_below(samples, lowest, highest)) {
    // Rows of exponentials are divided by their sums, which may lie far below the largest exponential.
    const double floor = exponential ? samples(std::vector<double>{(lowest + highest) / 2})[0] : 0;
    function.coefficients = approximate::fit_relative(samples, lowest, highest, floor, tolerance, max_degree, what);
    return;
  }
  const double error = std::max(largest_value(function), 1e-12) * tolerance;
  function.coefficients = approximate::fit(samples, lowest, highest, error, max_degree, function.histogram, what);
  approximate::impose(function.parity, function.coefficients);
}

std::vector<Approximation> fit_functions(Network& network, int max_degree, double most_error) {
  centre_functions(network);
  for (Value& value : network.values)
    if (auto* function = std::get_if<Function>(&value.operation)) fit_function(*function, max_degree, named(value));
  return describe_functions(network, most_error);
}

}  // namespace tacit::graph::passes
