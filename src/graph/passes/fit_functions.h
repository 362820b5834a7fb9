#pragma once

#include <vector>

#include "graph/compile.h"
#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// The largest error of a smooth function's series, as a share of the function's largest value on its interval.
inline constexpr double kSmoothTolerance = 1.0 / 4096;

/// Centres the interval of every function with parity on 0, if that widens the interval little. Parity then saves
/// products.
void centre_functions(Network& network);

/// Returns the functions of a network, in order.
std::vector<Function*> functions_of(Network& network);

/// Returns the error of a function's series, as a share of the function's largest value on its interval.
double error_share(const Function& function);

/// Describes the series of every function, in order, with its error. Throws InputError naming the node if a series is
/// off by more than `most`, as a share of the function's largest value, or if a function is not finite on its interval.
std::vector<Approximation> describe_functions(const Network& network, double most);

/// Gives a function the cheapest Chebyshev series of degree at most `max_degree` whose error is at most `tolerance`
/// times the function's largest value. For a function that grows towards a pole, it is times the value at each point.
/// For an exponential, it is the same, but at least times the value at the middle of the interval. If no series is so
/// precise, the function gets the best one. Throws InputError if the function is not finite on its interval.
void fit_function(Function& function, int max_degree, std::string_view what, double tolerance = kSmoothTolerance);

/// Centres and fits every function, with degrees of at most `max_degree`, and describes the series.
std::vector<Approximation> fit_functions(Network& network, int max_degree, double most_error);

}  // namespace tacit::graph::passes
