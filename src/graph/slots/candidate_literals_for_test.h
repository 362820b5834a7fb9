#pragma once

#include <utility>
#include <vector>

#include "graph/slots/choose_parameters.h"

namespace tacit::graph::passes {

/// Returns literal_for every ring degree from 2^13 to 2^16 that has one, smallest first.
inline std::vector<params::CkksLiteral> candidate_literals(const ParameterNeeds& needs) {
  std::vector<params::CkksLiteral> result;
  for (int log_n = kSmallestLogN; log_n <= kLargestLogN; ++log_n)
    if (auto literal = literal_for(log_n, needs)) result.push_back(*std::move(literal));
  return result;
}

}  // namespace tacit::graph::passes
