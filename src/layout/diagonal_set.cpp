#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "layout/alike_lines.h"
#include "layout/diagonals.h"
#include "layout/equal_parts.h"
#include "layout/few_samples.h"
#include "layout/map_entries.h"
#include "layout/operators/window.h"
#include "layout/repeating_weights.h"
#include "layout/seen_diagonals.h"
#include "layout/window_places.h"

namespace tacit::layout {
namespace {

void mark_entries(const LinearMap& map, const DiagonalSet& set, SeenDiagonals& seen) {
  const MapEntries entries(map, set);
  const Index rows = entries.rows(), parts = std::min<Index>(rows, base::thread_limit());
  std::mutex mutex;
  base::parallel_for(0, static_cast<std::size_t>(parts), [&](std::size_t part) {
    const auto at = static_cast<Index>(part);
    SeenDiagonals own(map, set);
    entries.visit(rows * at / parts, rows * (at + 1) / parts, -1,
                  [&](Index out, Index in, Index diagonal, Index, double) {
                    own.mark({out, in, diagonal});
                  });
    const std::lock_guard lock(mutex);
    seen.merge(std::move(own));
  });
}

/// Marks the entries of one line of each group, and moves them to the other lines.
void mark_lines(const LinearMap& map, const DiagonalSet& set, const AlikeLines& lines, SeenDiagonals& seen) {
  const MapEntries entries(map, set);
  for (const MovedLines& moved : moved_lines(map, lines, set.modulus)) {
    SeenDiagonals first(map, set);
    MapEntries::Scratch scratch;
    for (const Index row : moved.rows)
      entries.visit(row, row + 1, -1, scratch, [&](Index out, Index in, Index diagonal, Index, double) {
        first.mark({out, in, diagonal});
      });
    seen.merge_moved(first, moved.steps);
  }
}

/// With few positions there are about as many weights as entries, and entries are counted on all threads.
bool has_many_positions(const Window& window) {
  constexpr Index kFewPositions = 4;
  return element_count(window.out()) / window.out()[1] > kFewPositions;
}

/// Weights of an output that are made in order to be counted: 48 MiB a thread. Beyond, a map is counted without.
constexpr std::size_t kMostWeights = std::size_t{1} << 22;

/// Weights of a few samples that are made to be counted.
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

/// body(output, its diagonals) for every output ciphertext of a map whose weights repeat with the innermost digits, on
/// any thread and in any order. False where those of one do not repeat, or are too many.
bool each_repeating_output(const LinearMap& map, const RepeatingDiagonals& repeating,
                           const std::function<void(std::size_t, const Diagonals&)>& body) {
  std::atomic<bool> all = true;
  base::parallel_for(0, static_cast<std::size_t>(map.out.ciphertexts()), [&](std::size_t output) {
    if (!all) return;
    const std::optional<Diagonals> made = repeating.of(static_cast<Index>(output));
    if (made)
      body(output, *made);
    else
      all = false;
  });
  return all;
}

std::optional<DiagonalSet> set_of_repeating(const LinearMap& map) {
  std::vector<DiagonalSet> of_outputs(static_cast<std::size_t>(map.out.ciphertexts()));
  const auto take = [&](std::size_t output, const Diagonals& made) { of_outputs[output] = made.set; };
  if (!each_repeating_output(map, RepeatingDiagonals(map, kMostWeights), take)) return std::nullopt;
  DiagonalSet all = frame_of(map);
  double read = 0;  // periods of all slots
  for (const DiagonalSet& one : of_outputs) {
    all.diagonals.insert(one.diagonals.begin(), one.diagonals.end());
    all.blocks += one.blocks;
    all.count.products += one.count.products;
    read += static_cast<double>(one.count.products) * one.count.density;
  }
  if (all.count.products > 0) all.count.density = read / static_cast<double>(all.count.products);
  return all;
}

/// Of a map whose weights repeat, which may meet known zeros in further inputs; false for others. There is no bound on
/// the weights, because the list is that of the diagonals as they are made.
bool list_inputs_of_repeating(const LinearMap& map, std::vector<std::vector<Index>>& of_outputs) {
  const bool all = each_repeating_output(map, RepeatingDiagonals(map), [&](std::size_t output, const Diagonals& made) {
    const std::vector<DiagonalBlock>& blocks = made.blocks[output];
    for (std::size_t input = 0; input < blocks.size(); ++input)
      if (!blocks[input].empty()) of_outputs[output].push_back(static_cast<Index>(input));
  });
  if (!all) of_outputs.assign(of_outputs.size(), {});
  return all;
}

/// Which diagonals have entries.
SeenDiagonals seen_in(const LinearMap& map, const DiagonalSet& set, const SeekLines& seek = {}) {
  SeenDiagonals seen(map, set);
  const std::optional<WindowPattern> pattern = map.op->window_pattern();
  // Which copy of an input is read depends on all axes of the output together.
  if (pattern && map.in.copies_in_period().size() == 1 && has_many_positions(pattern->window) &&
      joins_to(map.in.shape(), pattern->window.in()) && joins_to(map.out.shape(), pattern->window.out()))
    WindowPlaces(map, set, *pattern).mark(seen);
  else if (const std::optional<AlikeLines> lines = seek ? seek() : std::nullopt)
    mark_lines(map, set, *lines, seen);
  else
    mark_entries(map, set, seen);
  return seen;
}

}  // namespace

DiagonalSet diagonal_set(const LinearMap& map, const SeekLines& lines) {
  if (const EqualParts parts = equal_parts(map); parts.count > 1) {
    DiagonalSet set = diagonal_set(parts.part);
    set.blocks *= parts.count;
    set.count.products *= parts.count;
    set.count.parts *= parts.count;
    return set;
  }
  if (const std::optional<FewSamples> few = FewSamples::of(map))
    return has_few_weights(few->map(), kMostBytes) ? few->set_of(diagonals(few->map()))
                                                   : few->set_of(diagonal_set(few->map()));
  if (std::optional<DiagonalSet> repeating = set_of_repeating(map)) return *std::move(repeating);
  DiagonalSet set = frame_of(map);
  seen_in(map, set, lines).count(set);
  return set;
}

std::vector<std::vector<Index>> inputs_of_outputs(const LinearMap& map) {
  const auto [part, groups] = equal_parts(map);
  std::vector<std::vector<Index>> inputs(static_cast<std::size_t>(part.out.ciphertexts()));
  if (const std::optional<FewSamples> few = FewSamples::of(part))
    inputs = few->inputs_of(inputs_of_outputs(few->map()));
  else if (!list_inputs_of_repeating(part, inputs))
    seen_in(part, frame_of(part)).list_inputs(inputs);
  const std::size_t outputs = inputs.size();
  for (Index g = 1; g < groups; ++g)
    for (std::size_t j = 0; j < outputs; ++j) {
      std::vector<Index> moved = inputs[j];
      for (Index& input : moved) input += g * part.in.ciphertexts();
      inputs.push_back(std::move(moved));
    }
  return inputs;
}

}  // namespace tacit::layout
