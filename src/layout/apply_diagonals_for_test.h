#pragma once

#include <cstddef>
#include <vector>

#include "layout/diagonals.h"

namespace tacit::layout {

/// What ciphertexts would do: rotate, multiply, add, fold.
inline std::vector<std::vector<double>> apply_diagonals(const LinearMap& map,
                                                        const std::vector<std::vector<double>>& x) {
  const Diagonals made = diagonals(map);
  const auto slots = static_cast<std::size_t>(made.set.slots);
  std::vector<std::vector<double>> result;
  for (const auto& row : made.blocks) {
    std::vector<double> sum(slots);
    for (std::size_t input = 0; input < row.size(); ++input)
      for (const auto& [canonical, unmoved] : row[input]) {
        // Any rotation that equals the diagonal modulo the modulus will do.
        const Index diagonal = (canonical + made.set.modulus * (canonical * 7 + 3)) % made.set.slots;
        const std::vector<double> weights = weights_of(made.set, row[input], diagonal);
        for (std::size_t s = 0; s < slots; ++s)
          sum[s] += weights[s % weights.size()] * x[input][(s + static_cast<std::size_t>(diagonal)) % slots];
      }
    for (const Index fold : made.set.folds) {
      const std::vector<double> before = sum;
      for (std::size_t s = 0; s < slots; ++s) sum[s] += before[(s + static_cast<std::size_t>(fold)) % slots];
    }
    result.push_back(std::move(sum));
  }
  return result;
}

}  // namespace tacit::layout
