#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "graph/approximate/chebyshev.h"

namespace tacit::graph::approximate {

/// The distribution of a function's inputs: counts in equal bins over [lowest, highest]. Empty if not known.
using Histogram = std::vector<double>;

/// Returns the coefficients of the cheapest Chebyshev series of degree at most `max_degree` for `function` on [lowest,
/// highest], which is mapped affinely to [-1, 1].
/// - A function whose truncated Chebyshev expansion meets `tolerance` (absolute) gets the smallest degree of at least 1
///   that does.
/// - Any other function (with a kink inside the interval) gets `max_degree` by weighted least squares. Half of the
///   weight follows the measured distribution of inputs. The other half follows the Chebyshev measure, so that the
///   error stays bounded.
///
/// Throws InputError, naming `what`, if the function is not finite on the interval or the interval is empty.
std::vector<double> fit(const Samples& function, double lowest, double highest, double tolerance, int max_degree,
                        const Histogram& histogram, std::string_view what);

/// Returns true if a function is positive and grows towards a pole below a positive interval, as 1 / x and 1 / sqrt(x)
/// do. The interval's ends must be a factor of four apart. Towards 0, such a step makes the function at least 1.8 times
/// as large, at both ends.
bool has_pole_below(const Samples& function, double lowest, double highest);

/// Returns true if a function is positive and grows from end to end by a constant factor per step, at least 64 times in
/// all, as exp does.
bool is_exponential(const Samples& function, double lowest, double highest);

/// Returns the coefficients of the series of smallest degree whose error is at most `tolerance` times the larger of the
/// function and `floor`. If no degree up to `max_degree` is enough, the series has that degree. It is for functions
/// whose results are multiplied or divided, so that a relative error counts. The method is weighted least squares at
/// Chebyshev nodes. Throws InputError as `fit`.
std::vector<double> fit_relative(const Samples& function, double lowest, double highest, double floor, double tolerance,
                                 int max_degree, std::string_view what);

/// Returns the largest |series - function| on a grid of 4096 points of [lowest, highest], end points included.
double max_error(std::span<const double> coefficients, const Samples& function, double lowest, double highest);

}  // namespace tacit::graph::approximate
