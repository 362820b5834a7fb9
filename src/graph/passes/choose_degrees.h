#pragma once

#include <vector>

#include "base/progress.h"
#include "graph/compile.h"
#include "graph/passes/answers.h"
#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// Fewest calibration samples whose answers may decide about degrees.
inline constexpr std::size_t kFewestSamples = 64;

/// Fits every function of a calibrated and measured network with the lowest degree that the answers allow: greedily,
/// the function whose series loses a level with the least harm goes first, as long as twice the error of the outputs
/// changes no more answers of calibration samples than it would at the highest degrees, and four times the error no
/// more than three times as many. The second is for inputs not seen: samples are often rows that the model was trained
/// on, which lie further from the border between two answers than others do. The highest degree is options.max_degree.
/// Where people read values and twice the error is more than they allow, it grows by levels up to
/// options.max_value_degree, as long as that helps and a leveled parameter set is deep enough. Functions further apart
/// than kMostKnobs are lowered together. With fewer than kFewestSamples samples every function gets what fit_functions
/// gives. Says for every function what was chosen and why. Errors: as fit_functions.
std::vector<Approximation> choose_degrees(Network& network, const Answers& answers, const CompileOptions& options,
                                          base::Progress& progress);

}  // namespace tacit::graph::passes
