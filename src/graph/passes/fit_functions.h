#pragma once

#include <vector>

#include "graph/compile.h"
#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// Largest error of a smooth function's series, as a share of the function's largest value on its interval.
inline constexpr double kSmoothTolerance = 1.0 / 4096;

/// Moves the interval of every function with parity to lie around 0, where that widens it little: parity then saves
/// products.
void centre_functions(Network& network);

/// The functions of a network, in order.
std::vector<Function*> functions_of(Network& network);

/// The error of a function's series, as the same share.
double error_share(const Function& function);

/// What the series of every function is, in order, with its error. Throws InputError naming the node if a series is off
/// by more than `most`, as the same share, or a function is not finite on its interval.
std::vector<Approximation> describe_functions(const Network& network, double most);

/// Gives a function the cheapest Chebyshev series of degree at most `max_degree` whose error is at most `tolerance`
/// times the function's largest value, or the best one where none is. Throws InputError if it is not finite on its
/// interval.
void fit_function(Function& function, int max_degree, std::string_view what, double tolerance = kSmoothTolerance);

/// Centres and fits every function, of degree at most `max_degree`, and describes them.
std::vector<Approximation> fit_functions(Network& network, int max_degree, double most_error);

}  // namespace tacit::graph::passes
