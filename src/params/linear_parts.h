#pragma once

#include <cstdint>
#include <span>

#include "params/cost_table.h"
#include "params/schedule.h"
#include "params/work.h"

namespace tacit::params {

/// The parts of a double-hoisted linear map at one level, each as an amount of `Work` or seconds.
template <class Amount>
struct LinearParts {
  Amount decompose{};  ///< once per input ciphertext, if any baby step is not 0
  Amount baby{};       ///< one hoisted rotation of one input, left in the extended basis
  Amount giant{};      ///< one rotation of one accumulator
  Amount product{};    ///< one diagonal times one ciphertext, accumulated, where all its words differ
  Amount repeated{};   ///< the same where few words repeat and stay in the nearest cache
  Amount fold{};       ///< one rotation and addition of an output, after the rescale
  Amount finish{};     ///< division by the special primes and the rescale of one output
};

/// The number of each part in a linear map.
struct LinearCounts {
  std::int64_t babies = 0;    ///< distinct non-zero baby steps, per input ciphertext
  std::int64_t giants = 0;    ///< distinct non-zero giant steps, per output ciphertext
  std::int64_t products = 0;  ///< over all blocks
  std::int64_t folds = 0;     ///< per output ciphertext
  std::int64_t inputs = 1, outputs = 1;
  double density = 1;  ///< share of a diagonal's words that are read: one period of all slots
  std::int64_t rotations() const { return babies * inputs + (giants + folds) * outputs; }
};

/// Counts one block without folds, one product per step.
LinearCounts count(std::span<const DiagonalStep> steps);

/// Returns the seconds of each part on as many threads as the table names.
LinearParts<double> seconds(const LinearParts<Work>& work, const CostTable& table);

template <class Amount>
Amount total(const LinearCounts& counts, const LinearParts<Amount>& parts) {
  const auto inputs = static_cast<double>(counts.inputs), outputs = static_cast<double>(counts.outputs);
  Amount sum = outputs * parts.finish;
  if (counts.babies > 0) sum += inputs * parts.decompose;
  sum += inputs * static_cast<double>(counts.babies) * parts.baby;
  sum += outputs * static_cast<double>(counts.giants) * parts.giant;
  const auto products = static_cast<double>(counts.products);
  sum += products * counts.density * parts.product;
  sum += products * (1 - counts.density) * parts.repeated;
  sum += outputs * static_cast<double>(counts.folds) * parts.fold;
  return sum;
}

}  // namespace tacit::params
