#pragma once

#include <cstddef>
#include <random>
#include <vector>

namespace tacit::graph::passes {

/// Returns numbers between -1 and 1.
inline std::vector<double> random_numbers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<double> numbers(count);
  for (double& x : numbers) x = number(random);
  return numbers;
}

}  // namespace tacit::graph::passes
