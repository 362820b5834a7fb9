#include "runtime/slots/encoded_map.h"

#include <string>
#include <utility>

#include "base/error.h"
#include "layout/diagonals_by_output.h"
#include "layout/equal_parts.h"

namespace tacit::runtime {
namespace {

using scheme::ckks::DiagonalMatrix;

// A schedule and its map may come from one file: whoever wrote it is to blame.
constexpr const char* kWayOut = "; the program is not what a compiler made, compile the model again";

/// The diagonals of a block in the order of the steps; a step without one stays empty.
std::vector<std::vector<double>> in_step_order(const layout::DiagonalSet& set, const layout::DiagonalBlock& block,
                                               const std::vector<params::DiagonalStep>& steps) {
  std::vector<std::vector<double>> diagonals(steps.size());
  std::size_t found = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    diagonals[i] = layout::weights_of(set, block, steps[i].diagonal);
    found += diagonals[i].empty() ? 0 : 1;
  }
  if (found != block.size())
    throw base::InputError(std::string("a schedule does not have the diagonals of its linear map") + kWayOut);
  return diagonals;
}

}  // namespace

DiagonalMap::DiagonalMap(const scheme::ckks::Encoder& encoder, const slots::ScheduledMap& scheduled,
                         slots::Landing from, slots::Landing to, const params::RotationPrimes& rotation_primes,
                         const layout::Interval& computed)
    : schedule_(scheduled.schedule) {
  const auto [map, parts] = layout::equal_parts(scheduled.map);
  const auto outputs = static_cast<std::size_t>(map.out.ciphertexts());
  const auto inputs = static_cast<std::size_t>(map.in.ciphertexts());
  groups_ = static_cast<std::size_t>(parts);
  blocks_.assign(outputs, std::vector<const DiagonalMatrix*>(inputs));
  std::vector<std::size_t> wanted;
  for (std::size_t j = 0; j < outputs; ++j)
    for (layout::Index g = 0; g < parts; ++g)
      if (computed.contains(g * map.out.ciphertexts() + static_cast<layout::Index>(j))) {
        wanted.push_back(j);
        break;
      }
  layout::DiagonalsByOutput diagonals(map, schedule_.steps.size(), wanted.size());
  for (const std::size_t j : wanted) {
    std::vector<layout::DiagonalBlock>& raw = diagonals.blocks_of(static_cast<layout::Index>(j));
    if (diagonals.set().folds != schedule_.folds)
      throw base::InputError(std::string("a schedule folds otherwise than its linear map") + kWayOut);
    for (std::size_t i = 0; i < inputs; ++i) {
      const layout::DiagonalBlock block = std::exchange(raw[i], {});
      if (block.empty()) continue;
      matrices_.push_back(std::make_unique<DiagonalMatrix>(
          encoder.encode_diagonals(schedule_.steps, in_step_order(diagonals.set(), block, schedule_.steps), from.level,
                                   from.scale, to.scale, rotation_primes)));
      blocks_[j][i] = matrices_.back().get();
    }
  }
}

DiagonalMap DiagonalMap::part(const std::vector<layout::Index>& outputs,
                              const std::vector<layout::Index>& inputs) const {
  DiagonalMap result;
  result.schedule_ = schedule_;
  for (const layout::Index output : outputs) {
    const auto& from = blocks_[static_cast<std::size_t>(output)];
    auto& row = result.blocks_.emplace_back();
    for (const layout::Index input : inputs) row.push_back(from[static_cast<std::size_t>(input)]);
  }
  return result;
}

double DiagonalMap::bytes() const {
  std::size_t sum = 0;
  for (const auto& matrix : matrices_) sum += matrix->bytes();
  return static_cast<double>(sum);
}

}  // namespace tacit::runtime
