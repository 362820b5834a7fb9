#include "layout/diagonals.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"
#include "layout/few_samples.h"
#include "layout/map_entries.h"
#include "layout/repeating_weights.h"

namespace tacit::layout {

DiagonalSet frame_of(const LinearMap& map) {
  if (map.in.slots() != map.out.slots())
    throw base::InternalError("a linear map joins layouts with different numbers of slots");
  if (element_count(map.op->in_shape()) != element_count(map.in.shape()) ||
      element_count(map.op->out_shape()) != element_count(map.out.shape()))
    throw base::InternalError("a linear operator has another size than its layouts");
  DiagonalSet set;
  set.slots = map.in.slots();
  set.period = std::max(map.in.period(), map.out.period());
  set.modulus = std::min(map.in.period(), map.out.period());
  for (Index fold = map.in.period() / 2; fold >= map.out.period(); fold /= 2) set.folds.push_back(fold);
  set.count.density = static_cast<double>(set.period) / static_cast<double>(set.slots);
  return set;
}

bool has_few_weights(const LinearMap& map, std::size_t most_bytes) {
  constexpr std::size_t kBlockBytes = sizeof(DiagonalBlock) + sizeof(std::vector<std::vector<double>*>);
  const auto blocks = static_cast<std::size_t>(map.out.ciphertexts()) * static_cast<std::size_t>(map.in.ciphertexts());
  if (blocks > most_bytes / kBlockBytes) return false;
  const auto period = static_cast<std::size_t>(std::max(map.in.period(), map.out.period()));
  const auto modulus = static_cast<std::size_t>(std::min(map.in.period(), map.out.period()));
  const std::size_t most = most_bytes / sizeof(double) / period;  // diagonals
  if (blocks * modulus <= most) return true;
  const std::size_t copies = map.out.copies_in_period().size();
  std::size_t count = 0;
  RowEntries entries;
  for (Index row = 0; row < element_count(map.out.shape()); ++row) {
    entries.clear();
    map.op->append_row(row, entries);
    count += entries.size() * copies;
    if (count > most) return false;
  }
  return true;
}

std::vector<double> weights_of(const DiagonalSet& set, const DiagonalBlock& block, Index diagonal) {
  const auto found = block.find(diagonal & (set.modulus - 1));
  if (found == block.end()) return {};
  std::vector<double> weights = found->second;
  // Rotating the input by a multiple of its own period changes nothing; where sums fold, the accumulator moves instead,
  // by a multiple of the output's period, which the folds undo.
  if (!set.folds.empty())
    std::rotate(weights.begin(),
                weights.begin() + ((diagonal - found->first) & (static_cast<Index>(weights.size()) - 1)),
                weights.end());
  return weights;
}

namespace {

/// The weights of every diagonal over a whole period, as they come from the entries.
Diagonals whole_diagonals(const LinearMap& map, Index only_output) {
  Diagonals result;
  result.set = frame_of(map);
  const DiagonalSet& set = result.set;
  const auto inputs = static_cast<std::size_t>(map.in.ciphertexts());
  result.blocks.assign(static_cast<std::size_t>(map.out.ciphertexts()), std::vector<DiagonalBlock>(inputs));
  // By block and diagonal: where its weights are, so that a hit costs no search.
  std::vector<std::vector<std::vector<double>*>> known(result.blocks.size() * inputs);
  const MapEntries entries(map, set);
  entries.visit(0, entries.rows(), only_output,
                [&](Index out, Index in, Index diagonal, Index accumulator, double weight) {
                  auto& block = known[static_cast<std::size_t>(out) * inputs + static_cast<std::size_t>(in)];
                  if (block.empty()) block.resize(static_cast<std::size_t>(set.modulus));
                  auto& weights = block[static_cast<std::size_t>(diagonal)];
                  if (weights == nullptr) {
                    weights = &result.blocks[static_cast<std::size_t>(out)][static_cast<std::size_t>(in)][diagonal];
                    weights->resize(static_cast<std::size_t>(set.period));
                  }
                  (*weights)[static_cast<std::size_t>(accumulator)] += weight;
                });
  repeat(map, result);
  return result;
}

Diagonals diagonals_of(const LinearMap& map, const FewSamples& samples, Index only_output) {
  Diagonals few = diagonals(samples.map(), only_output < 0 ? -1 : samples.few_output(only_output)), result;
  result.set = frame_of(map);
  for (Index output = 0; output < map.out.ciphertexts(); ++output)
    if (only_output < 0 || output == only_output)
      result.blocks.push_back(
          samples.blocks_of(output, few.blocks[static_cast<std::size_t>(samples.few_output(output))]));
    else
      result.blocks.emplace_back(static_cast<std::size_t>(map.in.ciphertexts()));
  count_blocks(result);
  return result;
}

}  // namespace

void count_blocks(Diagonals& diagonals) {
  DiagonalSet& set = diagonals.set;
  std::size_t weights_held = 0;
  for (const auto& row : diagonals.blocks)
    for (const DiagonalBlock& block : row) {
      set.blocks += block.empty() ? 0 : 1;
      set.count.products += static_cast<Index>(block.size());
      for (const auto& [diagonal, weights] : block) {
        set.diagonals.insert(diagonal);
        weights_held += weights.size();
      }
    }
  if (set.count.products > 0)
    set.count.density =
        static_cast<double>(weights_held) / (static_cast<double>(set.count.products) * static_cast<double>(set.slots));
}

Diagonals diagonals(const LinearMap& map, Index only_output) {
  if (const std::optional<FewSamples> few = FewSamples::of(map)) return diagonals_of(map, *few, only_output);
  if (std::optional<Diagonals> repeating = RepeatingDiagonals(map).of(only_output)) return *std::move(repeating);
  Diagonals result = whole_diagonals(map, only_output);
  count_blocks(result);
  return result;
}

}  // namespace tacit::layout
